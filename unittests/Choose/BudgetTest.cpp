//===- BudgetTest.cpp - labels within a limit, beside brute force ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomProblems.h"

#include "gtest/gtest.h"

#include <ctime>
#include <limits>

using namespace prec;
using namespace prec::test;

namespace {

using Used = std::vector<llvm::SmallVector<double, 3>>;

/// The example of Budget.cpp.
TEST(Budget, GivesUpWhatSavesLeast) {
  LabellingProblem problem;
  problem.costs = {{6, 0}, {5, 0}};
  Used used = {{0, 2}, {0, 1}};
  auto labels = [&](double limit) {
    return chooseWithin(problem, used, limit)->labels;
  };
  EXPECT_EQ(labels(3), std::vector<uint32_t>({1, 1}));
  EXPECT_EQ(labels(1), std::vector<uint32_t>({0, 1}));
  EXPECT_EQ(labels(0), std::vector<uint32_t>({0, 0}));
  EXPECT_EQ(chooseWithin(problem, used, 1)->cost, 6);
}

/// No price tells equal decisions apart: it takes all of them or none.
TEST(Budget, SomeOfEqualOnes) {
  LabellingProblem problem;
  problem.costs.assign(8, {7, 3});
  Used used(8, {0, 1});
  std::optional<Labelling> kept = chooseWithin(problem, used, 3.5);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->cost, 3 * 3 + 5 * 7);
  EXPECT_LE(kept->bound, kept->cost);
  // Half of one more would save 2; prices are rounded.
  EXPECT_GE(kept->bound, kept->cost - 2 - 5);
}

TEST(Budget, NoLabelsUseSoLittle) {
  LabellingProblem problem;
  problem.costs = {{5, 0}, {1, 0}};
  Used used = {{1, 2}, {0, 0}};
  EXPECT_FALSE(chooseWithin(problem, used, 0.5));
  ASSERT_TRUE(chooseWithin(problem, used, 1));
  EXPECT_EQ(chooseWithin(problem, used, 1)->labels,
            std::vector<uint32_t>({0, 1}));
}

/// A model of so many layers, of which no two are alike: in each seven products
/// in three directions, which read nine tensors, two or three a tensor.
LabellingProblem makeLayers(unsigned layers, Used &used) {
  std::mt19937 random = makeRandom(9);
  LabellingProblem problem;
  for (unsigned layer = 0; layer < layers; ++layer) {
    uint32_t first = problem.costs.size();
    for (unsigned i = 0; i < 21; ++i) {
      problem.costs.push_back({int64_t(1000000 + random() % 500000),
                               int64_t(600000 + random() % 300000)});
      used.push_back({0, double(1 + random() % 1000) * 1e-7});
    }
    for (unsigned i = 0; i < 18; ++i) {
      SharedCost &copy = problem.shared.emplace_back();
      copy.cost = 300000 + random() % 500000;
      for (unsigned j = 0; j < 3; ++j)
        copy.users.push_back({first + uint32_t(random() % 21), 1});
    }
  }
  return problem;
}

double measureSeconds(llvm::function_ref<void()> work) {
  double least = std::numeric_limits<double>::max();
  for (unsigned repeat = 0; repeat < 3; ++repeat) {
    std::clock_t begun = std::clock();
    work();
    least =
        std::min(least, double(std::clock() - begun) / double(CLOCKS_PER_SEC));
  }
  return least;
}

/// All that --assign-precision asks of a problem of 126 different layers, in
/// much less than a second of the process; ten times the layers of 13 layers
/// must not take a hundred times as long.
TEST(Budget, TimeIsLinearInLayers) {
  auto measure = [](unsigned layers) {
    Used used;
    LabellingProblem problem = makeLayers(layers, used);
    return measureSeconds([&] {
      Labelling fastest = chooseLabels(problem);
      getMarginals(problem, fastest);
      double limit = sumUsed(used, fastest.labels) / 3;
      std::optional<Labelling> kept = chooseWithin(problem, used, limit);
      ASSERT_TRUE(kept);
      EXPECT_LE(sumUsed(used, kept->labels), limit);
      // Of so many decisions the last one hardly counts.
      EXPECT_LE(double(kept->cost - kept->bound), 1e-3 * double(kept->cost));
    });
  };
  double few = measure(13), many = measure(126);
  EXPECT_LT(many, 1);
  EXPECT_LT(many, std::max(few, 0.002) * 30);
}

/// What is used has no relation to costs, and limits lie anywhere between the
/// least that can be used and what the cheapest labels use.
TEST(Budget, KeepsLimitsAndBoundsOn600Problems) {
  std::mt19937 random = makeRandom(7);
  unsigned limited = 0, best = 0;
  double excess = 0;
  for (unsigned round = 0; round < 600; ++round) {
    LabellingProblem problem = makeRandomProblem(random, 2 + round % 2);
    Used used;
    for (const auto &costs : problem.costs) {
      auto &own = used.emplace_back();
      for (size_t label = 0; label < costs.size(); ++label)
        own.push_back(label == 0 ? 0 : double(random() % 1000) * 1e-6);
    }
    Labelling fastest = chooseLabels(problem);
    double limit = sumUsed(used, fastest.labels) * double(random() % 101) / 100;
    int64_t least = std::numeric_limits<int64_t>::max();
    forEachLabelling(problem, [&](llvm::ArrayRef<uint32_t> labels) {
      if (sumUsed(used, labels) <= limit)
        least = std::min(least, problem.evaluate(labels));
    });
    std::optional<Labelling> kept = chooseWithin(problem, used, limit);
    ASSERT_TRUE(kept) << "round " << round;
    ASSERT_LE(sumUsed(used, kept->labels), limit) << "round " << round;
    ASSERT_EQ(problem.evaluate(kept->labels), kept->cost);
    ASSERT_GE(kept->cost, least) << "round " << round;
    ASSERT_LE(kept->bound, least) << "round " << round;
    limited += least > fastest.cost;
    best += kept->cost == least;
    excess += double(kept->cost - least) / double(std::max<int64_t>(least, 1));
  }
  EXPECT_GE(limited, 300u);
  // A knapsack's greedy answer is mostly the best one, and near where not.
  EXPECT_GE(best, 560u);
  EXPECT_LE(excess / 600, 0.004);
}

TEST(Budget, FlipsAreDifferencesOfTotals) {
  std::mt19937 random = makeRandom(8);
  for (unsigned round = 0; round < 300; ++round) {
    LabellingProblem problem = makeRandomProblem(random, 2 + round % 3);
    std::vector<uint32_t> labels;
    for (const auto &costs : problem.costs)
      labels.push_back(random() % costs.size());
    auto flips = getFlips(problem, labels);
    int64_t total = problem.evaluate(labels);
    for (size_t decision = 0; decision < labels.size(); ++decision)
      for (uint32_t label = 0; label < flips[decision].size(); ++label) {
        std::vector<uint32_t> changed = labels;
        changed[decision] = label;
        ASSERT_EQ(flips[decision][label], problem.evaluate(changed) - total);
      }
  }
}

} // namespace
