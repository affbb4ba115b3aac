//===- FusionCostTest.cpp - what is computed again ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Fusion/FusionCost.h"
#include "FusionGraphs.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace prec;
using namespace prec::test;

namespace {

constexpr int64_t kMega = 1 << 20, kMany = 64 * kMega;

TEST(FusionCost, WhicheverTakesLongerCounts) {
  int64_t launch = estimateCost(getMachine(), {});
  EXPECT_GT(launch, 0);
  EXPECT_EQ(estimateCost(getMachine(), {kMega, 0}), launch + kMega);
  EXPECT_EQ(estimateCost(getMachine(), {kMega, kMega}), launch + kMega);
  EXPECT_GT(estimateCost(getMachine(), {kMega, 100 * kMega}), launch + kMega);
}

TEST(FusionCost, TheLastBlocksAreWaitedFor) {
  int64_t many = estimateCost(getMachine(), {kMany, 0});
  EXPECT_GT(estimateCost(getMachine(), {kMany, 0, 256}), many);
  EXPECT_GT(estimateCost(getMachine(), {kMany, 0, 128}),
            estimateCost(getMachine(), {kMany, 0, 256}));
}

/// The fastest of 128, 256, 512 and 1,024 groups of an H200, with the kernel
/// that sums theirs: benchmarks/results/kernels.json.
TEST(FusionCost, GroupsAreThoseThatAGpuIsFastestWith) {
  struct Matrix {
    int64_t rows, columns;
    std::vector<int64_t> fastest;
  };
  for (const Matrix &it :
       {Matrix{32768, 768, {512}}, Matrix{16384, 1024, {256}},
        Matrix{16384, 2048, {256, 512}}, Matrix{16384, 4096, {256}},
        Matrix{8192, 4096, {256}}}) {
    int64_t best = 128;
    auto costOf = [&](int64_t groups) {
      return estimateGroupedColumns(getMachine(), 4 * it.rows * it.columns,
                                    groups, 4 * it.columns);
    };
    for (int64_t groups : {256, 512, 1024})
      if (costOf(groups) < costOf(best))
        best = groups;
    EXPECT_TRUE(llvm::is_contained(it.fastest, best))
        << it.rows << "x" << it.columns << ": " << best;
  }
}

TEST(FusionCost, ComputingAgainSavesTheKernelThatStores) {
  KernelWork copy{4 * kMany, kMany};
  EXPECT_TRUE(isCheaperAgain(getMachine(), {copy, true, {copy}, {copy}}));
}

TEST(FusionCost, ALittleCheaperIsNotEnough) {
  KernelWork small{kMega, 0}, large{64 * kMega, 0};
  EXPECT_FALSE(isCheaperAgain(getMachine(), {small, false, {large}, {large}}));
  // A launch is worth it among small ones only.
  EXPECT_FALSE(isCheaperAgain(getMachine(), {small, true, {large}, {large}}));
  EXPECT_TRUE(isCheaperAgain(getMachine(), {small, true, {small}, {small}}));
}

TEST(FusionCost, LongComputationsAreStored) {
  KernelWork stores{4 * kMany, 10 * kMany}, reads{4 * kMany, 0};
  KernelWork once{4 * kMany, 10 * kMany}, often{4 * kMany, 100 * kMany};
  EXPECT_TRUE(isCheaperAgain(getMachine(), {stores, true, {reads}, {once}}));
  EXPECT_FALSE(isCheaperAgain(getMachine(), {stores, true, {reads}, {often}}));
}

TEST(FusionCost, ManyReadersOfMoreBytesAreServedFromMemory) {
  KernelWork stores{6 * kMany, 0}, reads{4 * kMany, 0}, again{6 * kMany, 0};
  EXPECT_TRUE(isCheaperAgain(getMachine(), {stores, true, {reads}, {again}}));
  std::vector<KernelWork> of(8, reads), anew(8, again);
  EXPECT_FALSE(isCheaperAgain(getMachine(), {stores, true, of, anew}));
}

TEST(FusionCost, JoinsTheUnitThatSavesMostBytes) {
  for (bool isWide : {false, true}) {
    GraphBuilder graph;
    unsigned x = graph.source(kMany), y = graph.source(kMany);
    graph.nodes[x].bits = graph.nodes[y].bits = isWide ? 32 : 4;
    unsigned first = graph.add(NodeKind::Barrier, {}, kMany);
    unsigned a = graph.store(graph.elementwise({first}, kMany));
    unsigned second = graph.add(NodeKind::Barrier, {{a, Access::Same}}, kMany);
    unsigned b = graph.store(graph.elementwise({second, x, y}, kMany));
    // What computes `a` saves a read of it, what computes `b` one of two
    // others.
    unsigned c = graph.store(graph.elementwise({a, x, y}, kMany));
    EXPECT_EQ(rootsOf(graph), isWide ? (Units{{first}, {a}, {second}, {b, c}})
                                     : (Units{{first}, {a, c}, {second}, {b}}))
        << isWide;
  }
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
