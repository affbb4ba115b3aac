//===- MemoryTest.cpp - what an assignment stores -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Classify.h"
#include "prec/Assign/Assigner.h"
#include "prec/Assign/ParseRecipe.h"
#include "Assign/Report/Memory.h"

#include "GraphBuilder.h"
#include "Targets.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;
using namespace prec::test;

namespace {

using C = MemoryClass;

/// buildStep's sizes: tokens, width, vocabulary.
constexpr int64_t T = 32, D = 64, V = 128;

struct MemoryTest : testing::Test {
  static MemoryTable makeTable(const Graph &graph, StringRef recipeName,
                               int64_t ranks) {
    Classification facts = classify(graph);
    llvm::Expected<Recipe> recipe =
        parseRecipe(findBuiltinRecipe(recipeName), recipeName);
    EXPECT_TRUE(bool(recipe)) << llvm::toString(recipe.takeError());
    Assignment assignment =
        assignPrecision(graph, facts, *recipe, *findTarget("cpu"));
    return makeMemoryTable(collectMemory(graph, facts, assignment), ranks);
  }
  static MemoryTable getTable(unsigned layers, StringRef recipeName,
                              int64_t ranks = 1) {
    return makeTable(buildStep(layers, /*withRoles=*/true).builder.graph,
                     recipeName, ranks);
  }
  static MemoryTable getLoraTable(StringRef recipeName) {
    return makeTable(buildLoraStep().builder.graph, recipeName, 1);
  }
  static double getElements(const MemoryTable &table, C memoryClass,
                            StringRef format) {
    for (const MemoryRow &row : table.rows)
      if (row.memoryClass == memoryClass && row.format == format)
        return row.elements;
    return 0;
  }
};

/// Counted by hand: per layer a D x D projection and a gamma of D, a last
/// gamma, and a V x D table that embedding and head share.
TEST_F(MemoryTest, Fp8Hybrid) {
  constexpr int64_t L = 3, kParameters = L * (D * D + D) + D + V * D;
  MemoryTable table = getTable(L, "fp8-hybrid");
  EXPECT_EQ(table.parameters, kParameters);
  EXPECT_EQ(getElements(table, C::Masters, "f32"), kParameters);
  EXPECT_EQ(getElements(table, C::Moments, "f32"), 2 * kParameters);
  // Projections in two layouts, for fprop and dgrad.
  EXPECT_EQ(getElements(table, C::ForwardWeights, "e4m3"), 2 * L * D * D);
  // Gammas and the table; no BF16 copy of what only FP8 reads.
  EXPECT_EQ(getElements(table, C::Weights16, "bf16"), (L + 1) * D + V * D);
  // Each projection reads its norm in fprop and, transposed, in wgrad.
  EXPECT_EQ(getElements(table, C::QuantizedCopies, "e4m3"), 2 * L * T * D);
  EXPECT_EQ(getElements(table, C::QuantizedCopies, "e5m2"), 2 * L * T * D);
  // Of projections, gammas and both uses of the table.
  EXPECT_GE(getElements(table, C::Gradients, "bf16"), L * D * D + V * D);
  EXPECT_GE(getElements(table, C::Activations, "bf16"), L * T * D);
}

TEST_F(MemoryTest, Bf16HasNoFp8) {
  constexpr int64_t L = 2;
  MemoryTable table = getTable(L, "bf16");
  for (const MemoryRow &row : table.rows) {
    EXPECT_NE(row.memoryClass, C::ForwardWeights);
    EXPECT_NE(row.memoryClass, C::QuantizedCopies);
  }
  EXPECT_EQ(getElements(table, C::Weights16, "bf16"),
            L * D * D + (L + 1) * D + V * D);
}

TEST_F(MemoryTest, Fp32HasNoCopies) {
  MemoryTable table = getTable(2, "fp32");
  for (const MemoryRow &row : table.rows) {
    EXPECT_EQ(row.format, "f32");
    EXPECT_NE(row.memoryClass, C::Weights16);
  }
}

/// A frozen projection has no master where nothing but its copies is read: of
/// fprop, since nothing wants its input's gradient; a frozen head has one copy.
TEST_F(MemoryTest, FrozenWeightsAreTheirCopies) {
  constexpr int64_t R = 16, kAdapter = 2 * D * R;
  MemoryTable table = getLoraTable("fp8-hybrid");
  EXPECT_EQ(table.parameters, D * D + D * V + kAdapter);
  EXPECT_EQ(getElements(table, C::Masters, "f32"), kAdapter);
  EXPECT_EQ(getElements(table, C::ForwardWeights, "e4m3") +
                getElements(table, C::Weights16, "bf16"),
            D * D + D * V + kAdapter);
  table = getLoraTable("fp32");
  EXPECT_EQ(getElements(table, C::Masters, "f32"), table.parameters);
}

/// FP8 saves where BF16 needs more: at the peak, weights included.
TEST_F(MemoryTest, RanksSplitTheOptimizer) {
  MemoryTable one = getTable(3, "fp8-hybrid"),
              eight = getTable(3, "fp8-hybrid", 8);
  EXPECT_EQ(one.bytes, eight.bytes);
  double state = 12 * one.parameters;
  EXPECT_NEAR(one.peakBytes - eight.peakBytes, state * 7 / 8, state / 100);
}

/// Activations pile up until the backward begins: the peak lies there, and
/// grows with the layers.
TEST_F(MemoryTest, ThePeakLiesBetweenForwardAndBackward) {
  for (unsigned layers : {2u, 8u}) {
    Step step = buildStep(layers, /*withRoles=*/true);
    MemoryTable table = getTable(layers, "bf16");
    EXPECT_GE(table.peak, step.builder.node(step.residuals.back()));
    EXPECT_LE(table.peak, step.builder.node(step.wgrads.back()));
  }
}

} // namespace
