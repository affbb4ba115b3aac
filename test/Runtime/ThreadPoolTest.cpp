//===- ThreadPoolTest.cpp - parallel loops --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadPool.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <numeric>
#include <stdexcept>

#include <sys/resource.h>
#include <unistd.h>

using namespace prec::rt;

namespace {

class ThreadPoolTest : public testing::TestWithParam<unsigned> {};

TEST_P(ThreadPoolTest, EveryIterationRunsOnce) {
  ThreadPool pool(GetParam());
  for (int64_t extent : {0, 1, 2, 7, 64, 1000})
    for (int64_t grain : {1, 3, 64, 5000}) {
      std::vector<int> visits(extent);
      pool.parallelFor(extent, grain,
                       [&](int64_t begin, int64_t end, unsigned worker) {
                         EXPECT_LT(worker, pool.size());
                         EXPECT_LE(end - begin, grain);
                         for (int64_t i = begin; i < end; ++i)
                           ++visits[i];
                       });
      EXPECT_EQ(visits, std::vector<int>(extent, 1));
    }
}

TEST_P(ThreadPoolTest, LoopsFollowOneAnother) {
  // Each loop reads what the one before wrote, whichever thread wrote it: under
  // the thread sanitizer this also shows that loops are ordered.
  ThreadPool pool(GetParam());
  std::vector<int64_t> values(64);
  for (int round = 0; round < 20000; ++round) {
    int64_t expected = round;
    std::atomic<bool> same = true;
    pool.parallelFor(64, 4, [&](int64_t begin, int64_t end, unsigned) {
      for (int64_t i = begin; i < end; ++i) {
        if (values[i] != expected)
          same = false;
        ++values[i];
      }
    });
    ASSERT_TRUE(same.load()) << round;
  }
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), int64_t(0)),
            64 * 20000);
}

TEST_P(ThreadPoolTest, WorkersHaveTheirOwnScratch) {
  ThreadPool pool(GetParam());
  std::vector<std::atomic<int>> inside(pool.size());
  for (int round = 0; round < 50; ++round)
    pool.parallelFor(32, 1, [&](int64_t, int64_t, unsigned worker) {
      EXPECT_EQ(inside[worker].fetch_add(1), 0);
      std::this_thread::yield();
      inside[worker].fetch_sub(1);
    });
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest, testing::Values(1, 2, 3, 8));

// A child's own limit leaves room for a few stacks. Those that were started end
// before the error, nothing is torn down under them.
TEST(ThreadPool, ThreadsThatCannotBeStarted) {
  auto start = [] {
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit{pages * sysconf(_SC_PAGESIZE) + (size_t(64) << 20),
                 RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
    try {
      ThreadPool pool(1000);
    } catch (const std::runtime_error &error) {
      std::fputs(error.what(), stderr);
      _exit(3);
    }
    _exit(0);
  };
  EXPECT_EXIT(start(), testing::ExitedWithCode(3),
              "must have 1000 threads, one a processor, but got [0-9]+ "
              "\\(.*\\): allow more memory");
}

} // namespace
