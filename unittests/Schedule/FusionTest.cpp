//===- FusionTest.cpp - which primitives share a kernel -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FusionGraphs.h"

#include "gtest/gtest.h"

using namespace prec;
using namespace prec::test;

namespace {

std::vector<UnitKind> kindsOf(const GraphBuilder &graph) {
  std::vector<UnitKind> kinds;
  for (const FusionUnit &unit : formUnits(graph.nodes).units)
    kinds.push_back(unit.kind);
  return kinds;
}

constexpr int64_t kRows = 4, kColumns = 8, kElements = kRows * kColumns;
/// Of elements, so that strangers do not share a launch.
constexpr int64_t kMany = 1 << 17;

TEST(Fusion, NothingToCompute) {
  GraphBuilder graph;
  EXPECT_EQ(rootsOf(graph), Units());
  graph.source(kElements);
  EXPECT_EQ(rootsOf(graph), Units());
}

TEST(Fusion, UnusedExpressionsAreNotComputed) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  graph.elementwise({x}, kElements);
  EXPECT_EQ(rootsOf(graph), Units());
}

TEST(Fusion, ChainOfElementwiseIsOneUnit) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned a = graph.elementwise({x}, kElements);
  unsigned b = graph.elementwise({a, x}, kElements);
  unsigned c = graph.store(graph.elementwise({b}, kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{c}}));
}

TEST(Fusion, StoredValueAndItsReaderShareAUnit) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned a = graph.store(graph.elementwise({x}, kElements));
  unsigned b = graph.store(graph.elementwise({a}, kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{a, b}}));
}

TEST(Fusion, ReadersOfOneSourceShareAUnit) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned a = graph.store(graph.elementwise({x}, kElements));
  unsigned b = graph.store(graph.elementwise({x}, kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{a, b}}));
}

TEST(Fusion, StrangersDoNotShareAUnit) {
  GraphBuilder graph;
  unsigned x = graph.source(kMany), y = graph.source(kMany);
  unsigned a = graph.store(graph.elementwise({x}, kMany));
  unsigned b = graph.store(graph.elementwise({y}, kMany));
  EXPECT_EQ(rootsOf(graph), (Units{{a}, {b}}));
}

TEST(Fusion, OtherExtentsDoNotShareAUnit) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements), y = graph.source(2 * kElements);
  unsigned a = graph.store(graph.elementwise({x}, kElements));
  // Twice the elements, each of `a` read twice.
  unsigned b = graph.store(graph.add(NodeKind::Elementwise,
                                     {{y, Access::Same}, {a, Access::Other}},
                                     2 * kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{a}, {b}}));
}

TEST(Fusion, APrefixWalksAnotherSpace) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned a = graph.store(graph.elementwise({x}, kElements));
  unsigned b = graph.store(graph.elementwise({x}, kElements / 2));
  EXPECT_EQ(rootsOf(graph), (Units{{a}, {b}}));
}

TEST(Fusion, NormalizationIsOneRowUnit) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements), gamma = graph.source(kColumns);
  unsigned square = graph.elementwise({x, x}, kElements);
  unsigned sum = graph.rowReduce(square, kRows, kColumns);
  unsigned rstd = graph.store(graph.elementwise({sum}, kRows));
  unsigned y = graph.store(graph.add(
      NodeKind::Elementwise,
      {{x, Access::Same}, {rstd, Access::Row}, {gamma, Access::Other}},
      kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{sum, rstd, y}}));
  EXPECT_EQ(kindsOf(graph), (std::vector{UnitKind::Row}));
}

TEST(Fusion, SoftmaxIsOneRowUnitOfTwoReductions) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned max = graph.rowReduce(x, kRows, kColumns);
  unsigned shifted =
      graph.add(NodeKind::Elementwise, {{x, Access::Same}, {max, Access::Row}},
                kElements);
  unsigned exp = graph.elementwise({shifted}, kElements);
  unsigned sum = graph.rowReduce(exp, kRows, kColumns);
  unsigned y = graph.store(graph.add(NodeKind::Elementwise,
                                     {{exp, Access::Same}, {sum, Access::Row}},
                                     kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{max, sum, y}}));
}

