//===- StepFloorTest.cpp - what an ideal fusion still moves ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All numbers are worked out by hand.
//
//===----------------------------------------------------------------------===//

#include "StepFloor.h"

#include <gtest/gtest.h>

using namespace prec::rt;
using namespace prec::run;

namespace {

using Bytes = std::vector<int64_t>;

/// Steps of commands that have no names, on buffers of bytes.
struct UnavoidableBytes : testing::Test {
  int add(Segment segment, int64_t bytes) {
    int64_t &size = manifest.segmentSize[static_cast<size_t>(segment)];
    size += bytes;
    return addAt(segment, size - bytes, bytes);
  }
  int addAt(Segment segment, int64_t offset, int64_t bytes) {
    manifest.buffers.push_back({segment, offset, DType::i8, {bytes}});
    return static_cast<int>(manifest.buffers.size()) - 1;
  }
  int temporary(int64_t bytes) { return add(Segment::workspace, bytes); }

  void command(CommandKind kind, std::vector<int> reads,
               std::vector<int> writes) {
    Command command{};
    command.kind = kind;
    command.reads = std::move(reads);
    command.writes = std::move(writes);
    manifest.entryPoints["step"].push_back(std::move(command));
  }
  void kernel(std::vector<int> reads, std::vector<int> writes) {
    command(CommandKind::kernel, std::move(reads), std::move(writes));
  }
  void product(std::vector<int> reads, std::vector<int> writes) {
    command(CommandKind::gemm, std::move(reads), std::move(writes));
  }
  Bytes compute() const { return computeUnavoidableBytes(manifest); }

