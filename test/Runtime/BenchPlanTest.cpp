//===- BenchPlanTest.cpp - windows of a benchmark, and medians ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BenchPlan.h"
#include "BenchReport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

using namespace prec::rt;
using namespace prec::run;

namespace {

/// A product with scales, the same again, and a kernel that updates in place.
struct BenchPlanTest : testing::Test {
  BenchPlanTest() {
    module.target = {"cpu", "x86-64-v3"};
    for (int i = 0; i < 2; ++i) {
      int a = add(DType::f8E4M3FN, {64, 32}),
          b = add(DType::f8E4M3FN, {16, 32}), scaleA = add(DType::f32, {}),
          scaleB = add(DType::f32, {}), d = add(DType::bf16, {64, 16});
      Command product;
      product.kind = CommandKind::gemm;
      product.name = "gemm." + std::to_string(i);
      product.reads = {a, b, scaleA, scaleB};
      product.writes = {d};
      product.gemm = {};
      product.gemm.m = 64;
      product.gemm.n = 16;
      product.gemm.k = 32;
      product.gemm.a = a;
      product.gemm.b = b;
      product.gemm.d = d;
      product.gemm.scaleA = scaleA;
      product.gemm.scaleB = scaleB;
      addItem("contraction", product, i == 0 ? "fprop" : "dgrad");
    }
    int weight = add(DType::f32, {1000}), gradient = add(DType::bf16, {1000});
    Command update;
    update.kind = CommandKind::kernel;
    update.name = "update";
    update.graphOps = {"adamw"};
    update.reads = {weight, gradient};
    update.writes = {weight};
    update.kernel.args = {weight, gradient, weight};
    update.kernel.index = 3;
    update.kernel.extent = 1000;
    addItem("command", update, "");
  }

  int add(DType dtype, std::vector<int64_t> shape) {
    Buffer buffer;
    buffer.segment = Segment::state;
    buffer.offset = end;
    buffer.dtype = dtype;
    buffer.shape = std::move(shape);
    end += 4096;
    module.buffers.push_back(buffer);
    return static_cast<int>(module.buffers.size()) - 1;
  }
  void addItem(const char *kind, const Command &command,
               const char *direction) {
    std::vector<Command> &commands = module.entryPoints["step"];
    BenchItem item;
    item.kind = kind;
    item.first = static_cast<int64_t>(commands.size());
    item.direction = direction;
    module.bench.push_back(item);
    commands.push_back(command);
  }
  BenchPlan plan(int64_t cache, int64_t memory = int64_t(1) << 30) {
    Result<BenchPlan> made = planBench(module, cache, memory);
    EXPECT_TRUE(made.ok());
    return std::move(*made);
  }