TEST(Fusion, RowsOfOtherLengthsDoNotShareAUnit) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned a = graph.rowReduce(x, kRows, kColumns);
  unsigned b = graph.rowReduce(x, 2 * kRows, kColumns / 2);
  graph.store(a), graph.store(b);
  EXPECT_EQ(rootsOf(graph), (Units{{a}, {b}}));
}

TEST(Fusion, ColumnReductionOpensAUnit) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned y = graph.store(graph.elementwise({x}, kElements));
  unsigned sum =
      graph.add(NodeKind::ColumnReduce, {{x, Access::Other}}, kColumns, kRows);
  // What follows on its result is computed with it.
  unsigned half = graph.store(graph.elementwise({sum}, kColumns));
  EXPECT_EQ(rootsOf(graph), (Units{{y}, {sum, half}}));
  EXPECT_EQ(kindsOf(graph),
            (std::vector{UnitKind::Elementwise, UnitKind::Column}));
}

TEST(Fusion, ColumnReductionJoinsNoUnit) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned y = graph.store(graph.elementwise({x}, kElements));
  unsigned sum =
      graph.add(NodeKind::ColumnReduce, {{x, Access::Same}}, kColumns, kRows);
  unsigned ofY =
      graph.add(NodeKind::ColumnReduce, {{y, Access::Same}}, kColumns, kRows);
  EXPECT_EQ(rootsOf(graph), (Units{{y}, {sum}, {ofY}}));
}

TEST(Fusion, RowReductionDoesNotJoinAColumnUnit) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned columns =
      graph.add(NodeKind::ColumnReduce, {{x, Access::Other}}, kColumns, kRows);
  unsigned sum = graph.rowReduce(columns, 1, kColumns);
  EXPECT_EQ(rootsOf(graph), (Units{{columns}, {sum}}));
}

TEST(Fusion, BarriersAreAlone) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned before = graph.store(graph.elementwise({x}, kElements));
  unsigned call =
      graph.add(NodeKind::Barrier, {{before, Access::Other}}, kElements);
  unsigned second =
      graph.add(NodeKind::Barrier, {{call, Access::Other}}, kElements);
  unsigned after = graph.store(graph.elementwise({second}, kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{before}, {call}, {second}, {after}}));
}

TEST(Fusion, NothingFusesAcrossABarrier) {
  // `last` reads what `first` reads, and what the call made of `first`: in one
  // unit with `first` it would have to run before and after the call.
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned first = graph.store(graph.elementwise({x}, kElements));
  unsigned call =
      graph.add(NodeKind::Barrier, {{first, Access::Other}}, kElements);
  unsigned last = graph.store(graph.elementwise({x, call}, kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{first}, {call}, {last}}));
}

TEST(Fusion, ADetourThroughAnotherUnitIsNoCycle) {
  // first -> columns -> last, and first -> last: joining last with first would
  // make two units wait for each other.
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned first = graph.store(graph.elementwise({x}, kElements));
  unsigned columns = graph.add(NodeKind::ColumnReduce, {{first, Access::Other}},
                               kColumns, kRows);
  unsigned last = graph.store(
      graph.add(NodeKind::Elementwise,
                {{first, Access::Same}, {columns, Access::Other}}, kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{first}, {columns}, {last}}));
}

TEST(Fusion, AnotherOrderOfElementsIsReadFromMemory) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned a = graph.store(graph.elementwise({x}, kElements));
  unsigned b = graph.store(graph.add(NodeKind::Elementwise,
                                     {{a, Access::Other}, {x, Access::Same}},
                                     kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{a}, {b}}));
}

TEST(Fusion, ARowValueIsNotReadAsAFullOne) {
  // A reduction's result read by the linear index of another row value joins;
  // read out of step it does not.
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned sum = graph.rowReduce(x, kRows, kColumns);
  unsigned inStep = graph.store(graph.elementwise({sum}, kRows));
  unsigned outOfStep = graph.store(
      graph.add(NodeKind::Elementwise, {{sum, Access::Other}}, kRows));
  EXPECT_EQ(rootsOf(graph), (Units{{sum, inStep}, {outOfStep}}));
}