  Manifest manifest{};
};

TEST_F(UnavoidableBytes, AStepOfNothingMovesNothing) {
  EXPECT_EQ(compute(), Bytes());
}

TEST_F(UnavoidableBytes, CommandsBetweenTwoProductsAreOneKernel) {
  int x = add(Segment::input, 8), w = add(Segment::state, 100);
  int a = temporary(10), b = temporary(20), c = temporary(40),
      d = temporary(80), y = add(Segment::output, 4);
  product({x, w}, {a});
  kernel({a}, {b}); // Within the level: not written.
  kernel({a, b}, {c});
  product({c, w}, {d});
  kernel({d}, {y});
  EXPECT_EQ(compute(), (Bytes{0, 10, 40, 0, 84}));
}

TEST_F(UnavoidableBytes, AttentionEndsALevelAsAProductDoes) {
  for (CommandKind kind : {CommandKind::gemm, CommandKind::sdpaForward,
                           CommandKind::sdpaBackward, CommandKind::conv}) {
    manifest = {};
    int x = add(Segment::input, 8), a = temporary(10), b = temporary(20),
        y = add(Segment::output, 4);
    kernel({x}, {a});
    command(kind, {a}, {b});
    kernel({b, x}, {y});
    EXPECT_EQ(compute(), (Bytes{18, 0, 32})) << "x is read at both levels";
  }
}

TEST_F(UnavoidableBytes, OneReadServesALevel) {
  int x = add(Segment::input, 8), y = add(Segment::output, 1),
      z = add(Segment::output, 2);
  kernel({x, x}, {y});
  kernel({x}, {z});
  EXPECT_EQ(compute(), (Bytes{9, 2}));
}

TEST_F(UnavoidableBytes, TheDeepestInputDecides) {
  int x = add(Segment::input, 8), a = temporary(16), b = temporary(32),
      early = temporary(64), late = add(Segment::output, 1);
  product({x}, {a}); // Level 1.
  product({a}, {b}); // Level 2.
  kernel({a}, {early});
  kernel({early, b}, {late});
  // A value for another level is written once and read once there.
  EXPECT_EQ(compute(), (Bytes{0, 0, 16 + 64, 64 + 32 + 1}));
}

/// The same level on both sides of a product that neither needs.
TEST_F(UnavoidableBytes, LevelsAreNotRunsOfCommands) {
  int x = add(Segment::input, 8), a = temporary(16), b = temporary(32),
      c = temporary(64), y = add(Segment::output, 1);
  kernel({x}, {a});
  product({x}, {b});
  kernel({a, x}, {c});
  kernel({b}, {y});
  EXPECT_EQ(compute(), (Bytes{8, 0, 0, 33}));
}

TEST_F(UnavoidableBytes, AnUpdateInPlaceReadsTheOldAndWritesTheNew) {
  int gradient = temporary(4), x = add(Segment::input, 2),
      w = add(Segment::state, 100), m = add(Segment::state, 10);
  product({x, w}, {gradient});
  kernel({gradient, m}, {m});
  kernel({w, m}, {w});
  EXPECT_EQ(compute(), (Bytes{0, 4 + 10 + 10, 200}));
}

TEST_F(UnavoidableBytes, OnlyTheLastOfSeveralValuesIsKept) {
  int x = add(Segment::input, 2), s = add(Segment::state, 100);
  kernel({x}, {s});
  kernel({s}, {s});
  EXPECT_EQ(compute(), (Bytes{2, 100}));
  int a = temporary(4);
  manifest.entryPoints.clear();
  kernel({x}, {s});
  product({s}, {a}); // It needs the first one too.
  kernel({s}, {s});
  EXPECT_EQ(compute(), (Bytes{102, 0, 100}));
}

TEST_F(UnavoidableBytes, BytesThatAreUsedAgainHoldAnotherValue) {
  int x = add(Segment::input, 2), y = add(Segment::output, 1),
      z = add(Segment::output, 1);
  int first = addAt(Segment::workspace, 0, 10),
      second = addAt(Segment::workspace, 5, 20);
  product({x}, {first});
  kernel({first}, {y});
  product({x}, {second});
  kernel({second}, {z});
  EXPECT_EQ(compute(), (Bytes{0, 11, 0, 21}));
}

/// A buffer that is a part of another, as of a product of several weights.
TEST_F(UnavoidableBytes, PartsOfAValueAreReadApart) {
  int x = add(Segment::input, 2), y = add(Segment::output, 1);
  int whole = addAt(Segment::workspace, 0, 30),
      head = addAt(Segment::workspace, 0, 10),
      middle = addAt(Segment::workspace, 5, 10);
  product({x}, {whole});
  kernel({head}, {y});
  kernel({middle, head}, {y});
  EXPECT_EQ(compute(), (Bytes{0, 10, 5 + 1}));
  kernel({whole}, {y});
  EXPECT_EQ(compute(), (Bytes{0, 10, 5, 15 + 1}));
}

/// Of 8 rows of 10 bytes columns, by three commands that need some.
TEST_F(UnavoidableBytes, ColumnsThatSeveralNeedAreReadOnce) {
  int x = add(Segment::input, 2), y = add(Segment::output, 1);
  int matrix = temporary(80);
  product({x}, {matrix});
  auto needColumns = [&](int64_t first, int64_t columns) {
    kernel({matrix}, {y});
    manifest.entryPoints["step"].back().parts = {
        {matrix, first, columns, 10, 8}};
  };
  needColumns(0, 4);
  needColumns(2, 4); // Two of them are new.
  needColumns(8, 2);
  EXPECT_EQ(compute(), (Bytes{0, 32, 16, 16 + 1}));
  kernel({matrix}, {y});
  EXPECT_EQ(compute(), (Bytes{0, 32, 16, 16, 16 + 1}));
  needColumns(0, 10);
  EXPECT_EQ(compute(), (Bytes{0, 32, 16, 16, 16, 1}));
}

TEST_F(UnavoidableBytes, FewRowsOfATableAreRead) {
  int x = add(Segment::input, 2), table = add(Segment::state, 100),
      y = add(Segment::output, 1);
  for (int i = 0; i < 2; ++i) {
    kernel({x, table}, {y});
    manifest.entryPoints["step"].back().parts = {{table, 10, 20, 100, 1}};
  }
  EXPECT_EQ(compute(), (Bytes{2 + 20, 1}));
  kernel({table}, {table}); // All of it, whatever it changes.
  manifest.entryPoints["step"].back().parts = {{table, 0, 50, 100, 1}};
  EXPECT_EQ(compute(), (Bytes{2 + 20, 1, 80 + 100}));
}

TEST_F(UnavoidableBytes, RunsAtOtherDistancesCountAsTheWhole) {
  int table = add(Segment::state, 60), y = add(Segment::output, 1);
  for (int64_t stride : {10, 12}) {
    kernel({table}, {y});
    manifest.entryPoints["step"].back().parts = {
        {table, 0, 5, stride, 60 / stride}};
  }
  EXPECT_EQ(compute(), (Bytes{30, 30 + 1}));
}

TEST_F(UnavoidableBytes, AProductNeedsThePartThatItReads) {
  int x = add(Segment::input, 2), a = temporary(0);
  int whole = addAt(Segment::workspace, 100, 30),
      part = addAt(Segment::workspace, 110, 10);
  kernel({x}, {whole});
  product({part}, {a});
  EXPECT_EQ(compute(), (Bytes{2 + 10, 0}));
}

TEST_F(UnavoidableBytes, AFillIsFreeButForProductsAndWhatLasts) {
  int x = add(Segment::input, 2), a = temporary(8), b = temporary(16),
      count = add(Segment::state, 4), y = add(Segment::output, 1);
  command(CommandKind::fill, {}, {a});
  command(CommandKind::fill, {}, {count});
  product({x}, {b});
  kernel({a, b}, {a}); // Adds to it at level 1.
  kernel({a}, {y});
  EXPECT_EQ(compute(), (Bytes{0, 4, 0, 16, 1}));
  manifest.entryPoints.clear();
  command(CommandKind::fill, {}, {a});
  product({x, a}, {a});
  EXPECT_EQ(compute(), (Bytes{8, 0}));
}

TEST_F(UnavoidableBytes, ACopyMovesAsAKernelDoes) {
  int x = add(Segment::input, 2), a = temporary(8), s = add(Segment::state, 8);
  product({x}, {a});
  command(CommandKind::copy, {a}, {s});
  EXPECT_EQ(compute(), (Bytes{0, 16}));
}

TEST_F(UnavoidableBytes, WhatNobodyReadsIsNotWritten) {
  int x = add(Segment::input, 2), a = temporary(8), none = temporary(0);
  kernel({x, none}, {a, none});
  EXPECT_EQ(compute(), (Bytes{2}));
}

TEST(StepFloor, SumsWhatIsReplayedAndWhatIsMoved) {
  StepFloor floor{5, {0.5, std::nullopt, 0.25}, {0, 300, 0}, 1200};
  EXPECT_DOUBLE_EQ(floor.replayedSeconds(), 0.75);
  EXPECT_EQ(floor.totalBytes(), 300);
  EXPECT_DOUBLE_EQ(floor.seconds(), 1);
}

} // namespace
