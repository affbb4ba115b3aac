//===- FusionCostTest.cpp - what is computed again ------------------------===//
#include "../../lib/Schedule/FusionCost.h"
#include "FusionGraphs.h"

#include "gtest/gtest.h"

using namespace mlir::prec;
using namespace mlir::prec::test;

namespace {

constexpr int64_t kMega = 1 << 20, kMany = 64 * kMega;

TEST(FusionCost, WhicheverTakesLongerCounts) {
  int64_t launch = estimateCost({});
  EXPECT_GT(launch, 0);
  EXPECT_EQ(estimateCost({kMega, 0}), launch + kMega);
  EXPECT_EQ(estimateCost({kMega, kMega}), launch + kMega);
  EXPECT_GT(estimateCost({kMega, 100 * kMega}), launch + kMega);
}

TEST(FusionCost, ComputingAgainSavesTheKernelThatStores) {
  KernelWork copy{4 * kMany, kMany};
  EXPECT_TRUE(isCheaperAgain({copy, true, {copy}, {copy}}));
}

TEST(FusionCost, ALittleCheaperIsNotEnough) {
  KernelWork small{kMega, 0}, large{64 * kMega, 0};
  EXPECT_FALSE(isCheaperAgain({small, false, {large}, {large}}));
  // A launch is worth it among small ones only.
  EXPECT_FALSE(isCheaperAgain({small, true, {large}, {large}}));
  EXPECT_TRUE(isCheaperAgain({small, true, {small}, {small}}));
}

TEST(FusionCost, LongComputationsAreStored) {
  KernelWork stores{4 * kMany, 10 * kMany}, reads{4 * kMany, 0};
  KernelWork once{4 * kMany, 10 * kMany}, often{4 * kMany, 100 * kMany};
  EXPECT_TRUE(isCheaperAgain({stores, true, {reads}, {once}}));
  EXPECT_FALSE(isCheaperAgain({stores, true, {reads}, {often}}));
}

TEST(FusionCost, ManyReadersOfMoreBytesAreServedFromMemory) {
  KernelWork stores{6 * kMany, 0}, reads{4 * kMany, 0}, again{6 * kMany, 0};
  EXPECT_TRUE(isCheaperAgain({stores, true, {reads}, {again}}));
  std::vector<KernelWork> of(8, reads), anew(8, again);
  EXPECT_FALSE(isCheaperAgain({stores, true, of, anew}));
}

/// A product with its bias, rounded, and two readers of that in another order.
struct Biased : GraphBuilder {
  explicit Biased(Access access = Access::Other)
      : product(add(NodeKind::Barrier, {}, kMega)), bias(source(1024)),
        rounded(add(NodeKind::Elementwise,
                    {{product, Access::Same}, {bias, Access::Other}}, kMega)) {
    nodes[rounded].rounding = true;
    for (int i = 0; i < 2; ++i)
      readers.push_back(
          store(add(NodeKind::Layout, {{rounded, access}}, kMega)));
  }
  unsigned product, bias, rounded;
  std::vector<unsigned> readers;
};

TEST(FusionCost, WhatIsReadInAnotherOrderIsRoundedThere) {
  Biased graph;
  EXPECT_EQ(rootsOf(graph),
            (Units{{graph.product}, {graph.readers[0]}, {graph.readers[1]}}));
}

TEST(FusionCost, WhatIsReadInOrderIsRoundedOnce) {
  Biased graph(Access::Same);
  EXPECT_EQ(rootsOf(graph),
            (Units{{graph.product},
                   {graph.rounded, graph.readers[0], graph.readers[1]}}));
}

TEST(FusionCost, WhatMemoryHoldsAnywayIsRoundedOnce) {
  enum Reason { Stored, Later, OfTwo, Wider };
  for (Reason reason : {Stored, Later, OfTwo, Wider}) {
    Biased graph;
    if (reason == Stored)
      graph.store(graph.rounded);
    if (reason == Later)
      graph.inPhase(1, graph.readers[1]);
    // Both would be read by both readers.
    if (reason == OfTwo)
      graph.nodes[graph.bias].elements = kMega;
    if (reason == Wider)
      graph.nodes[graph.product].bits = 64;
    EXPECT_EQ(rootsOf(graph), (Units{{graph.product},
                                     {graph.rounded},
                                     {graph.readers[0]},
                                     {graph.readers[1]}}))
        << reason;
  }
}

} // namespace
