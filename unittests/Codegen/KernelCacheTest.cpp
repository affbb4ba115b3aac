//===- KernelCacheTest.cpp - compiled kernels on disk ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Codegen/KernelCache.h"

#include "TemporaryFolder.h"

#include <thread>

using namespace mlir;
using namespace prec;
namespace fs = llvm::sys::fs;

namespace {
class Cache : public testing::Test {
protected:
  std::unique_ptr<KernelCache> open() {
    auto cache = KernelCache::open(folder.path);
    EXPECT_TRUE(bool(cache));
    return std::move(*cache);
  }
  std::string entry(StringRef key) {
    return folder.file(("llvmcache-" + key).str());
  }

  TemporaryFolder folder;
  std::vector<StringRef> parts{"text\n", StringRef("\177ELF\0\n7 ", 8), ""};
};
} // namespace

TEST_F(Cache, GivesBackWhatWasStored) {
  auto cache = open();
  EXPECT_FALSE(cache->lookup("key"));
  cache->store("key", parts);
  auto found = cache->lookup("key");
  ASSERT_TRUE(found);
  EXPECT_EQ(std::vector<StringRef>(found->begin(), found->end()), parts);
  KernelCache::Counts counts = cache->getCounts();
  EXPECT_EQ(counts.found, 1);
  EXPECT_EQ(counts.absent, 1);
  EXPECT_EQ(counts.stored, 1);
  EXPECT_EQ(counts.damaged, 0);
  EXPECT_EQ(counts.storeError, "");
}

TEST_F(Cache, UsesNoDamagedFile) {
  auto cache = open();
  cache->store("key", parts);
  std::string whole = readText(entry("key"));
  int64_t damaged = 0;
  for (size_t size = 0; size < whole.size(); ++size, ++damaged) {
    writeText(entry("key"), StringRef(whole).take_front(size));
    EXPECT_FALSE(cache->lookup("key")) << size << " bytes";
  }
  for (size_t i = 0; i < whole.size(); ++i, ++damaged) {
    std::string changed = whole;
    changed[i] ^= 1;
    writeText(entry("key"), changed);
    EXPECT_FALSE(cache->lookup("key")) << "byte " << i;
  }
  writeText(entry("key"), whole + "x");
  EXPECT_FALSE(cache->lookup("key"));
  writeText(entry("other"), whole);
  EXPECT_FALSE(cache->lookup("other"));
  EXPECT_EQ(cache->getCounts().damaged, damaged + 2);
  EXPECT_EQ(cache->getCounts().absent, 0);
  cache->store("key", parts);
  EXPECT_TRUE(cache->lookup("key"));
}

TEST_F(Cache, FolderMustBeOne) {
  writeText(folder.file("file"), "");
  auto cache = KernelCache::open(folder.file("file"));
  ASSERT_FALSE(bool(cache));
  std::string message = llvm::toString(cache.takeError());
  EXPECT_EQ(message.find("kernel cache must be a folder, but got '"), 0u)
      << message;
}

TEST_F(Cache, MakesItsFolder) {
  std::string path = folder.file("a/b");
  ASSERT_TRUE(bool(KernelCache::open(path)));
  EXPECT_TRUE(fs::is_directory(path));
}

TEST_F(Cache, CountsWhatItCannotStore) {
  auto cache = open();
  EXPECT_FALSE(fs::remove_directories(folder.path));
  cache->store("key", parts);
  cache->prune(1);
  EXPECT_EQ(cache->getCounts().stored, 0);
  EXPECT_NE(cache->getCounts().storeError.find("cannot write"),
            std::string::npos);
}

TEST_F(Cache, RemovesWhatWasUsedLeastRecently) {
  auto cache = open();
  std::string large(1000, 'x');
  parts[1] = large;
  for (const char *key : {"first", "second", "third"}) {
    cache->store(key, parts);
    // The clock of a file system may be coarse.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  writeText(folder.file("notes.txt"), std::string(5000, 'x'));
  EXPECT_TRUE(cache->lookup("first"));
  cache->prune(0);
  EXPECT_TRUE(fs::exists(entry("second")));
  cache->prune(2500);
  EXPECT_TRUE(fs::exists(entry("first")));
  EXPECT_FALSE(fs::exists(entry("second")));
  EXPECT_TRUE(fs::exists(entry("third")));
  EXPECT_TRUE(fs::exists(folder.file("notes.txt")));
}

TEST_F(Cache, ManyMayWriteOneKernel) {
  std::string large(200000, 'x');
  parts[1] = large;
  std::vector<std::thread> writers;
  std::atomic<int64_t> damaged = 0;
  for (int i = 0; i < 4; ++i)
    writers.emplace_back([&] {
      auto cache = open();
      for (int round = 0; round < 10; ++round) {
        cache->store("key", parts);
        EXPECT_TRUE(cache->lookup("key"));
      }
      damaged += cache->getCounts().damaged;
    });
  for (std::thread &writer : writers)
    writer.join();
  EXPECT_EQ(damaged, 0);
}
