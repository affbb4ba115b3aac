//===- CudaAlgorithmFileTest.cpp ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AlgorithmFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace prec::rt;
namespace fs = std::filesystem;

namespace {
class CudaAlgorithmFile : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "algorithms.XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    path = folder / "step.so.algorithms.json";
  }
  void TearDown() override {
    fs::permissions(folder, fs::perms::owner_all);
    fs::remove_all(folder);
  }
  void put(const std::string &text) { std::ofstream(path) << text; }
  std::string get() {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  Algorithm sample() {
    Algorithm algorithm;
    for (size_t i = 0; i < algorithm.words.size(); ++i)
      algorithm.words[i] = 0x0123456789abcdefu * (i + 1) + 0x8000000000000000u;
    algorithm.milliseconds = 0.1;
    algorithm.teraflops = 700.25;
    algorithm.candidates = 12;
    return algorithm;
  }
  void expectRefused(const std::string &text, const std::string &reason) {
    put(text);
    Result<AlgorithmFile> file = AlgorithmFile::read(path);
    ASSERT_FALSE(file.ok()) << text;
    EXPECT_NE(file.status().message().find(path.string()), std::string::npos)
        << file.status().message();
    EXPECT_NE(file.status().message().find(reason), std::string::npos)
        << file.status().message();
    EXPECT_EQ(get(), text) << "a refused file must stay as it was";
  }
  fs::path folder, path;
};
} // namespace

TEST_F(CudaAlgorithmFile, AbsentIsEmpty) {
  Result<AlgorithmFile> file = AlgorithmFile::read(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->find("anything"), nullptr);
  EXPECT_FALSE(file->changed());
}

TEST_F(CudaAlgorithmFile, RoundTripsEveryBit) {
  Result<AlgorithmFile> file = AlgorithmFile::read(path);
  ASSERT_TRUE(file.ok());
  Algorithm algorithm = sample();
  file->insert("m=1 \"quoted\" gpu=NVIDIA H200", algorithm);
  file->insert("second", Algorithm());
  EXPECT_TRUE(file->changed());
  Status written = file->write();
  ASSERT_TRUE(written.ok()) << written.message();

  Result<AlgorithmFile> again = AlgorithmFile::read(path);
  ASSERT_TRUE(again.ok()) << again.status().message();
  const Algorithm *found = again->find("m=1 \"quoted\" gpu=NVIDIA H200");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->words, algorithm.words);
  EXPECT_EQ(found->milliseconds, algorithm.milliseconds);
  EXPECT_EQ(found->teraflops, algorithm.teraflops);
  EXPECT_EQ(found->candidates, algorithm.candidates);
  ASSERT_NE(again->find("second"), nullptr);
  EXPECT_EQ(again->find("second")->candidates, 0) << "need not be there";
  EXPECT_FALSE(again->changed());

  std::string before = get();
  ASSERT_TRUE(again->write().ok());
  EXPECT_EQ(get(), before) << "the same algorithms must give the same bytes";
  EXPECT_EQ(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()),
      1)
      << "no partial file may be left behind";
}

TEST_F(CudaAlgorithmFile, RefusesWhatItCannotRead) {
  expectRefused("", "must be valid JSON");
  expectRefused("{\"format\": ", "must be valid JSON");
  expectRefused("[]", "must be an object");
  expectRefused("{}", "format");
  expectRefused(R"({"format": "other", "version": 1, "algorithms": {}})",
                "'format' must be");
  const std::string head =
      R"({"format": "prec-gemm-algorithms", "version": 1, "algorithms": )";
  expectRefused(
      R"({"format": "prec-gemm-algorithms", "version": 2, "algorithms": {}})",
      "version");
  expectRefused(head + "[]}", "object");
  expectRefused(head + R"({"k": 1}})", "algorithms.k");
  expectRefused(head + R"({"k": {"algorithm": ["0"], "milliseconds": 1,
                           "teraflops": 1}}})",
                "must have 8 words, but got 1");
  expectRefused(head + R"({"k": {"algorithm": {"0": "0"}, "milliseconds": 1,
                           "teraflops": 1}}})",
                "algorithms.k.algorithm: must be an array, but got object");
  std::string words;
  for (int i = 0; i < 7; ++i)
    words += "\"0000000000000000\", ";
  auto entry = [&](const std::string &last, const std::string &rest) {
    return head + "{\"k\": {\"algorithm\": [" + words + last + "]" + rest +
           "}}}";
  };
  const std::string times = R"(, "milliseconds": 1, "teraflops": 1)";
  expectRefused(entry("\"00000000000000zz\"", times), "hexadecimal");
  expectRefused(entry("\"0\"", times), "16 hexadecimal digits");
  expectRefused(entry("7", times), "must be a string");
  expectRefused(entry("\"0000000000000000\"", ""), "milliseconds");
  expectRefused(entry("\"0000000000000000\"", times + R"(, "candidates": 0)"),
                "algorithms.k.candidates");
}

TEST_F(CudaAlgorithmFile, RefusesAFolder) {
  fs::create_directory(path);
  Result<AlgorithmFile> file = AlgorithmFile::read(path);
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.status().message().find(path.string()), std::string::npos);
}

TEST_F(CudaAlgorithmFile, FailedWriteNamesTheFileAndLeavesNothing) {
  Result<AlgorithmFile> file =
      AlgorithmFile::read((folder / "absent" / "step.json").string());
  ASSERT_TRUE(file.ok());
  file->insert("key", sample());
  Status written = file->write();
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.message().find("step.json"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(CudaAlgorithmFile, FailedReplacementLeavesTheOldFile) {
  Result<AlgorithmFile> file = AlgorithmFile::read(path);
  ASSERT_TRUE(file.ok());
  file->insert("key", sample());
  // A folder that holds something cannot be replaced by a file.
  fs::create_directory(path);
  std::ofstream(path / "occupied") << "x";
  EXPECT_FALSE(file->write().ok());
  EXPECT_TRUE(fs::exists(path / "occupied"));
  EXPECT_EQ(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()),
      1);
}

TEST_F(CudaAlgorithmFile, RanksTakeTheTextOfTheFirst) {
  Result<AlgorithmFile> first = AlgorithmFile::read(path);
  ASSERT_TRUE(first.ok());
  first->insert("key", sample());
  Result<AlgorithmFile> other = AlgorithmFile::parse(first->text());
  ASSERT_TRUE(other.ok()) << other.status().message();
  ASSERT_TRUE(other->find("key"));
  EXPECT_EQ(other->find("key")->words, sample().words);
  EXPECT_FALSE(other->changed());
  // It is kept nowhere.
  EXPECT_TRUE(other->write().ok());
  EXPECT_TRUE(fs::is_empty(folder));
  for (const char *bad : {"", "{}", "no json"}) {
    Result<AlgorithmFile> refused = AlgorithmFile::parse(bad);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.status().message().find("algorithm file of rank 0: "), 0u)
        << refused.status().message();
  }
}
