//===- MemoryLimitTest.cpp - labels within a number of bytes --------------===//
#include "RandomProblems.h"

#include "gtest/gtest.h"

#include <limits>

using namespace mlir;
using namespace mlir::prec;
using namespace mlir::prec::test;

namespace {

TEST(MemoryLimit, ALimitThatDoesNotBindChangesNothing) {
  LimitedProblem problem{{{{5, 1}, {5, 2}}, {}}, {{0, 10}, {0, 10}}, {}};
  LimitedLabelling limited = chooseLabelsWithin(problem, 20);
  EXPECT_EQ(limited.labelling.labels, std::vector<uint32_t>({1, 1}));
  EXPECT_EQ(limited.labelling.getGap(), 0);
  EXPECT_EQ(limited.bytePrice, 0);
}

/// Equal parts change together at one price; the room that is left goes to as
/// many of them as it holds.
TEST(MemoryLimit, EqualPartsShareTheRoom) {
  LimitedProblem problem;
  for (unsigned i = 0; i < 10; ++i) {
    problem.problem.costs.push_back({5000, 1000});
    problem.bytes.push_back({0, 10});
  }
  LimitedLabelling limited = chooseLabelsWithin(problem, 75);
  EXPECT_TRUE(limited.fits);
  EXPECT_EQ(limited.bytes, 70);
  EXPECT_EQ(limited.labelling.cost, 7 * 1000 + 3 * 5000);
  EXPECT_GE(limited.labelling.bound, 19990);
  EXPECT_GT(limited.bytePrice, 0);
}

TEST(MemoryLimit, SaysHowLittleIsPossible) {
  LimitedProblem problem{{{{5, 1}}, {}}, {{8, 10}}, {}};
  LimitedLabelling limited = chooseLabelsWithin(problem, 7);
  EXPECT_FALSE(limited.fits);
  EXPECT_EQ(limited.leastBytes, 8);
  EXPECT_EQ(limited.bytes, 8);
}

TEST(MemoryLimit, StaysWithinItsGapOn600Problems) {
  std::mt19937 random = makeRandom(5);
  unsigned exact = 0, possible = 0;
  for (unsigned round = 0; round < 600; ++round) {
    LimitedProblem problem = makeRandomLimited(random, 2 + round % 3);
    int64_t least = std::numeric_limits<int64_t>::max(), fewest = least,
            most = 0;
    forEachLabelling(problem.problem, [&](llvm::ArrayRef<uint32_t> labels) {
      int64_t bytes = problem.countBytes(labels);
      fewest = std::min(fewest, bytes);
      most = std::max(most, bytes);
    });
    int64_t limit = fewest + int64_t(random() % (most - fewest + 10)) - 5;
    forEachLabelling(problem.problem, [&](llvm::ArrayRef<uint32_t> labels) {
      if (problem.countBytes(labels) <= limit)
        least = std::min(least, problem.problem.evaluate(labels));
    });
    LimitedLabelling limited = chooseLabelsWithin(problem, limit);
    const Labelling &labelling = limited.labelling;
    ASSERT_EQ(limited.leastBytes, fewest) << "round " << round;
    ASSERT_EQ(limited.fits, fewest <= limit) << "round " << round;
    ASSERT_EQ(problem.countBytes(labelling.labels), limited.bytes);
    ASSERT_EQ(problem.problem.evaluate(labelling.labels), labelling.cost);
    if (!limited.fits)
      continue;
    ASSERT_LE(limited.bytes, limit);
    ASSERT_LE(labelling.bound, least) << "round " << round;
    ASSERT_GE(labelling.cost, least) << "round " << round;
    ASSERT_LE(labelling.cost, least + labelling.getGap());
    ++possible;
    exact += labelling.cost == least;
  }
  // A search that always took the smallest labelling would pass the above.
  EXPECT_GT(exact * 2, possible);
}

} // namespace