TEST(Fusion, TransposeWritesBothLayoutsFromOneRead) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned rounded = graph.store(graph.round({x}, kElements));
  unsigned turned =
      graph.add(NodeKind::Transpose, {{rounded, Access::Other}}, kElements);
  EXPECT_EQ(rootsOf(graph), (Units{{rounded, turned}}));
  EXPECT_EQ(kindsOf(graph), (std::vector{UnitKind::Transpose}));
}

TEST(Fusion, NothingJoinsATranspose) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned turned =
      graph.add(NodeKind::Transpose, {{x, Access::Other}}, kElements);
  unsigned after = graph.store(graph.elementwise({turned}, kElements));
  unsigned beside = graph.store(graph.elementwise({x}, kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{turned}, {after}, {beside}}));
}

TEST(Fusion, WhatNobodyWaitsForMayStartLater) {
  // Joined with the first reader of x, the last would have to start before the
  // columns are summed, had anybody read the first.
  for (bool isRead : {false, true}) {
    GraphBuilder graph;
    unsigned x = graph.source(kElements);
    unsigned first = graph.store(graph.elementwise({x}, kElements));
    unsigned y = graph.source(kElements);
    unsigned columns =
        graph.add(NodeKind::ColumnReduce, {{isRead ? first : y, Access::Other}},
                  kColumns, kRows);
    unsigned last = graph.store(
        graph.add(NodeKind::Elementwise,
                  {{x, Access::Same}, {columns, Access::Other}}, kElements));
    EXPECT_EQ(rootsOf(graph), isRead ? (Units{{first}, {columns}, {last}})
                                     : (Units{{first, last}, {columns}}));
  }
}

TEST(Fusion, WorkForALaterPhaseDoesNotDelayAnEarlierOne) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements), y = graph.source(kElements);
  unsigned first = graph.store(graph.elementwise({x}, kElements));
  unsigned columns =
      graph.add(NodeKind::ColumnReduce, {{y, Access::Other}}, kColumns, kRows);
  unsigned last = graph.store(
      graph.add(NodeKind::Elementwise,
                {{x, Access::Same}, {columns, Access::Other}}, kElements));
  graph.nodes[last].phase = 1;
  EXPECT_EQ(rootsOf(graph), (Units{{first}, {columns}, {last}}));
}

TEST(Fusion, TransposeDoesNotJoinARowUnit) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned sum = graph.store(graph.rowReduce(x, kRows, kColumns));
  unsigned y = graph.store(graph.add(NodeKind::Elementwise,
                                     {{x, Access::Same}, {sum, Access::Row}},
                                     kElements));
  unsigned turned =
      graph.add(NodeKind::Transpose, {{y, Access::Other}}, kElements);
  EXPECT_EQ(rootsOf(graph), (Units{{sum, y}, {turned}}));
}

TEST(Fusion, TilesAndBothLayoutsOfPartsComeFromOneRead) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned a = graph.round({x}, kElements);
  unsigned largestA = graph.tileReduce(a, kRows, kColumns);
  unsigned b = graph.round({x}, kElements);
  unsigned largestB = graph.tileReduce(b, kRows, kColumns);
  unsigned both = graph.store(graph.join({a, b}));
  unsigned turned = graph.transpose(both, 2 * kColumns);
  unsigned after = graph.store(graph.elementwise({turned}, 2 * kElements));
  EXPECT_EQ(rootsOf(graph),
            (Units{{a, largestA, b, largestB, both, turned}, {after}}));
  EXPECT_EQ(kindsOf(graph),
            (std::vector{UnitKind::Transpose, UnitKind::Elementwise}));
}

TEST(Fusion, PartsAreJoinedWhereTheyAreComputed) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements), y = graph.source(kElements);
  unsigned a = graph.round({x, y}, kElements);
  unsigned b = graph.round({x}, kElements);
  unsigned both = graph.store(graph.join({a, b}));
  unsigned after = graph.store(graph.elementwise({both}, 2 * kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{a, b, both}, {after}}));
  EXPECT_EQ(kindsOf(graph),
            (std::vector{UnitKind::Elementwise, UnitKind::Elementwise}));
}

