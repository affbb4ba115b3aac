//===- FusionLaunchTest.cpp - small units that share a launch -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FusionGraphs.h"

#include "gtest/gtest.h"

#include <set>

using namespace prec;
using namespace prec::test;

namespace {

/// The most elements that take as long as a launch.
constexpr int64_t kLaunchBound = 65536;
constexpr int64_t kRows = 4, kColumns = 8, kElements = kRows * kColumns;

/// Computed of a source that nothing else reads.
unsigned stranger(GraphBuilder &graph, int64_t elements = kElements) {
  return graph.store(graph.elementwise({graph.source(elements)}, elements));
}

/// A value that is ready behind one unit.
unsigned late(GraphBuilder &graph, int64_t elements = kElements) {
  return graph.add(NodeKind::Barrier, {}, elements);
}

TEST(FusionLaunch, StrangersShareOneWhereItIsAllTheyCost) {
  for (int64_t elements : {int64_t(1), kLaunchBound, kLaunchBound + 1}) {
    GraphBuilder graph;
    unsigned a = stranger(graph, elements), b = stranger(graph, elements);
    EXPECT_EQ(rootsOf(graph),
              elements <= kLaunchBound ? (Units{{a, b}}) : (Units{{a}, {b}}))
        << elements;
  }
}

TEST(FusionLaunch, StrangersHaveEquallyManyElements) {
  GraphBuilder graph;
  unsigned a = stranger(graph), b = stranger(graph, kElements / 2);
  unsigned c = stranger(graph), d = stranger(graph, kElements / 2);
  EXPECT_EQ(rootsOf(graph), (Units{{a, c}, {b, d}}));
}

TEST(FusionLaunch, WhatAReductionWalksCounts) {
  GraphBuilder graph;
  unsigned a = stranger(graph);
  unsigned sum =
      graph.store(graph.rowReduce(graph.source(kElements), kRows, kColumns));
  unsigned alike =
      graph.store(graph.rowReduce(graph.source(kElements), kRows, kColumns));
  // As many results as the sums, but another space.
  unsigned few = stranger(graph, kRows);
  unsigned others =
      graph.store(graph.rowReduce(graph.source(kElements), kColumns, kRows));
  EXPECT_EQ(rootsOf(graph), (Units{{a}, {sum, alike}, {few}, {others}}));
}

TEST(FusionLaunch, AReductionOfManyElementsIsNotLaunchBound) {
  for (int64_t columns : {kLaunchBound / kRows, kLaunchBound}) {
    GraphBuilder graph;
    auto sum = [&] {
      return graph.store(
          graph.rowReduce(graph.source(kRows * columns), kRows, columns));
    };
    unsigned a = sum(), b = sum();
    EXPECT_EQ(rootsOf(graph),
              columns < kLaunchBound ? (Units{{a, b}}) : (Units{{a}, {b}}));
  }
}

TEST(FusionLaunch, WhatWaitsForMoreDoesNotDelayAStranger) {
  GraphBuilder graph;
  unsigned a = stranger(graph);
  unsigned call = late(graph);
  unsigned b = graph.store(graph.elementwise({call}, kElements));
  unsigned other = late(graph);
  unsigned c = graph.store(graph.elementwise({other}, kElements));
  // What waits for as much shares a launch.
  EXPECT_EQ(rootsOf(graph), (Units{{a}, {call}, {b, c}, {other}}));
}

TEST(FusionLaunch, WhatWaitsForLessIsNotDelayedByAStranger) {
  GraphBuilder graph;
  unsigned call = late(graph);
  unsigned a = graph.store(graph.elementwise({call}, kElements));
  unsigned b = stranger(graph);
  EXPECT_EQ(rootsOf(graph), (Units{{call}, {a}, {b}}));
}

TEST(FusionLaunch, WhatIsReadLaterIsNotKeptForAStranger) {
  // Numbers may be kept.
  constexpr int64_t numbers = 16384;
  for (int64_t elements : {numbers, numbers + 1}) {
    GraphBuilder graph;
    unsigned a = stranger(graph, elements), b = stranger(graph, elements);
    unsigned c = stranger(graph, elements);
    unsigned first = graph.add(NodeKind::Barrier,
                               {{a, Access::Other}, {b, Access::Other}}, 1);
    unsigned second = graph.add(
        NodeKind::Barrier, {{first, Access::Other}, {c, Access::Other}}, 1);
    EXPECT_EQ(rootsOf(graph), elements == numbers
                                  ? (Units{{a, b, c}, {first}, {second}})
                                  : (Units{{a, b}, {c}, {first}, {second}}))
        << elements;
  }
}

TEST(FusionLaunch, ASharedReadIsWorthMoreThanASharedLaunch) {
  GraphBuilder graph;
  unsigned x = graph.source(kElements);
  unsigned a = graph.store(graph.elementwise({x}, kElements));
  unsigned b = stranger(graph);
  unsigned call = late(graph, kColumns);
  unsigned last = graph.store(
      graph.add(NodeKind::Elementwise,
                {{x, Access::Same}, {call, Access::Other}}, kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{a, last}, {b}, {call}}));
}

