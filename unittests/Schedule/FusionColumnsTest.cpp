//===- FusionColumnsTest.cpp - columns of rows that are reduced -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FusionGraphs.h"

#include "gtest/gtest.h"

using namespace prec;
using namespace prec::test;

namespace {

/// The backward of a norm: rows of `x` and `dy` are reduced for `dx`, their
/// columns for the gradient of a weight.
struct Norm : GraphBuilder {
  explicit Norm(int64_t groups = 128, int64_t rows = 32, int64_t columns = 64)
      : groups(groups), rows(rows), columns(columns),
        elements(groups * rows * columns), x(source(elements)),
        dy(source(elements)) {}
  int64_t groups, rows, columns, elements;
  unsigned x, dy;
  unsigned mean = 0, dx = 0, weight = 0;

  unsigned reduceColumns(unsigned of) {
    return columnReduce(of, groups, rows, columns);
  }
  void reduceRows() {
    unsigned product = elementwise({x, dy}, elements);
    mean = rowReduce(product, groups * rows, columns);
    dx = store(add(NodeKind::Elementwise,
                   {{x, Access::Same}, {dy, Access::Same}, {mean, Access::Row}},
                   elements));
  }
  void sumColumns() { weight = reduceColumns(elementwise({x, dy}, elements)); }
};

UnitKind kindOfFirst(const GraphBuilder &graph) {
  return formUnits(graph.nodes).units.front().kind;
}

TEST(FusionColumns, AreReducedWithTheirRows) {
  Norm graph;
  graph.reduceRows();
  graph.sumColumns();
  EXPECT_EQ(rootsOf(graph), (Units{{graph.mean, graph.dx, graph.weight}}));
  EXPECT_EQ(kindOfFirst(graph), UnitKind::Row);
}

TEST(FusionColumns, RowsAreReducedWithTheirColumns) {
  Norm graph;
  graph.sumColumns();
  unsigned bias = graph.reduceColumns(graph.dy);
  graph.reduceRows();
  EXPECT_EQ(rootsOf(graph),
            (Units{{graph.weight, bias, graph.mean, graph.dx}}));
  FusionUnit unit = formUnits(graph.nodes).units.front();
  EXPECT_EQ(unit.kind, UnitKind::Row);
  EXPECT_EQ(unit.elements, graph.elements);
  EXPECT_EQ(unit.columns, graph.columns);
}

TEST(FusionColumns, OfWhatTheUnitComputesAreReducedInIt) {
  Norm graph;
  graph.reduceRows();
  unsigned scaled = graph.add(
      NodeKind::Elementwise,
      {{graph.dx, Access::Same}, {graph.mean, Access::Row}}, graph.elements);
  unsigned sum = graph.reduceColumns(scaled);
  EXPECT_EQ(rootsOf(graph), (Units{{graph.mean, graph.dx, sum}}));
}

TEST(FusionColumns, NobodyInTheUnitReadsThem) {
  Norm graph;
  graph.reduceRows();
  graph.sumColumns();
  unsigned half = graph.store(
      graph.elementwise({graph.weight}, graph.groups * graph.columns));
  unsigned whole =
      graph.columnReduce(graph.weight, 1, graph.groups, graph.columns);
  EXPECT_EQ(rootsOf(graph),
            (Units{{graph.mean, graph.dx, graph.weight}, {half}, {whole}}));
}

TEST(FusionColumns, ThatAreReadWhereTheyAreReducedKeepTheirUnit) {
  Norm graph;
  graph.sumColumns();
  unsigned half = graph.store(
      graph.elementwise({graph.weight}, graph.groups * graph.columns));
  graph.reduceRows();
  EXPECT_EQ(rootsOf(graph),
            (Units{{graph.weight, half}, {graph.mean, graph.dx}}));
}

TEST(FusionColumns, OfOtherGroupsAreReducedApart) {
  Norm graph;
  graph.reduceRows();
  graph.sumColumns();
  unsigned other = graph.columnReduce(graph.dy, 2 * graph.groups,
                                      graph.rows / 2, graph.columns);
  EXPECT_EQ(rootsOf(graph),
            (Units{{graph.mean, graph.dx, graph.weight}, {other}}));
}

TEST(FusionColumns, OfRowsOfAnotherLengthAreReducedApart) {
  Norm graph;
  graph.reduceRows();
  unsigned other = graph.columnReduce(graph.dy, graph.groups, 2 * graph.rows,
                                      graph.columns / 2);
  EXPECT_EQ(rootsOf(graph), (Units{{graph.mean, graph.dx}, {other}}));
}

/// Too few groups, rows that are not shared evenly, rows too long.
TEST(FusionColumns, WithoutRoomAreReducedApart) {
  for (const Norm &norm :
       {Norm(64, 32, 64), Norm(128, 20, 64), Norm(128, 8, 8200)})
    for (bool columnsFirst : {false, true}) {
      Norm graph = norm;
      if (columnsFirst)
        graph.sumColumns();
      graph.reduceRows();
      if (!columnsFirst)
        graph.sumColumns();
      Units units = columnsFirst
                        ? Units{{graph.weight}, {graph.mean, graph.dx}}
                        : Units{{graph.mean, graph.dx}, {graph.weight}};
      EXPECT_EQ(rootsOf(graph), units) << graph.columns;
    }
}

TEST(FusionColumns, BeyondTheRegistersOfABlockAreReducedApart) {
  Norm graph(128, 8, 8192);
  graph.reduceRows();
  graph.sumColumns();
  unsigned bias = graph.reduceColumns(graph.dy);
  unsigned more = graph.reduceColumns(graph.x);
  EXPECT_EQ(rootsOf(graph),
            (Units{{graph.mean, graph.dx, graph.weight, bias}, {more}}));
}

TEST(FusionColumns, OfOtherDataAreReducedApart) {
  Norm graph;
  graph.reduceRows();
  unsigned other = graph.reduceColumns(graph.source(graph.elements));
  EXPECT_EQ(rootsOf(graph), (Units{{graph.mean, graph.dx}, {other}}));
}

TEST(FusionColumns, ThatWaitForAReaderOfTheUnitAreReducedApart) {
  Norm graph;
  graph.reduceRows();
  unsigned product =
      graph.add(NodeKind::Barrier, {{graph.dx, Access::Other}}, graph.elements);
  unsigned sum = graph.reduceColumns(
      graph.elementwise({graph.dy, product}, graph.elements));
  EXPECT_EQ(rootsOf(graph), (Units{{graph.mean, graph.dx}, {product}, {sum}}));
}

TEST(FusionColumns, OfOneMatrixShareARead) {
  Norm graph(4, 4096, 4096);
  graph.sumColumns();
  unsigned bias = graph.reduceColumns(graph.dy);
  unsigned other = graph.reduceColumns(graph.source(graph.elements));
  EXPECT_EQ(rootsOf(graph), (Units{{graph.weight, bias}, {other}}));
  EXPECT_EQ(kindOfFirst(graph), UnitKind::Column);
}

TEST(FusionColumns, OfFewElementsShareALaunch) {
  Norm graph(4);
  graph.sumColumns();
  unsigned other = graph.reduceColumns(graph.source(graph.elements));
  EXPECT_EQ(rootsOf(graph), (Units{{graph.weight, other}}));
}

TEST(FusionColumns, AreSummedInTilesOfTheirRows) {
  constexpr int64_t tileRows = 128;
  for (int64_t rows : {tileRows, 2 * tileRows}) {
    Norm graph(64, rows, 256);
    graph.sumColumns();
    graph.nodes[graph.weight].tileRows = rows == tileRows ? tileRows : 0;
    unsigned product = graph.elementwise({graph.x, graph.dy}, graph.elements);
    unsigned largest =
        graph.tileReduce(product, graph.groups * rows, graph.columns);
    if (rows != tileRows) {
      EXPECT_EQ(rootsOf(graph), (Units{{graph.weight}, {largest}}));
      continue;
    }
    EXPECT_EQ(rootsOf(graph), (Units{{graph.weight, largest}}));
    FusionUnit unit = formUnits(graph.nodes).units.front();
    EXPECT_EQ(unit.kind, UnitKind::Transpose);
    EXPECT_EQ(unit.elements, graph.elements);
    EXPECT_EQ(unit.columns, graph.columns);
  }
}

TEST(FusionColumns, LeaveTilesToTheirUnit) {
  Norm graph;
  graph.reduceRows();
  graph.sumColumns();
  unsigned largest =
      graph.tileReduce(graph.dx, graph.groups * graph.rows, graph.columns);
  EXPECT_EQ(rootsOf(graph),
            (Units{{graph.mean, graph.dx, graph.weight}, {largest}}));
}

} // namespace
