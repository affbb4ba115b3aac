//===- LabellingTest.cpp - one label a decision, at least cost ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomProblems.h"

#include "gtest/gtest.h"

#include <limits>

using namespace prec;
using namespace prec::test;

namespace {

/// Each of three loses alone and all win together: what local thresholds miss.
TEST(Labelling, SharingPaysOnce) {
  LabellingProblem problem;
  problem.costs = {{10, 7}, {10, 7}, {10, 7}};
  problem.shared = {{5, {{0, 1}, {1, 1}, {2, 1}}}};
  ASSERT_TRUE(problem.isCut());
  Labelling labelling = cutLabels(problem);
  EXPECT_EQ(labelling.cost, 26);
  EXPECT_EQ(labelling.labels, std::vector<uint32_t>({1, 1, 1}));
}

TEST(Labelling, EqualCostsKeepTheFirstLabel) {
  LabellingProblem problem;
  problem.costs = {{10, 7}, {10, 8}};
  problem.shared = {{5, {{0, 1}, {1, 1}}}};
  EXPECT_EQ(cutLabels(problem).labels, std::vector<uint32_t>({0, 0}));
}

TEST(Labelling, TwoLabelsEqualBruteForceOn600Problems) {
  std::mt19937 random = makeRandom(1);
  for (unsigned round = 0; round < 600; ++round) {
    LabellingProblem problem = makeRandomProblem(random, 2);
    int64_t least = findLeastCost(problem);
    ASSERT_TRUE(problem.isCut());
    for (const Labelling &labelling :
         {cutLabels(problem), chooseLabels(problem)}) {
      ASSERT_EQ(labelling.cost, least) << "round " << round;
      ASSERT_EQ(labelling.bound, least) << "round " << round;
      ASSERT_EQ(problem.evaluate(labelling.labels), least);
    }
  }
}

TEST(Labelling, MoreLabelsStayWithinTheirGapOn600Problems) {
  std::mt19937 random = makeRandom(2);
  unsigned closed = 0;
  for (unsigned round = 0; round < 600; ++round) {
    LabellingProblem problem = makeRandomProblem(random, 3 + round % 3);
    int64_t least = findLeastCost(problem);
    Labelling labelling = chooseLabels(problem);
    ASSERT_EQ(problem.evaluate(labelling.labels), labelling.cost);
    ASSERT_LE(labelling.bound, least) << "round " << round;
    ASSERT_LE(labelling.cost, least + labelling.getGap()) << "round " << round;
    ASSERT_GE(labelling.cost, least);
    closed += labelling.cost == least && labelling.getGap() == 0;
  }
  // The search ends on problems of this size.
  EXPECT_EQ(closed, 600u);
}

TEST(Labelling, BoundsAreBoundsWithoutTheSearch) {
  std::mt19937 random = makeRandom(3);
  for (unsigned round = 0; round < 600; ++round) {
    LabellingProblem problem = makeRandomProblem(random, 4);
    int64_t least = findLeastCost(problem);
    ASSERT_LE(boundLabels(problem, least), least) << "round " << round;
  }
}

TEST(Labelling, FusionNeverMakesItWorse) {
  std::mt19937 random = makeRandom(4);
  for (unsigned round = 0; round < 600; ++round) {
    LabellingProblem problem = makeRandomProblem(random, 4);
    std::vector<uint32_t> current, proposal;
    for (const auto &costs : problem.costs) {
      current.push_back(random() % costs.size());
      proposal.push_back(random() % costs.size());
    }
    std::vector<uint32_t> fused = fuseLabels(problem, current, proposal);
    ASSERT_LE(problem.evaluate(fused), problem.evaluate(current));
    for (auto [i, label] : llvm::enumerate(fused))
      ASSERT_TRUE(label == current[i] || label == proposal[i]);
  }
}

TEST(Labelling, MarginalsEqualBruteForce) {
  std::mt19937 random = makeRandom(6);
  for (unsigned round = 0; round < 200; ++round) {
    LabellingProblem problem = makeRandomProblem(random, 2 + round % 2);
    Labelling best = chooseLabels(problem);
    auto marginals = getMarginals(problem, best);
    std::vector<llvm::SmallVector<int64_t, 3>> least;
    for (const auto &costs : problem.costs)
      least.emplace_back(costs.size(), std::numeric_limits<int64_t>::max());
    forEachLabelling(problem, [&](llvm::ArrayRef<uint32_t> labels) {
      int64_t cost = problem.evaluate(labels) - best.cost;
      for (auto [decision, label] : llvm::enumerate(labels))
        least[decision][label] = std::min(least[decision][label], cost);
    });
    ASSERT_EQ(marginals, least) << "round " << round;
  }
}

TEST(Labelling, PartsShareNothing) {
  LabellingProblem problem;
  problem.costs = {{1, 2}, {1, 2}, {1, 2}, {1, 2}};
  problem.shared = {{5, {{3, 1}, {1, 1}}}, {2, {{0, 0}}}};
  std::vector<LabellingPart> parts = splitLabels(problem);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].decisions, std::vector<uint32_t>({0}));
  EXPECT_EQ(parts[0].shared, std::vector<uint32_t>({1}));
  EXPECT_EQ(parts[1].decisions, std::vector<uint32_t>({1, 3}));
  EXPECT_EQ(parts[1].problem.shared[0].users[0].decision, 1u);
  EXPECT_EQ(parts[2].decisions, std::vector<uint32_t>({2}));
}

/// A decision with one label pays whatever others do, so its copies are free
/// for them.
TEST(Labelling, WhatIsPaidAnywayConnectsNothing) {
  LabellingProblem problem;
  problem.costs = {{3}, {4, 6}};
  problem.shared = {{5, {{0, 0}, {1, 1}}}, {3, {{1, 0}}}};
  EXPECT_FALSE(problem.isCut());
  Labelling labelling = chooseLabels(problem);
  EXPECT_EQ(labelling.labels, std::vector<uint32_t>({0, 1}));
  EXPECT_EQ(labelling.cost, 14);
  EXPECT_EQ(labelling.bound, 14);
}

} // namespace
