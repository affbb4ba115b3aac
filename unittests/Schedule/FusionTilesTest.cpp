//===- FusionTilesTest.cpp - matrices put together in tiles ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FusionGraphs.h"

#include "gtest/gtest.h"

using namespace prec;
using namespace prec::test;

namespace {

/// Too many elements for strangers to share a launch.
constexpr int64_t kRows = 1024, kWide = 256, kNarrow = 128,
                  kColumns = kWide + kNarrow;

/// A wide and a narrow rounded matrix, their columns put together, and how that
/// is read.
struct Joined : GraphBuilder {
  explicit Joined(int64_t columns = kWide)
      : a(round({source(kRows * columns)}, kRows * columns)),
        b(round({source(kRows * kNarrow)}, kRows * kNarrow)) {}
  unsigned a, b;
  unsigned both = 0, largest = 0, copy = 0, turned = 0;

  void joinParts(std::vector<unsigned> parts) { both = joinColumns(parts); }
  void joinParts() { joinParts({a, b}); }
  void reduceTiles() {
    unsigned magnitude = elementwise({both}, nodes[both].elements);
    largest = tileReduce(magnitude, kRows, nodes[both].elements / kRows);
  }
  void copyInBothLayouts() {
    copy = store(round({both}, nodes[both].elements));
    nodes[copy].narrow = true;
    turned = transpose(copy, nodes[both].elements / kRows);
  }
};

TEST(FusionTiles, WhatIsPutTogetherIsComputedInThem) {
  Joined graph;
  graph.joinParts();
  graph.reduceTiles();
  graph.copyInBothLayouts();
  EXPECT_EQ(rootsOf(graph),
            (Units{{graph.both, graph.largest, graph.copy, graph.turned}}));
  FusionUnit unit = formUnits(graph.nodes).units.front();
  EXPECT_EQ(unit.kind, UnitKind::Transpose);
  EXPECT_EQ(unit.elements, kRows * kColumns);
  EXPECT_EQ(unit.columns, kColumns);
}

TEST(FusionTiles, OneReaderInTilesIsEnough) {
  Joined reduced;
  reduced.joinParts();
  reduced.reduceTiles();
  EXPECT_EQ(rootsOf(reduced), (Units{{reduced.both, reduced.largest}}));
  Joined turned;
  turned.joinParts();
  turned.copyInBothLayouts();
  EXPECT_EQ(rootsOf(turned),
            (Units{{turned.both, turned.copy, turned.turned}}));
}

TEST(FusionTiles, PartsMayBeEquallyWide) {
  Joined graph(kNarrow);
  graph.joinParts();
  graph.reduceTiles();
  graph.copyInBothLayouts();
  EXPECT_EQ(rootsOf(graph),
            (Units{{graph.both, graph.largest, graph.copy, graph.turned}}));
}

TEST(FusionTiles, PartsAreReshapedOnTheWay) {
  Joined graph;
  unsigned reshaped =
      graph.add(NodeKind::Layout, {{graph.a, Access::Same}}, kRows * kWide);
  graph.joinParts(
      {graph.add(NodeKind::Layout, {{reshaped, Access::Same}}, kRows * kWide),
       graph.b});
  graph.reduceTiles();
  EXPECT_EQ(rootsOf(graph), (Units{{graph.both, graph.largest}}));
}

TEST(FusionTiles, PartsInAnotherOrderAreComputedInTiles) {
  Joined graph;
  graph.joinParts(
      {graph.add(NodeKind::Layout, {{graph.a, Access::Other}}, kRows * kWide),
       graph.b});
  graph.reduceTiles();
  EXPECT_EQ(rootsOf(graph), (Units{{graph.both, graph.largest}}));
}

TEST(FusionTiles, APartThatSomethingElseReadsStaysInMemory) {
  enum Reader { Kernel, Caller, ReaderOfReshape };
  for (Reader reader : {Kernel, Caller, ReaderOfReshape}) {
    Joined graph;
    unsigned part = graph.a;
    if (reader == ReaderOfReshape)
      part = graph.add(NodeKind::Layout, {{part, Access::Same}}, kRows * kWide);
    graph.joinParts({part, graph.b});
    graph.reduceTiles();
    std::vector<unsigned> rows = {graph.a};
    if (reader == Caller)
      graph.store(graph.a);
    else
      rows.push_back(graph.store(graph.rowReduce(part, kRows, kWide)));
    // The other part is still no root of its own.
    EXPECT_EQ(rootsOf(graph), (Units{rows, {graph.both, graph.largest}}))
        << reader;
  }
}

TEST(FusionTiles, APartThatIsPutInTwiceStaysInMemory) {
  Joined graph;
  graph.joinParts({graph.a, graph.a, graph.b});
  graph.reduceTiles();
  EXPECT_EQ(rootsOf(graph), (Units{{graph.a}, {graph.both, graph.largest}}));
}

TEST(FusionTiles, NarrowCopiesPutTogetherStayInMemory) {
  for (bool isNarrow : {false, true}) {
    Joined graph;
    graph.joinParts();
    graph.nodes[graph.a].narrow = graph.nodes[graph.b].narrow = isNarrow;
    graph.nodes[graph.both].narrow = isNarrow;
    unsigned turned = graph.transpose(graph.both, kColumns);
    EXPECT_EQ(rootsOf(graph), isNarrow ? (Units{{graph.a}, {graph.b}, {turned}})
                                       : (Units{{graph.both, turned}}));
  }
}

TEST(FusionTiles, WhatIsReadInRowsIsLeftAsItWas) {
  Joined graph;
  graph.joinParts();
  unsigned sums = graph.store(graph.rowReduce(graph.both, kRows, kColumns));
  EXPECT_EQ(rootsOf(graph), (Units{{graph.a}, {graph.b}, {sums}}));
}

TEST(FusionTiles, WhatIsReadInAnotherOrderIsComputedInThatOrder) {
  for (bool isRead : {false, true}) {
    Joined graph;
    graph.joinParts();
    unsigned moved = graph.add(NodeKind::Layout, {{graph.both, Access::Other}},
                               kRows * kColumns);
    unsigned largest = graph.tileReduce(moved, kRows, kColumns);
    if (!isRead) {
      EXPECT_EQ(rootsOf(graph), (Units{{moved, largest}}));
      continue;
    }
    unsigned copy = graph.store(graph.round({graph.both}, kRows * kColumns));
    EXPECT_EQ(rootsOf(graph), (Units{{graph.both, copy}, {largest}}));
  }
}

TEST(FusionTiles, WhatIsReadThroughOneMoveSharesAUnit) {
  GraphBuilder graph;
  constexpr int64_t rows = 16 * kRows; // enough for reads to be shared
  unsigned x = graph.source(rows * kColumns);
  unsigned moved =
      graph.add(NodeKind::Layout, {{x, Access::Other}}, rows * kColumns);
  unsigned largest = graph.tileReduce(moved, rows, kColumns);
  unsigned copy = graph.store(graph.round({moved}, rows * kColumns));
  unsigned other =
      graph.add(NodeKind::Layout, {{x, Access::Other}}, rows * kColumns);
  unsigned apart = graph.store(graph.round({other}, rows * kColumns));
  EXPECT_EQ(rootsOf(graph), (Units{{largest, copy}, {apart}}));
}

TEST(FusionTiles, RowsPutTogetherAreLeftAsTheyWere) {
  Joined graph;
  graph.joinParts();
  graph.nodes[graph.both].joinsColumns = false;
  graph.reduceTiles();
  EXPECT_EQ(rootsOf(graph), (Units{{graph.a}, {graph.b}, {graph.largest}}));
}

TEST(FusionTiles, PartsThatAreNotRoundedNeedNoRoot) {
  Joined graph;
  graph.nodes[graph.a].rounding = graph.nodes[graph.b].rounding = false;
  graph.joinParts();
  graph.reduceTiles();
  EXPECT_EQ(rootsOf(graph), (Units{{graph.largest}}));
}

TEST(FusionTiles, ARoundingThatPartsReadIsComputedAgainInALaterPhase) {
  GraphBuilder graph;
  constexpr int64_t kElements = kRows * kNarrow;
  unsigned x = graph.source(kElements), y = graph.source(kElements);
  unsigned rounded = graph.round({x}, kElements);
  unsigned forward = graph.store(graph.elementwise({rounded}, kElements));
  unsigned a = graph.inPhase(1, graph.round({rounded, y}, kElements));
  unsigned b = graph.inPhase(1, graph.round({x, y}, kElements));
  unsigned both = graph.inPhase(1, graph.joinColumns({a, b}));
  unsigned magnitude = graph.elementwise({both}, 2 * kElements);
  unsigned largest = graph.inPhase(
      1, graph.tileReduce(graph.inPhase(1, magnitude), kRows, 2 * kNarrow));
  EXPECT_EQ(rootsOf(graph), (Units{{forward}, {both, largest}}));
}

/// A rounded matrix, the sums of the columns of its tiles, and how else it is
/// read.
struct Summed : GraphBuilder {
  explicit Summed(int64_t rows = 128)
      : x(source(kRows * kWide)), value(store(round({x}, kRows * kWide))),
        rows(rows) {}
  unsigned x, value;
  int64_t rows;