TEST(Fusion, RowsOfWhatIsJoinedOfPartsAreReducedWithThem) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned a = graph.round({x}, kElements), b = graph.round({x}, kElements);
  unsigned both = graph.store(graph.join({a, b}));
  unsigned sums = graph.store(graph.rowReduce(a, kRows, kColumns));
  unsigned tiles = graph.tileReduce(b, kRows, kColumns);
  EXPECT_EQ(rootsOf(graph), (Units{{a, b, both, sums}, {tiles}}));
}

TEST(Fusion, AUnitWaitsToShareAReadOfManyElementsOnly) {
  for (int64_t rows : {int64_t(1) << 10, int64_t(1) << 20}) {
    GraphBuilder graph;
    unsigned labels = graph.source(rows);
    unsigned sums = graph.rowReduce(graph.source(4 * rows), rows, 4);
    unsigned losses = graph.elementwise({sums, labels}, rows);
    unsigned total = graph.store(graph.rowReduce(losses, 1, rows));
    unsigned count = graph.store(graph.rowReduce(labels, 1, rows));
    EXPECT_EQ(rootsOf(graph), rows < (1 << 20)
                                  ? (Units{{sums}, {total}, {count}})
                                  : (Units{{sums}, {total, count}}));
  }
}

TEST(Fusion, RowsTooLongToHoldAreNotReadAgainForTiles) {
  for (int64_t columns : {int64_t(1) << 10, int64_t(1) << 16}) {
    GraphBuilder graph;
    unsigned x = graph.source(4 * columns);
    unsigned sums = graph.store(graph.rowReduce(x, 4, columns));
    unsigned y = graph.store(graph.add(NodeKind::Elementwise,
                                       {{x, Access::Same}, {sums, Access::Row}},
                                       4 * columns));
    unsigned turned = graph.transpose(y, columns);
    EXPECT_EQ(rootsOf(graph), columns < (1 << 16)
                                  ? (Units{{sums, y}, {turned}})
                                  : (Units{{sums}, {y, turned}}));
  }
}

TEST(Fusion, TilesOfWhatNeedsItsRowAreAUnitOfTheirOwn) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned sum = graph.rowReduce(x, kRows, kColumns);
  unsigned y = graph.store(graph.add(NodeKind::Elementwise,
                                     {{x, Access::Same}, {sum, Access::Row}},
                                     kElements));
  unsigned largest = graph.tileReduce(y, kRows, kColumns);
  EXPECT_EQ(rootsOf(graph), (Units{{sum, y}, {largest}}));
}

TEST(Fusion, SharedMemoryHoldsThreeTransposedMatrices) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  std::vector<unsigned> roots;
  for (int i = 0; i < 4; ++i)
    roots.push_back(graph.round({x}, kElements));
  unsigned largest = graph.tileReduce(roots[0], kRows, kColumns);
  std::vector<unsigned> turned;
  for (unsigned root : roots)
    turned.push_back(graph.transpose(root, kColumns));
  EXPECT_EQ(rootsOf(graph), (Units{{roots[0], roots[1], roots[2], roots[3],
                                    largest, turned[0], turned[1], turned[2]},
                                   {turned[3]}}));
}

TEST(Fusion, TransposeJoinsAllThatItsValueIsRoundedFrom) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned rounded = graph.round({x}, kElements);
  unsigned narrow = graph.round({rounded}, kElements);
  unsigned turned = graph.transpose(narrow, kColumns);
  EXPECT_EQ(rootsOf(graph), (Units{{rounded, narrow, turned}}));
}

TEST(Fusion, TransposeJoinsNoUnitThatComputesMore) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned narrow = graph.round({x}, kElements);
  unsigned beside = graph.store(graph.elementwise({x}, kElements));
  unsigned turned = graph.transpose(narrow, kColumns);
  EXPECT_EQ(rootsOf(graph), (Units{{narrow, beside}, {turned}}));
}

TEST(Fusion, OtherRowsDoNotShareTiles) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned a = graph.tileReduce(x, kRows, kColumns);
  unsigned b = graph.tileReduce(x, kColumns, kRows);
  unsigned turned = graph.transpose(x, kColumns);
  EXPECT_EQ(rootsOf(graph), (Units{{a}, {b}, {turned}}));
}

