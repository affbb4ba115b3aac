//===- AssignmentTest.cpp - formats of values and uses --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Classify.h"
#include "prec/Assign/ParseRecipe.h"
#include "prec/Assign/Assigner.h"
#include "GraphBuilder.h"
#include "Targets.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;
using namespace prec::test;

namespace {

Assignment assign(const Graph &graph, StringRef recipe,
                  StringRef target = "sm_90a") {
  llvm::Expected<Recipe> parsed =
      parseRecipe(findBuiltinRecipe(recipe), recipe);
  EXPECT_TRUE(bool(parsed));
  return assignPrecision(graph, classify(graph), *parsed, *findTarget(target));
}

void expectUses(const GraphBuilder &b, const Assignment &assignment,
                ValueId contraction, Format first, Format second,
                Accumulator accumulator) {
  const SmallVector<Decision, 2> &uses = assignment.uses[b.node(contraction)];
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].format, first);
  EXPECT_EQ(uses[1].format, second);
  for (const Decision &use : uses) {
    EXPECT_EQ(use.accumulator, accumulator);
    EXPECT_FALSE(use.rule.empty());
  }
}

TEST(Assignment, Fp8HybridReadsByDirection) {
  Step step = buildStep(2, /*withRoles=*/true);
  const GraphBuilder &b = step.builder;
  Assignment assignment = assign(b.graph, "fp8-hybrid");
  using F = Format;
  for (ValueId value : step.projections)
    expectUses(b, assignment, value, F::E4M3, F::E4M3, Accumulator::Fast);
  for (ValueId value : step.dgrads)
    expectUses(b, assignment, value, F::E5M2, F::E4M3, Accumulator::Promoted);
  for (ValueId value : step.wgrads)
    expectUses(b, assignment, value, F::E5M2, F::E4M3, Accumulator::Promoted);
  for (ValueId value : {step.logits, step.headGradient, step.dHead})
    expectUses(b, assignment, value, F::BF16, F::BF16, Accumulator::Full);
  EXPECT_TRUE(assignment.fallbacks.empty());
}

TEST(Assignment, EveryDecisionHasAFormatAndAReason) {
  Step step = buildStep(3, /*withRoles=*/true);
  const Graph &graph = step.builder.graph;
  for (StringRef recipe : {"fp32", "bf16", "fp8-hybrid"}) {
    Assignment assignment = assign(graph, recipe);
    for (auto [id, value] : llvm::enumerate(graph.values)) {
      const Decision &decision = assignment.values[id];
      EXPECT_EQ(decision.isDecided(), value.isFloatTensor);
      // FP8 belongs to uses.
      EXPECT_TRUE(decision.format == Format::F32 ||
                  decision.format == Format::BF16);
      if (recipe == "fp32") {
        EXPECT_EQ(decision.format, Format::F32);
      }
    }
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      if (graph.nodes[id].is(Structure::Contraction)) {
        EXPECT_EQ(assignment.uses[id].size(), 2u);
      }
    }
  }
}

TEST(Assignment, KeepsHighWhatTheMapKeepsHigh) {
  Step step = buildStep(2, /*withRoles=*/true);
  const GraphBuilder &b = step.builder;
  Assignment assignment = assign(b.graph, "fp8-hybrid");
  auto format = [&](ValueId value) { return assignment.values[value].format; };
  for (ValueId value : step.residuals)
    EXPECT_EQ(format(value), Format::BF16);
  for (ValueId value : step.streamGradients)
    EXPECT_EQ(format(value), Format::BF16);
  for (ValueId value : step.wgrads)
    EXPECT_EQ(format(value), Format::BF16);
  EXPECT_EQ(format(step.logits), Format::BF16);
  EXPECT_EQ(format(step.dLogits), Format::BF16);
  EXPECT_EQ(format(step.loss), Format::F32);
  for (auto [id, value] : llvm::enumerate(b.graph.values)) {
    if (value.origin == Origin::Parameter || value.origin == Origin::Moment) {
      EXPECT_EQ(format(id), Format::F32);
    }
  }
}