  unsigned sumColumns() {
    unsigned node = columnReduce(value, kRows / rows, rows, kWide);
    nodes[node].tileRows = rows;
    return node;
  }
};

TEST(FusionTiles, ColumnsAreSummedWhereTheyAreComputed) {
  Summed graph;
  unsigned sum = graph.sumColumns(), other = graph.sumColumns();
  EXPECT_EQ(rootsOf(graph), (Units{{graph.value, sum, other}}));
  FusionUnit unit = formUnits(graph.nodes).units.front();
  EXPECT_EQ(unit.kind, UnitKind::Transpose);
  EXPECT_EQ(unit.columns, kWide);
}

TEST(FusionTiles, ColumnsAreSummedBesideTheLargestElements) {
  for (int64_t rows : {128, 64}) {
    Summed graph(rows);
    unsigned largest = graph.tileReduce(graph.value, kRows, kWide);
    unsigned copy = graph.store(graph.round({graph.value}, kRows * kWide));
    graph.nodes[copy].narrow = true;
    unsigned turned = graph.transpose(copy, kWide), sum = graph.sumColumns();
    std::vector<unsigned> tiles = {graph.value, largest, copy, turned};
    // Those of other tiles have a kernel of their own.
    Units apart = {tiles, {sum}};
    tiles.push_back(sum);
    EXPECT_EQ(rootsOf(graph), rows == 128 ? Units{tiles} : apart) << rows;
  }
}

TEST(FusionTiles, MatricesAreTurnedInTilesOfEach) {
  for (int64_t rows : {kRows, kRows / 2}) {
    GraphBuilder graph;
    unsigned x = graph.source(kRows * kWide);
    unsigned value = graph.store(graph.round({x}, kRows * kWide));
    unsigned largest = graph.tileReduce(value, kRows, kWide);
    graph.nodes[largest].rows = rows;
    unsigned copy = graph.store(graph.round({value}, kRows * kWide));
    graph.nodes[copy].narrow = true;
    unsigned turned = graph.transpose(copy, kWide);
    // Tiles of the same elements, but of one matrix of twice the rows.
    Units apart = {{value, largest, copy}, {turned}};
    Units together = {{value, largest, copy, turned}};
    EXPECT_EQ(rootsOf(graph), rows == kRows ? together : apart) << rows;
  }
}

TEST(FusionTiles, NobodyInTheUnitReadsTheSums) {
  Summed graph;
  unsigned sum = graph.sumColumns();
  unsigned whole = graph.columnReduce(sum, 1, kRows / 128, kWide);
  EXPECT_EQ(rootsOf(graph), (Units{{graph.value, sum}, {whole}}));
}

TEST(FusionTiles, GroupsOfRowsThatAreNoTilesAreSummedApart) {
  Summed graph;
  unsigned sum = graph.columnReduce(graph.value, kRows / 32, 32, kWide);
  EXPECT_EQ(rootsOf(graph), (Units{{graph.value}, {sum}}));
}

} // namespace
