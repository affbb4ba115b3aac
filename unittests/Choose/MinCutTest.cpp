//===- MinCutTest.cpp - least cuts of directed graphs ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Choose/MinCut.h"
#include "RandomProblems.h"

#include "gtest/gtest.h"

using namespace prec;
using namespace prec::test;

namespace {

/// The classic network of Cormen, Leiserson, Rivest and Stein, whose maximum
/// flow is 23.
TEST(MinCut, FindsTheTextbooksFlow) {
  MinCut cut;
  uint32_t v1 = cut.addNode(), v2 = cut.addNode(), v3 = cut.addNode(),
           v4 = cut.addNode();
  cut.addCosts(v1, 0, 16);
  cut.addCosts(v2, 0, 13);
  cut.addCosts(v3, 20, 0);
  cut.addCosts(v4, 4, 0);
  cut.addEdge(v1, v3, 12);
  cut.addEdge(v2, v1, 4);
  cut.addEdge(v3, v2, 9);
  cut.addEdge(v2, v4, 14);
  cut.addEdge(v4, v3, 7);
  EXPECT_EQ(cut.solve(), 23);
  EXPECT_TRUE(cut.isOnSourceSide(v1));
  EXPECT_TRUE(cut.isOnSourceSide(v2));
  EXPECT_FALSE(cut.isOnSourceSide(v3));
  EXPECT_TRUE(cut.isOnSourceSide(v4));
}

TEST(MinCut, EqualCostsKeepTheSink) {
  MinCut cut;
  uint32_t node = cut.addNode();
  cut.addCosts(node, -3, -3);
  EXPECT_EQ(cut.solve(), -3);
  EXPECT_FALSE(cut.isOnSourceSide(node));
}

TEST(MinCut, EqualsAllCutsOfRandomGraphs) {
  std::mt19937 random = makeRandom(7);
  for (unsigned round = 0; round < 500; ++round) {
    unsigned nodes = 1 + random() % 9;
    MinCut cut;
    std::vector<std::pair<int64_t, int64_t>> costs;
    std::vector<std::tuple<unsigned, unsigned, int64_t>> edges;
    std::vector<uint32_t> ids;
    for (unsigned i = 0; i < nodes; ++i) {
      ids.push_back(cut.addNode());
      costs.push_back({int64_t(random() % 30) - 5, int64_t(random() % 30) - 5});
      cut.addCosts(ids[i], costs[i].first, costs[i].second);
    }
    for (unsigned i = 0; i < 2 * nodes; ++i) {
      unsigned from = random() % nodes, to = random() % nodes;
      edges.push_back({from, to, int64_t(random() % 20)});
      cut.addEdge(ids[from], ids[to], std::get<2>(edges.back()));
    }
    auto evaluate = [&](unsigned sources) {
      int64_t total = 0;
      for (unsigned i = 0; i < nodes; ++i)
        total += sources >> i & 1 ? costs[i].first : costs[i].second;
      for (auto [from, to, cost] : edges)
        if ((sources >> from & 1) && !(sources >> to & 1))
          total += cost;
      return total;
    };
    int64_t least = evaluate(0);
    for (unsigned sources = 1; sources < 1u << nodes; ++sources)
      least = std::min(least, evaluate(sources));
    ASSERT_EQ(cut.solve(), least) << "round " << round;
    unsigned taken = 0;
    for (unsigned i = 0; i < nodes; ++i)
      taken |= unsigned(cut.isOnSourceSide(ids[i])) << i;
    ASSERT_EQ(evaluate(taken), least) << "round " << round;
  }
}

} // namespace