TEST(Fusion, RoundingsAreComputedOnce) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned rounded = graph.round({x}, kElements);
  unsigned a = graph.store(graph.elementwise({rounded}, kElements));
  unsigned b = graph.store(graph.elementwise({rounded}, kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{rounded, a, b}}));
}

TEST(Fusion, ARoundingOfAKeptValueIsComputedAgainInALaterPhase) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned rounded = graph.round({x}, kElements);
  unsigned forward = graph.store(graph.elementwise({rounded}, kElements));
  unsigned other = graph.source(kElements);
  unsigned backward = graph.inPhase(
      1, graph.store(graph.elementwise({rounded, other}, kElements)));
  EXPECT_EQ(rootsOf(graph), (Units{{forward, backward}}));
}

TEST(Fusion, ARoundingOfWhatIsNotKeptIsKept) {
  // Computed again it would read two values instead of itself.
  GraphBuilder graph;
  unsigned x = graph.source(kElements), y = graph.source(kElements);
  unsigned rounded = graph.round({x, y}, kElements);
  unsigned forward = graph.store(graph.elementwise({rounded}, kElements));
  unsigned backward =
      graph.inPhase(1, graph.store(graph.elementwise({rounded}, kElements)));
  EXPECT_EQ(rootsOf(graph), (Units{{rounded, forward, backward}}));
}

TEST(Fusion, WorkForALaterPhaseIsStored) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  auto chain = [&](unsigned length) {
    unsigned last = x;
    for (unsigned i = 0; i < length; ++i)
      last = graph.elementwise({last}, kElements);
    graph.inPhase(1, graph.store(graph.elementwise({last}, kElements)));
    return last;
  };
  unsigned cheap = chain(2), costly = chain(3);
  FusionResult result = formUnits(graph.nodes);
  EXPECT_EQ(findViolation(graph.nodes, result), "");
  EXPECT_EQ(result.unitOf[cheap], -1);
  EXPECT_GE(result.unitOf[costly], 0);
}

TEST(Fusion, LongExpressionsAreStored) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements), last = x;
  for (unsigned i = 0; i < 100; ++i)
    last = graph.elementwise({last}, kElements);
  unsigned y = graph.store(graph.elementwise({last}, kElements));
  unsigned call = graph.add(NodeKind::Barrier, {{last, Access::Other}}, 1);
  (void)call;
  FusionResult result = formUnits(graph.nodes);
  EXPECT_EQ(findViolation(graph.nodes, result), "");
  // Each third of it is a root beside what memory must hold.
  EXPECT_EQ(result.units.front().roots.size(), 5u);
  EXPECT_EQ(result.unitOf[y], 0);
}

TEST(Fusion, RepeatedWorkIsStored) {
  // Each row value is needed in every column: two operations are worth it.
  GraphBuilder graph;
  unsigned rows = graph.source(kRows), x = graph.source(kElements);
  unsigned one = graph.elementwise({rows}, kRows);
  unsigned two = graph.elementwise({one}, kRows);
  auto spread = [&](unsigned value) {
    return graph.store(graph.add(NodeKind::Elementwise,
                                 {{x, Access::Same}, {value, Access::Row}},
                                 kElements));
  };
  unsigned cheap = spread(one), costly = spread(two);
  FusionResult result = formUnits(graph.nodes);
  EXPECT_EQ(findViolation(graph.nodes, result), "");
  EXPECT_EQ(result.unitOf[one], -1);
  EXPECT_GE(result.unitOf[two], 0);
  EXPECT_NE(result.unitOf[two], result.unitOf[cheap]);
  EXPECT_GE(result.unitOf[costly], 0);
}

TEST(Fusion, WorkThatIsRepeatedBehindAReshapeIsStored) {
  GraphBuilder graph;
  unsigned rows = graph.source(kRows), x = graph.source(kElements);
  unsigned one = graph.elementwise({rows}, kRows);
  unsigned two = graph.elementwise({one}, kRows);
  unsigned reshaped = graph.add(NodeKind::Layout, {{two, Access::Same}}, kRows);
  graph.store(graph.add(NodeKind::Elementwise,
                        {{x, Access::Same}, {reshaped, Access::Row}},
                        kElements));
  FusionResult result = formUnits(graph.nodes);
  EXPECT_EQ(findViolation(graph.nodes, result), "");
  EXPECT_GE(result.unitOf[two], 0);
}

