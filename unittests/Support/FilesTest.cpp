//===- FilesTest.cpp - whole files ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Support/Files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

using namespace prec;
using llvm::StringRef;

namespace {

struct FilesTest : testing::Test {
  llvm::SmallString<128> folder;

  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("prec-files", folder));
  }
  void TearDown() override {
    ASSERT_FALSE(llvm::sys::fs::remove_directories(folder));
  }
  std::string path(StringRef name) {
    llvm::SmallString<128> result = folder;
    llvm::sys::path::append(result, name);
    return result.str().str();
  }
  unsigned countFiles() {
    std::error_code code;
    unsigned count = 0;
    for (llvm::sys::fs::directory_iterator it(folder, code), end;
         it != end && !code; it.increment(code))
      ++count;
    return count;
  }
};

TEST_F(FilesTest, ReadsWhatItWrote) {
  for (StringRef text : {"one", "two lines\nof text\n", ""}) {
    ASSERT_FALSE(bool(writeFileAtomically(
        path("a"), [&](llvm::raw_ostream &os) { os << text; })));
    llvm::Expected<std::string> read = readFile(path("a"));
    ASSERT_TRUE(bool(read));
    EXPECT_EQ(*read, text.str());
    EXPECT_EQ(countFiles(), 1u);
  }
}

TEST_F(FilesTest, NamesTheFileAndTheReason) {
  llvm::Error error =
      writeFileAtomically(path("missing/a"), [](llvm::raw_ostream &) {});
  EXPECT_EQ(llvm::toString(std::move(error)),
            "cannot write '" + path("missing/a") +
                "': No such file or directory");
  EXPECT_EQ(llvm::toString(readFile(path("none")).takeError()),
            "cannot read '" + path("none") + "': No such file or directory");
}

/// A folder cannot be replaced; nothing is left beside it.
TEST_F(FilesTest, LeavesNothingBehindOnFailure) {
  ASSERT_FALSE(llvm::sys::fs::create_directory(path("folder")));
  llvm::Error error = writeFileAtomically(
      path("folder"), [](llvm::raw_ostream &os) { os << "x"; });
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
  EXPECT_EQ(countFiles(), 1u);
}

/// A device is written, not replaced, and says so when it is full.
TEST_F(FilesTest, WritesDevicesInPlace) {
  EXPECT_FALSE(bool(writeFileAtomically(
      "/dev/null", [](llvm::raw_ostream &os) { os << "x"; })));
  llvm::Error error = writeFileAtomically(
      "/dev/full", [](llvm::raw_ostream &os) { os << "x"; });
  EXPECT_EQ(llvm::toString(std::move(error)),
            "cannot write '/dev/full': No space left on device");
  llvm::sys::fs::file_status status;
  ASSERT_FALSE(llvm::sys::fs::status("/dev/full", status));
  EXPECT_EQ(status.type(), llvm::sys::fs::file_type::character_file);
}

} // namespace