  Manifest module;
  int64_t end = 0;
};

TEST_F(BenchPlanTest, WhatTakesTheSameIsMeasuredOnce) {
  BenchPlan made = plan(1 << 20);
  ASSERT_EQ(made.entries.size(), 2u);
  EXPECT_EQ(made.entries[0].items, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(made.entries[0].flops, 2.0 * 64 * 16 * 32);
  EXPECT_EQ(made.entries[1].items, (std::vector<size_t>{2}));
  EXPECT_EQ(made.entries[1].signature,
            "kernel adamw f32[1000] bf16[1000] > f32[1000] extent 1000");
}

TEST_F(BenchPlanTest, WindowsLieInPoolsOfTheirUse) {
  BenchPlan made = plan(1 << 20);
  const Manifest &manifest = made.manifest;
  auto poolOf = [&](int buffer) {
    const Buffer &window = manifest.buffers[static_cast<size_t>(buffer)];
    for (const Pool &pool : made.pools) {
      const Buffer &all = manifest.buffers[static_cast<size_t>(pool.buffer)];
      if (window.offset >= all.offset &&
          window.offset + window.bytes() <= all.offset + all.bytes())
        return std::pair(pool.dtype, pool.use);
    }
    ADD_FAILURE() << "in no pool";
    return std::pair(DType::i1, PoolUse::value);
  };
  for (const Command &command : manifest.commands("bench.0")) {
    EXPECT_EQ(poolOf(command.gemm.a),
              std::pair(DType::f8E4M3FN, PoolUse::value));
    EXPECT_EQ(poolOf(*command.gemm.scaleB),
              std::pair(DType::f32, PoolUse::scale));
    EXPECT_EQ(poolOf(command.gemm.d), std::pair(DType::bf16, PoolUse::written));
    EXPECT_EQ(command.reads[0], command.gemm.a);
    EXPECT_EQ(command.writes[0], command.gemm.d);
  }
  for (const Command &command : manifest.commands("bench.1")) {
    EXPECT_EQ(command.kernel.index, 3);
    EXPECT_EQ(command.kernel.args[0], command.kernel.args[2]);
    EXPECT_EQ(poolOf(command.kernel.args[0]),
              std::pair(DType::f32, PoolUse::changed));
    EXPECT_EQ(poolOf(command.kernel.args[1]),
              std::pair(DType::bf16, PoolUse::value));
  }
}

TEST_F(BenchPlanTest, GroupsHaveAsManyRows) {
  EXPECT_EQ(makeEnds(64, 4), (std::vector<int32_t>{16, 32, 48, 64}));
  EXPECT_EQ(makeEnds(10, 4), (std::vector<int32_t>{2, 5, 7, 10}));
  Command product;
  product.kind = CommandKind::groupedGemm;
  product.name = "grouped";
  int a = add(DType::f8E5M2, {32, 1024}), b = add(DType::f8E4M3FN, {16, 1024}),
      ends = add(DType::i32, {4}), scaleA = add(DType::f32, {4}),
      scaleB = add(DType::f32, {4}), d = add(DType::bf16, {4, 32, 16});
  product.reads = {a, b, ends, scaleA, scaleB};
  product.writes = {d};
  product.grouped.a = a;
  product.grouped.b = b;
  product.grouped.d = d;
  product.grouped.ends = ends;
  product.grouped.scaleA = scaleA;
  product.grouped.scaleB = scaleB;
  addItem("command", product, "");
  // What a quantization of rows is given, and what it computes of that.
  Command numbers;
  numbers.kind = CommandKind::kernel;
  numbers.name = "numbers";
  numbers.reads = {ends};
  numbers.writes = {add(DType::i32, {48})};
  addItem("quantization", numbers, "");
  module.bench.back().rows = 48;
  BenchPlan made = plan(1 << 20);
  std::set<std::tuple<int64_t, int64_t, int64_t>> found;
  for (const Pool &pool : made.pools)
    if (pool.use == PoolUse::ends)
      found.insert(
          {pool.rows, pool.groups,
           made.manifest.buffers[static_cast<size_t>(pool.buffer)].bytes()});
  // 640 rows aligned are 1024 at most: 3 blocks end early.
  EXPECT_EQ(found, (decltype(found){{48, 4, 256}, {640, 4, 256}}));
  for (const Command &command : made.manifest.commands("bench.2")) {
    const auto &buffers = made.manifest.buffers;
    EXPECT_EQ(buffers[static_cast<size_t>(command.grouped.ends)].offset,
              buffers[static_cast<size_t>(
                          made.manifest.commands("bench.2")[0].grouped.ends)]
                  .offset);
  }
}

TEST_F(BenchPlanTest, OperandsRotateThroughMoreThanTheCache) {
  constexpr int64_t cache = 20000;
  BenchPlan made = plan(cache);
  for (const BenchEntry &entry : made.entries) {
    const std::vector<Command> &commands =
        made.manifest.commands(entry.entryPoint);
    ASSERT_EQ(static_cast<int64_t>(commands.size()), entry.repetitions);
    EXPECT_GT(entry.repetitions * entry.bytes, cache);
    // Windows of one repetition are apart.
    for (const Command &command : commands) {
      std::vector<std::pair<int64_t, int64_t>> ranges;
      std::set<int> buffers(command.reads.begin(), command.reads.end());
      buffers.insert(command.writes.begin(), command.writes.end());
      for (int buffer : buffers) {
        const Buffer &window =
            made.manifest.buffers[static_cast<size_t>(buffer)];
        EXPECT_EQ(window.offset % 256, 0);
        ranges.emplace_back(window.offset, window.offset + window.bytes());
      }
      std::sort(ranges.begin(), ranges.end());
      for (size_t i = 1; i < ranges.size(); ++i)
        EXPECT_LE(ranges[i - 1].second, ranges[i].first);
    }
    // The next repetition has other ones.
    EXPECT_NE(made.manifest.buffers[static_cast<size_t>(commands[0].writes[0])]
                  .offset,
              made.manifest.buffers[static_cast<size_t>(commands[1].writes[0])]
                  .offset);
  }
}

TEST_F(BenchPlanTest, WhatDoesNotFitIsLeftOutWithANote) {
  BenchPlan made = plan(1, (1 << 20) + 9000);
  ASSERT_EQ(made.entries.size(), 1u);
  ASSERT_EQ(made.notes.size(), 1u);
  EXPECT_NE(made.notes[0].find(
                "does not fit in 1057576 bytes of memory: kernel adamw"),
            std::string::npos);
  Result<BenchPlan> none = planBench(module, 1, 1000);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().message(),
            "a benchmark needs memory for its smallest command, but got 1000 "
            "bytes");
}

TEST(Estimate, IsTheMedianWithItsInterval) {
  EXPECT_EQ(estimate({}).us, 0);
  EXPECT_EQ(estimate({{3, 0}, {1, 0}, {2, 0}}).us, 2);
  // All that so few samples say is their range.
  EXPECT_EQ(estimate({{3, 0}, {1, 0}, {2, 0}}).noise, 1);
  std::vector<BenchSample> many;
  for (int i = 1; i <= 100; ++i)
    many.push_back({static_cast<double>(i), 0});
  EXPECT_EQ(estimate(many).us, 50.5);
  // Conover: of 100 samples the 40th and the 61st are the 95 % interval.
  EXPECT_NEAR(estimate(many).noise, 10.5, 1);
}

TEST(Estimate, LeavesOutSamplesOfAnotherClock) {
  std::vector<BenchSample> samples(6, {10, 1980});
  samples.push_back({30, 1500});
  samples.push_back({31, 1400});
  EXPECT_EQ(estimate(samples).us, 10);
  EXPECT_EQ(estimate(samples).noise, 0);
}

} // namespace