TEST(Assignment, AnIllegalUseFallsBackWithItsReason) {
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {30, 64}),
          w = b.argument(Origin::Parameter, {64, 32});
  ValueId y = b.matmul(x, w, 30, 32, 64);
  Assignment assignment = assign(b.graph, "fp8-hybrid");
  expectUses(b, assignment, y, Format::BF16, Format::BF16, Accumulator::Full);
  ASSERT_EQ(assignment.fallbacks.size(), 1u);
  EXPECT_EQ(assignment.fallbacks[0].node, b.node(y));
  EXPECT_EQ(assignment.uses[b.node(y)][0].rule,
            "fp8-hybrid fprop would read e4m3 x e4m3, but " +
                assignment.fallbacks[0].reason + ": reads bf16");
}

/// A graph that already says bf16 has no f32 product to give.
TEST(Assignment, AnImpossibleProductReadsWhatTheTargetHas) {
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {32, 64}),
          w = b.argument(Origin::Parameter, {64, 32});
  ValueId y = b.matmul(x, w, 32, 32, 64);
  b.graph.values[y].declared = Format::BF16;
  Assignment assignment = assign(b.graph, "fp32");
  expectUses(b, assignment, y, Format::BF16, Format::BF16, Accumulator::Full);
  ASSERT_EQ(assignment.fallbacks.size(), 1u);
  EXPECT_EQ(assignment.fallbacks[0].format, Format::BF16);
  EXPECT_EQ(assignment.fallbacks[0].reason,
            "there is no f32 x f32 -> bf16 product");

  b.graph.values[y].declared = Format::F16;
  EXPECT_EQ(assign(b.graph, "fp32").fallbacks[0].format, std::nullopt);
}

TEST(Assignment, ElementwiseChainsStayInRegisters) {
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {32, 64}),
          w = b.argument(Origin::Parameter, {64, 64});
  ValueId inner = b.map(x), outer = b.map(inner);
  ValueId view = b.layout(outer, {32, 64});
  b.matmul(view, w, 32, 64, 64);
  Assignment assignment = assign(b.graph, "bf16");
  EXPECT_EQ(assignment.values[inner].format, Format::F32);
  EXPECT_FALSE(assignment.values[inner].isStored);
  EXPECT_EQ(assignment.values[outer].format, Format::BF16);
  EXPECT_EQ(assignment.values[view].format, Format::BF16);
}

TEST(Assignment, PartialResidualSumsAreNotRounded) {
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {32, 64}),
          gamma = b.argument(Origin::Parameter, {64});
  b.ops(Structure::Norm, {x, gamma}, {{32, 64}, {32}});
  ValueId first = b.add(x, b.argument(Origin::Input, {32, 64}));
  ValueId second = b.add(first, b.argument(Origin::Input, {32, 64}));
  b.ops(Structure::Norm, {second, gamma}, {{32, 64}, {32}});
  Assignment assignment = assign(b.graph, "bf16");
  EXPECT_EQ(assignment.values[first].format, Format::F32);
  EXPECT_EQ(assignment.values[second].format, Format::BF16);
}

TEST(Assignment, SquaresUnderASumStayF32) {
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {32, 64}),
          y = b.argument(Origin::Input, {32, 64});
  ValueId square = b.mul(x, x), product = b.mul(x, y);
  ValueId sum = b.op(Structure::Reduction, {square}, {32}, ArithAdd);
  b.op(Structure::Reduction, {product}, {32}, ArithAdd);
  Assignment assignment = assign(b.graph, "bf16");
  EXPECT_EQ(assignment.values[square].format, Format::F32);
  EXPECT_EQ(assignment.values[product].format, Format::BF16);
  EXPECT_EQ(assignment.values[sum].format, Format::F32);
}

} // namespace
