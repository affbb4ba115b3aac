//===- ArenaPackingTest.cpp - offsets for values by their lifetimes -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Memory/ArenaPacking.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <chrono>
#include <random>

using namespace prec;

namespace {

constexpr int64_t kAlignment = 256;

bool overlap(int64_t begin, int64_t end, int64_t otherBegin, int64_t otherEnd) {
  return begin < otherEnd && otherBegin < end;
}

/// Every pair that shares a step is apart; offsets are aligned and inside.
void expectLegal(const std::vector<LiveInterval> &intervals,
                 const ArenaPacking &packing) {
  ASSERT_EQ(packing.offsets.size(), intervals.size());
  for (size_t i = 0; i < intervals.size(); ++i) {
    EXPECT_EQ(packing.offsets[i] % kAlignment, 0);
    EXPECT_LE(packing.offsets[i] + intervals[i].bytes, packing.size);
    for (size_t j = 0; j < i; ++j) {
      if (!overlap(intervals[i].first, intervals[i].last + 1,
                   intervals[j].first, intervals[j].last + 1))
        continue;
      ASSERT_FALSE(
          overlap(packing.offsets[i], packing.offsets[i] + intervals[i].bytes,
                  packing.offsets[j], packing.offsets[j] + intervals[j].bytes))
          << i << " and " << j;
    }
  }
}

int64_t lowerBound(const std::vector<LiveInterval> &intervals) {
  int64_t steps = 0;
  for (const LiveInterval &interval : intervals)
    steps = std::max(steps, interval.last + 1);
  std::vector<int64_t> live = getLiveBytes(intervals, steps, kAlignment);
  return live.empty() ? 0 : *std::max_element(live.begin(), live.end());
}

TEST(ArenaPacking, NothingNeedsNothing) {
  EXPECT_EQ(packArena({}, kAlignment).size, 0);
}

TEST(ArenaPacking, SizesAreRoundedUp) {
  std::vector<LiveInterval> intervals = {{0, 1, 1}, {0, 1, 257}, {0, 1, 0}};
  ArenaPacking packing = packArena(intervals, kAlignment);
  expectLegal(intervals, packing);
  EXPECT_EQ(packing.size, 256 + 512 + 256);
}

TEST(ArenaPacking, ReadAndWrittenInOneStepAreApart) {
  std::vector<LiveInterval> intervals = {{0, 1, 256}, {1, 2, 256}};
  ArenaPacking packing = packArena(intervals, kAlignment);
  EXPECT_EQ(packing.size, 512);
}

TEST(ArenaPacking, DeadBytesAreUsedAgain) {
  std::vector<LiveInterval> intervals = {
      {0, 1, 256}, {1, 2, 256}, {2, 3, 256}, {3, 4, 256}};
  ArenaPacking packing = packArena(intervals, kAlignment);
  expectLegal(intervals, packing);
  EXPECT_EQ(packing.size, 512);
}

TEST(ArenaPacking, NeighboringHolesBecomeOne) {
  // Three neighbors die in an order in which each merge goes another way.
  std::vector<LiveInterval> intervals = {
      {0, 1, 256}, {0, 3, 256}, {0, 2, 256}, {0, 9, 256}, {5, 6, 768}};
  ArenaPacking packing = packArena(intervals, kAlignment);
  expectLegal(intervals, packing);
  EXPECT_EQ(packing.size, 1024);
}

TEST(ArenaPacking, TheSmallestHoleThatFitsIsTaken) {
  // The small value must not break the large hole that is needed next.
  std::vector<LiveInterval> intervals = {{0, 1, 1024}, {0, 9, 256},
                                         {0, 1, 256},  {0, 9, 256},
                                         {2, 9, 256},  {3, 9, 1024}};
  ArenaPacking packing = packArena(intervals, kAlignment);
  expectLegal(intervals, packing);
  EXPECT_EQ(packing.size, lowerBound(intervals));
}

TEST(ArenaPacking, NestedLifetimesReachTheLowerBound) {
  // Activations of a forward pass, each read once more on the way back.
  std::vector<LiveInterval> intervals;
  for (int64_t layer = 0; layer < 50; ++layer)
    intervals.push_back({layer, 100 - layer, 256 * (1 + layer % 7)});
  ArenaPacking packing = packArena(intervals, kAlignment);
  expectLegal(intervals, packing);
  EXPECT_EQ(packing.size, lowerBound(intervals));
}

/// A step: activations that are kept for the way back, and what is computed on
/// the way to each of them and back, all of random sizes.
std::vector<LiveInterval> makeStep(unsigned seed, int64_t layers) {
  std::mt19937 random(seed);
  auto bytes = [&](int64_t most) {
    return 256 * (1 + int64_t(random() % most));
  };
  std::vector<LiveInterval> intervals;
  for (int64_t layer = 0; layer < layers; ++layer) {
    int64_t first = 3 * layer, back = 6 * layers - 3 * layer;
    intervals.push_back({first, first + 1, bytes(300)});
    intervals.push_back({first + 1, back, bytes(100)});
    intervals.push_back({first + 1, first + 3, bytes(300)});
    intervals.push_back({back, back + 2, bytes(500)});
  }
  return intervals;
}

TEST(ArenaPacking, StepsAreNearTheBound) {
  double sum = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::vector<LiveInterval> intervals = makeStep(seed, 60);
    ArenaPacking packing = packArena(intervals, kAlignment);
    expectLegal(intervals, packing);
    sum += double(packing.size) / double(lowerBound(intervals));
  }
  EXPECT_LE(sum / 30, 1.03);
}

std::vector<LiveInterval> makeRandom(unsigned seed, int64_t count,
                                     int64_t longest) {
  std::mt19937 random(seed);
  std::vector<LiveInterval> intervals;
  for (int64_t i = 0; i < count; ++i) {
    int64_t first = random() % count;
    intervals.push_back({first, first + int64_t(random() % longest),
                         int64_t(random() % 100000)});
  }
  return intervals;
}

TEST(ArenaPacking, RandomIntervalsAreLegalAndNearTheBound) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::vector<LiveInterval> intervals = makeRandom(seed, 400, 40);
    ArenaPacking packing = packArena(intervals, kAlignment);
    expectLegal(intervals, packing);
    EXPECT_LE(packing.size, 1.35 * lowerBound(intervals)) << seed;
  }
}

TEST(ArenaPacking, EqualInputGivesEqualOutput) {
  std::vector<LiveInterval> intervals = makeRandom(7, 1000, 100);
  EXPECT_EQ(packArena(intervals, kAlignment).offsets,
            packArena(intervals, kAlignment).offsets);
}

TEST(ArenaPacking, ManyIntervalsAreNoTrouble) {
  std::vector<LiveInterval> intervals = makeRandom(1, 200000, 5000);
  auto start = std::chrono::steady_clock::now();
  packArena(intervals, kAlignment);
  // Below a second on an idle machine; anything quadratic takes far longer.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(LiveBytes, CountsBothEnds) {
  std::vector<LiveInterval> intervals = {{0, 1, 256}, {1, 2, 1}};
  EXPECT_EQ(getLiveBytes(intervals, 4, kAlignment),
            (std::vector<int64_t>{256, 512, 256, 0}));
}

TEST(LiveBytes, ValuesMayOutliveTheLastStep) {
  std::vector<LiveInterval> intervals = {{1, 2, 256}};
  EXPECT_EQ(getLiveBytes(intervals, 2, kAlignment),
            (std::vector<int64_t>{0, 256}));
}

} // namespace