/// A stranger that computes something else.
unsigned other(GraphBuilder &graph) {
  unsigned node = stranger(graph);
  graph.nodes[node].operation = 1;
  return node;
}

TEST(FusionLaunch, EqualUnitsComeFirstAndWhatIsLeftOfThemTogether) {
  GraphBuilder graph;
  std::vector<unsigned> equal, others;
  for (unsigned i = 0; i < 18; ++i) {
    equal.push_back(stranger(graph));
    others.push_back(other(graph));
  }
  auto take = [](const std::vector<unsigned> &from) {
    return std::vector<unsigned>(from.begin(), from.begin() + 16);
  };
  EXPECT_EQ(rootsOf(graph),
            (Units{take(equal),
                   take(others),
                   {equal[16], equal[17], others[16], others[17]}}));
}

TEST(FusionLaunch, MoreLayersAreNoMoreKernels) {
  // A layer is two strangers and one that waits for a call of its own.
  auto countKernels = [](unsigned layers) {
    GraphBuilder graph;
    for (unsigned i = 0; i < layers; ++i) {
      stranger(graph);
      other(graph);
      stranger(graph, 2 * kElements);
      unsigned call = late(graph);
      graph.store(graph.elementwise({call}, kElements));
    }
    FusionResult result = formUnits(graph.nodes);
    std::set<std::vector<std::pair<unsigned, int64_t>>> kernels;
    for (const FusionUnit &unit : result.units) {
      std::vector<std::pair<unsigned, int64_t>> kernel;
      for (unsigned root : unit.roots)
        kernel.push_back(
            {graph.nodes[root].operation, graph.nodes[root].elements});
      if (unit.kind != UnitKind::Barrier)
        kernels.insert(kernel);
    }
    return kernels.size();
  };
  EXPECT_EQ(countKernels(37), countKernels(16 * 50 + 5));
}

TEST(FusionLaunch, AUnitReadsALimitedNumberOfTensors) {
  constexpr unsigned kRead = 100;
  GraphBuilder graph;
  std::vector<unsigned> sums;
  for (unsigned i = 0; i < 5; ++i) {
    std::vector<FusionEdge> all;
    for (unsigned j = 0; j < kRead; ++j)
      all.push_back({graph.source(1), Access::Other});
    sums.push_back(graph.store(graph.add(NodeKind::Layout, all, kRead)));
  }
  EXPECT_EQ(rootsOf(graph),
            (Units{{sums[0], sums[1]}, {sums[2], sums[3]}, {sums[4]}}));
}

TEST(FusionLaunch, PartsFollowEachOtherWhateverTheirOrderIs) {
  // The second root of one stands behind the first of the other.
  GraphBuilder graph;
  unsigned x = graph.source(kElements), y = graph.source(kElements);
  unsigned a = graph.store(graph.elementwise({x}, kElements));
  unsigned b = graph.store(graph.elementwise({y}, kElements));
  unsigned c = graph.store(graph.elementwise({x}, kElements));
  unsigned d = graph.store(graph.elementwise({y}, kElements));
  EXPECT_EQ(rootsOf(graph), (Units{{a, c, b, d}}));
  FusionUnit unit = formUnits(graph.nodes).units.front();
  EXPECT_EQ(unit.parts, (llvm::SmallVector<unsigned, 1>{0, 2}));
}

TEST(FusionLaunch, EqualUpdatesMeetWhereTheFirstIsNeeded) {
  // Sums of gradients that a chain adds up, some of them later than others.
  GraphBuilder graph;
  auto update = [&](unsigned node) {
    graph.nodes[node].updates = true;
    return graph.inPhase(2, node);
  };
  std::vector<unsigned> sums;
  Units expected = {{}};
  unsigned total = graph.source(1);
  for (unsigned i = 0; i < 3; ++i) {
    unsigned gradient = graph.source(kElements);
    sums.push_back(update(graph.rowReduce(gradient, 1, kElements)));
  }
  for (unsigned sum : sums) {
    total = update(graph.add(
        NodeKind::Barrier, {{total, Access::Other}, {sum, Access::Other}}, 1));
    expected.push_back({total});
  }
  expected.front() = sums;
  EXPECT_EQ(rootsOf(graph), expected);
}

TEST(FusionLaunch, AUnitOfStrangersWritesALimitedNumberOfTensors) {
  GraphBuilder graph;
  for (unsigned i = 0; i < 40; ++i)
    stranger(graph);
  Units units = rootsOf(graph);
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[0].size(), 16u);
  EXPECT_EQ(units[1].size(), 16u);
  EXPECT_EQ(units[2].size(), 8u);
}