TEST(Fusion, AUnitWritesALimitedNumberOfTensors) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  for (unsigned i = 0; i < 40; ++i)
    graph.store(graph.elementwise({x}, kElements));
  Units units = rootsOf(graph);
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[0].size(), 16u);
  EXPECT_EQ(units[1].size(), 16u);
  EXPECT_EQ(units[2].size(), 8u);
}

TEST(Fusion, PiecesOfOneCallAreReadAsWholeValues) {
  // Two results of each piece share a kernel, as if it were a value of its own.
  GraphBuilder graph;
  unsigned call = graph.add(NodeKind::Barrier, {}, 2 * kMany);
  Units expected = {{call}};
  for (unsigned i = 0; i < 2; ++i) {
    unsigned piece =
        graph.add(NodeKind::Layout, {{call, Access::Other}}, kMany);
    graph.nodes[piece].piece = true;
    unsigned first = graph.store(graph.elementwise({piece}, kMany));
    unsigned second = graph.store(graph.elementwise({piece}, kMany));
    expected.push_back({first, second});
  }
  EXPECT_EQ(rootsOf(graph), expected);
}

TEST(Fusion, PiecesAreReadThroughReshapes) {
  GraphBuilder graph;
  unsigned both = graph.source(2 * kElements);
  unsigned reshaped =
      graph.add(NodeKind::Layout, {{both, Access::Same}}, 2 * kElements);
  unsigned piece =
      graph.add(NodeKind::Layout, {{reshaped, Access::Other}}, kElements);
  graph.nodes[piece].piece = true;
  unsigned first = graph.store(graph.elementwise({piece}, kElements));
  unsigned second = graph.store(graph.elementwise({piece}, kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{first, second}}));
}

TEST(Fusion, DepthCountsUnitsInFront) {
  GraphBuilder graph;
  unsigned last = graph.source(kElements);
  for (unsigned i = 0; i < 5; ++i)
    last = graph.add(NodeKind::Barrier, {{last, Access::Other}}, kElements);
  FusionResult result = formUnits(graph.nodes);
  for (unsigned i = 0; i < 5; ++i)
    EXPECT_EQ(result.units[i].depth, i + 1);
}

/// A norm of `kRows` rows whose halves are exchanged, as far as `rows` go.
struct MovedNorm : GraphBuilder {
  explicit MovedNorm(int64_t rows) : x(source(kElements)) {
    int64_t columns = kElements / kRows;
    sum = rowReduce(x, kRows, columns);
    norm = add(NodeKind::Elementwise, {{x, Access::Same}, {sum, Access::Row}},
               kElements);
    nodes[norm].rounding = true;
    unsigned low =
        add(NodeKind::Layout, {{norm, Access::Other, rows}}, kElements / 2);
    unsigned high =
        add(NodeKind::Layout, {{norm, Access::Other, rows}}, kElements / 2);
    unsigned joined =
        add(NodeKind::Layout,
            {{high, Access::Part, rows}, {low, Access::Part, rows}}, kElements);
    moved = store(round({joined}, kElements));
  }
  unsigned x, sum, norm, moved;
};

TEST(Fusion, ANormIsComputedAgainWhereItsRowsAreMoved) {
  for (int64_t parts : {1, 4}) {
    MovedNorm graph(parts * kRows);
    EXPECT_EQ(rootsOf(graph), (Units{{graph.sum, graph.moved}})) << parts;
  }
}

TEST(Fusion, ANormIsStoredWhereOtherRowsReadIt) {
  MovedNorm graph(kRows / 2);
  EXPECT_EQ(rootsOf(graph), (Units{{graph.sum, graph.norm}, {graph.moved}}));
}

TEST(Fusion, ANormThatSomethingElseReadsIsStored) {
  MovedNorm graph(kRows);
  graph.add(NodeKind::Barrier, {{graph.norm, Access::Other}}, kElements);
  graph.store(graph.norm);
  FusionResult result = formUnits(graph.nodes);
  EXPECT_EQ(result.unitOf[graph.norm], result.unitOf[graph.sum]);
  EXPECT_NE(result.unitOf[graph.norm], result.unitOf[graph.moved]);
}

} // namespace
