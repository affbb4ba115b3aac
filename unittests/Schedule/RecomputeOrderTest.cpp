//===- RecomputeOrderTest.cpp - which activations to compute anew ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Schedule/Recompute.h"

#include "gtest/gtest.h"

using namespace prec;

namespace {

ForwardNode node(std::vector<unsigned> operands, double cost,
                 int64_t keptBytes) {
  return {std::move(operands), cost, keptBytes, /*isAlwaysThere=*/false};
}

using Order = std::vector<unsigned>;

TEST(RecomputeOrder, OfNothingIsEmpty) {
  EXPECT_TRUE(orderRecomputable({}).empty());
}

TEST(RecomputeOrder, LeavesOutWhatTheBackwardDoesNotRead) {
  EXPECT_EQ(orderRecomputable({node({}, 1, 0), node({0}, 1, 8)}), Order{1});
}

TEST(RecomputeOrder, LeavesOutWhatIsAlwaysThere) {
  ForwardNode small = node({}, 1, 8);
  small.isAlwaysThere = true;
  EXPECT_TRUE(orderRecomputable({small}).empty());
}

TEST(RecomputeOrder, BeginsWithTheCheapestByte) {
  EXPECT_EQ(
      orderRecomputable({node({}, 30, 10), node({}, 5, 10), node({}, 20, 100)}),
      (Order{2, 1, 0}));
}

TEST(RecomputeOrder, KeepsTheProgramsWhereCostsAreEqual) {
  EXPECT_EQ(orderRecomputable({node({}, 4, 2), node({}, 2, 1), node({}, 8, 4)}),
            (Order{0, 1, 2}));
}

// 1 is kept, so that 3 pays for itself and for 2, once though it reads it
// twice; 4 pays for 2 and 0 as well.
TEST(RecomputeOrder, CountsWhatNobodyKeepsOnce) {
  EXPECT_EQ(
      orderRecomputable({node({}, 100, 0), node({0}, 1000, 1), node({1}, 10, 0),
                         node({2, 2, 1}, 1, 1), node({2, 0}, 1, 11)}),
      (Order{4, 3, 1}));
  EXPECT_EQ(
      orderRecomputable({node({}, 100, 0), node({0}, 1000, 1), node({1}, 10, 0),
                         node({2, 2, 1}, 1, 1), node({2, 0}, 1, 10)}),
      (Order{3, 4, 1}));
}

// A chain of values that nobody keeps is walked once a candidate.
TEST(RecomputeOrder, WalksALongChain) {
  std::vector<ForwardNode> nodes = {node({}, 1, 0)};
  for (unsigned i = 0; i < 10000; ++i)
    nodes.push_back(node({i}, 1, 0));
  nodes.push_back(node({10000}, 1, 4));
  EXPECT_EQ(orderRecomputable(nodes), Order{10001});
}

} // namespace