TEST(FusionLaunch, LibraryCallsAndTransposesShareNone) {
  GraphBuilder graph;
  unsigned call = late(graph), other = late(graph);
  unsigned first = graph.transpose(graph.source(kElements), kColumns);
  unsigned second = graph.transpose(graph.source(kElements), kColumns);
  unsigned a = stranger(graph);
  EXPECT_EQ(rootsOf(graph), (Units{{call}, {other}, {first}, {second}, {a}}));
}

TEST(FusionLaunch, WhatIsRecomputedDoesNotJoinTheFirstPhase) {
  for (bool isRecomputed : {false, true}) {
    GraphBuilder graph;
    unsigned a = stranger(graph);
    unsigned b = graph.inPhase(1, stranger(graph));
    graph.nodes[b].recomputed = isRecomputed;
    EXPECT_EQ(rootsOf(graph),
              isRecomputed ? (Units{{a}, {b}}) : (Units{{a, b}}));
  }
}

TEST(FusionLaunch, UpdatesWaitForOneAnotherOnly) {
  enum Others { Updates, Backward, ReadByUpdates };
  for (Others others : {Updates, Backward, ReadByUpdates}) {
    GraphBuilder graph;
    unsigned a = graph.inPhase(others == Backward ? 1 : 2, stranger(graph));
    graph.nodes[a].updates = others != Backward;
    unsigned call = graph.add(
        NodeKind::Barrier, {{others == ReadByUpdates ? a : 0, Access::Other}},
        kElements);
    unsigned b =
        graph.inPhase(2, graph.store(graph.elementwise({call}, kElements)));
    graph.nodes[b].updates = true;
    EXPECT_EQ(rootsOf(graph), others == Updates ? (Units{{a, b}, {call}})
                                                : (Units{{a}, {call}, {b}}));
  }
}

/// A guard that reads a loss, and what shares a launch with one, need more than
/// the loss does.
TEST(FusionLaunch, AnEvaluationComputesNoBackward) {
  for (bool isRead : {false, true})
    for (bool isEvaluated : {false, true}) {
      GraphBuilder graph;
      unsigned loss = graph.inPhase(2, stranger(graph));
      graph.nodes[loss].updates = true;
      graph.nodes[loss].evaluated = isEvaluated;
      unsigned call = late(graph);
      unsigned guard = graph.inPhase(
          2, graph.store(isRead ? graph.elementwise({loss, call}, kElements)
                                : graph.elementwise({call}, kElements)));
      graph.nodes[guard].updates = true;
      Units apart = {{loss}, {call}, {guard}};
      EXPECT_EQ(rootsOf(graph),
                isEvaluated ? apart : (Units{{loss, guard}, {call}}))
          << isRead;
    }
}

/// They take longer than a launch, but wait for all gradients anyway.
TEST(FusionLaunch, UpdatesShareUpToManyLaunches) {
  for (int64_t elements : {64 * kLaunchBound, 64 * kLaunchBound + 1}) {
    GraphBuilder graph;
    auto update = [&] {
      unsigned node = graph.inPhase(2, stranger(graph, elements));
      graph.nodes[node].updates = true;
      return node;
    };
    unsigned a = update(), b = update();
    EXPECT_EQ(rootsOf(graph), elements == 64 * kLaunchBound ? (Units{{a, b}})
                                                            : (Units{{a}, {b}}))
        << elements;
  }
}

/// The sums of groups of rows become the gradient of a bias, layer by layer.
TEST(FusionLaunch, SumsThatUpdatesReadWaitForOneAnother) {
  enum Case { Waits, IsSent, IsReadBefore, KeepsMuch };
  for (Case it : {Waits, IsSent, IsReadBefore, KeepsMuch}) {
    GraphBuilder graph;
    int64_t groups = 2 * kLaunchBound / kColumns + (it == KeepsMuch ? 1 : 0);
    unsigned layer = graph.source(1);
    std::vector<unsigned> sums;
    for (unsigned i = 0; i < 2; ++i) {
      layer = graph.add(NodeKind::Barrier, {{layer, Access::Other}},
                        groups * kColumns);
      sums.push_back(
          graph.store(graph.columnReduce(layer, 1, groups, kColumns)));
    }
    NodeKind kind = it == IsSent ? NodeKind::Barrier : NodeKind::Elementwise;
    for (unsigned sum : sums) {
      unsigned reader = graph.inPhase(
          2, graph.store(graph.add(kind, {{sum, Access::Other}}, 1)));
      graph.nodes[reader].updates = it != IsReadBefore;
    }
    std::set<std::vector<unsigned>> units;
    for (std::vector<unsigned> &unit : rootsOf(graph))
      units.insert(unit);
    EXPECT_EQ(units.count(sums), it == Waits ? 1u : 0u) << it;
  }
}

TEST(FusionLaunch, AnUpdateJoinsAUnitThatStartsLater) {
  GraphBuilder graph;
  unsigned call = late(graph);
  unsigned a = graph.store(graph.elementwise({call}, kElements));
  unsigned b = stranger(graph);
  graph.nodes[b].updates = true;
  EXPECT_EQ(rootsOf(graph), (Units{{call}, {a, b}}));
}

} // namespace
