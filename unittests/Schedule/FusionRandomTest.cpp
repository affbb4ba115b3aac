//===- FusionRandomTest.cpp - laws of fusion on random graphs -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FusionGraphs.h"

#include "gtest/gtest.h"

#include <ctime>
#include <random>

using namespace prec;
using namespace prec::test;

namespace {

/// A graph of tensors [rows, columns], [rows], [columns], [groups, columns] and
/// [columns, rows], read as such shapes can be.
class RandomGraph {
public:
  RandomGraph(unsigned seed, unsigned size) : random(seed) {
    for (int i = 0; i < 3; ++i)
      add(pick(3), graph.source(0));
    while (graph.nodes.size() < size)
      grow();
  }
  GraphBuilder graph;

private:
  enum Shape { Full, RowVector, ColumnVector, Groups };
  static constexpr int64_t kGroups = 128, kRows = 8 * kGroups, kColumns = 10;
  static int64_t sizeOf(unsigned shape) {
    return shape == Full        ? kRows * kColumns
           : shape == RowVector ? kRows
           : shape == Groups    ? kGroups * kColumns
                                : kColumns;
  }
  unsigned pick(unsigned below) {
    return std::uniform_int_distribution<unsigned>(0, below - 1)(random);
  }
  void add(unsigned shape, unsigned node) {
    FusionNode &it = graph.nodes[node];
    it.elements = sizeOf(shape);
    it.phase = graph.nodes.size() / 40;
    if (it.kind != NodeKind::Source && pick(4) == 0)
      it.stored = true;
    shapes.push_back(shape);
  }
  /// A recent node, mostly.
  unsigned operand() {
    unsigned count = graph.nodes.size();
    return pick(3) ? count - 1 - pick(std::min(count, 6u)) : pick(count);
  }
  unsigned operandOf(unsigned shape) {
    for (int i = 0; i < 20; ++i)
      if (unsigned node = operand(); shapes[node] == shape)
        return node;
    unsigned node = graph.source(0);
    add(shape, node);
    return node;
  }
  Access accessOf(unsigned from, unsigned to) {
    if (from == to)
      return pick(8) ? Access::Same : Access::Other;
    return from == RowVector && to == Full ? Access::Row : Access::Other;
  }
  void grow();

  std::mt19937 random;
  std::vector<unsigned> shapes;
};

void RandomGraph::grow() {
  unsigned kind = pick(20);
  if (kind < 2) {
    unsigned from = operandOf(Full);
    add(RowVector, graph.rowReduce(from, kRows, kColumns));
  } else if (kind < 3) {
    // Over groups of rows, mostly.
    bool isPartial = pick(4);
    int64_t groups = isPartial ? kGroups : 1;
    unsigned from = operandOf(Full);
    unsigned node = graph.columnReduce(from, groups, kRows / groups, kColumns);
    if (isPartial && pick(2))
      graph.nodes[node].tileRows = kRows / groups;
    add(isPartial ? Groups : ColumnVector, node);
  } else if (kind < 4) {
    unsigned from = operandOf(Full);
    add(Full, graph.add(NodeKind::Transpose, {{from, Access::Other}}, 0));
  } else if (kind < 6) {
    unsigned from = operand();
    unsigned shape = shapes[from];
    add(shape, graph.add(NodeKind::Barrier, {{from, Access::Other}}, 0));
  } else if (kind < 7) {
    add(Full, graph.add(NodeKind::Constant, {}, 0));
  } else {
    unsigned shape = pick(4) ? unsigned(Full) : pick(4);
    std::vector<FusionEdge> edges;
    for (unsigned i = 0, count = 1 + pick(3); i < count; ++i) {
      unsigned from = operand();
      // Of a larger tensor an element is taken; a smaller one is repeated.
      edges.push_back({from, accessOf(shapes[from], shape)});
    }
    NodeKind type = kind < 9 ? NodeKind::Layout : NodeKind::Elementwise;
    unsigned node = graph.add(type, edges, 0);
    add(shape, node);
    graph.nodes[node].rounding = type == NodeKind::Elementwise && pick(6) == 0;
  }
}

bool areSame(const FusionResult &a, const FusionResult &b) {
  return a.units.size() == b.units.size() &&
         std::equal(a.units.begin(), a.units.end(), b.units.begin(),
                    [](const FusionUnit &x, const FusionUnit &y) {
                      return x.kind == y.kind && x.roots == y.roots &&
                             x.depth == y.depth && x.elements == y.elements &&
                             x.columns == y.columns;
                    });
}

TEST(FusionRandom, LawsHold) {
  size_t units = 0, roots = 0, columns = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    RandomGraph random(seed, 20 + seed % 180);
    FusionResult result = formUnits(random.graph.nodes);
    ASSERT_EQ(findViolation(random.graph.nodes, result), "") << seed;
    units += result.units.size();
    for (const FusionUnit &unit : result.units) {
      roots += unit.roots.size();
      for (unsigned root : unit.roots)
        columns += unit.kind == UnitKind::Row &&
                   random.graph.nodes[root].kind == NodeKind::ColumnReduce;
    }
  }
  // The graphs are such that there is something to fuse.
  EXPECT_GT(roots, units * 5 / 4);
  EXPECT_GT(columns, 500u);
}

TEST(FusionRandom, TheSameGraphGivesTheSameUnits) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    RandomGraph first(seed, 300), second(seed, 300);
    FusionResult a = formUnits(first.graph.nodes);
    FusionResult b = formUnits(second.graph.nodes);
    EXPECT_EQ(a.unitOf, b.unitOf);
    EXPECT_TRUE(areSame(a, b)) << seed;
  }
}

TEST(FusionRandom, UnusedSourcesChangeNothing) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    RandomGraph random(seed, 200);
    FusionResult before = formUnits(random.graph.nodes);
    for (int i = 0; i < 10; ++i)
      random.graph.source(60);
    FusionResult after = formUnits(random.graph.nodes);
    EXPECT_TRUE(areSame(before, after)) << seed;
  }
}

/// The laws must be able to fail: fusions that break them are found.
TEST(FusionRandom, BrokenFusionsAreFound) {
  unsigned found = 0, tried = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomGraph random(seed, 120);
    FusionResult result = formUnits(random.graph.nodes);
    std::mt19937 choose(seed);
    if (result.units.size() < 4)
      continue;
    // Moves a root into another unit, as a bug would.
    unsigned from = choose() % result.units.size();
    unsigned to = choose() % result.units.size();
    if (from == to)
      continue;
    unsigned root = result.units[from].roots.back();
    result.units[from].roots.pop_back();
    auto &roots = result.units[to].roots;
    roots.insert(llvm::lower_bound(roots, root), root);
    result.unitOf[root] = to;
    ++tried;
    found += !findViolation(random.graph.nodes, result).empty();
  }
  EXPECT_GT(tried, 150u);
  // A few such moves are legal.
  EXPECT_GT(found, tried * 9 / 10);
}

TEST(FusionRandom, TimeIsLinear) {
  auto seconds = [](unsigned size) {
    RandomGraph random(1, size);
    std::clock_t start = std::clock();
    formUnits(random.graph.nodes);
    return double(std::clock() - start) / CLOCKS_PER_SEC;
  };
  double small = 1e9, large = 1e9;
  for (int i = 0; i < 3; ++i) {
    small = std::min(small, seconds(10'000));
    large = std::min(large, seconds(100'000));
  }
  // Quadratic would be 100.
  EXPECT_LT(large, 40 * small);
}

} // namespace
