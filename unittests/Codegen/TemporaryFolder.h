//===- TemporaryFolder.h - a folder of a test -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_UNITTESTS_CODEGEN_TEMPORARYFOLDER_H
#define PREC_UNITTESTS_CODEGEN_TEMPORARYFOLDER_H

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace prec {

struct TemporaryFolder {
  TemporaryFolder() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("prec-test", path));
  }
  ~TemporaryFolder() { (void)llvm::sys::fs::remove_directories(path); }

  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> file(path);
    llvm::sys::path::append(file, name);
    return file.str().str();
  }

  llvm::SmallString<128> path;
};

inline void writeText(llvm::StringRef path, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  ASSERT_FALSE(error) << path.str();
  os << text;
}

inline std::string readText(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

} // namespace prec

#endif // PREC_UNITTESTS_CODEGEN_TEMPORARYFOLDER_H
