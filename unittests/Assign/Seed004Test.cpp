//===- Seed004Test.cpp - what stays in BF16 and FP32 ----------------------===//
//
// Every row of the DeepSeek-V3 map, by its name, under every FP8 recipe that
// Hopper runs. What is said of FP8 between nodes is communication, not part of
// a step's graph.
//
//===----------------------------------------------------------------------===//
#include "MoeStep.h"
#include "prec/Assign/Assignment.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::prec;
using namespace mlir::prec::test;

namespace {

struct Seed004 : testing::TestWithParam<const char *> {
  Seed004()
      : recipe(llvm::cantFail(
            parseRecipe(findBuiltinRecipe(GetParam()), GetParam()))),
        facts(classify(step.builder.graph)),
        assignment(assignPrecision(step.builder.graph, facts, recipe,
                                   *findTarget("sm_90a"))) {}

  TensorClass getClass(ValueId value) const {
    return *facts.classes[step.builder.node(value)];
  }
  /// Stored so, with a reason and its reference.
  void expectStored(ValueId value, Format format) const {
    const Decision &decision = assignment.values[value];
    EXPECT_EQ(decision.format, format) << decision.rule.str();
    EXPECT_TRUE(decision.rule.contains("(DeepSeek-V3 map)"))
        << decision.rule.str();
  }
  /// Both operands are read so; `isKept` by a rule of the map.
  void expectReads(ValueId result, Format lhs, Format rhs,
                   bool isKept = true) const {
    const SmallVector<Decision, 2> &uses =
        assignment.uses[step.builder.node(result)];
    ASSERT_EQ(uses.size(), 2u);
    EXPECT_EQ(uses[0].format, lhs) << uses[0].rule.str();
    EXPECT_EQ(uses[1].format, rhs) << uses[1].rule.str();
    for (const Decision &use : uses)
      EXPECT_EQ(use.rule.contains("(DeepSeek-V3 map)"), isKept)
          << use.rule.str();
  }
  Format getInside(TensorClass tensorClass) const {
    const ReasonedFormat *rule =
        recipe.getKeepHigh(tensorClass, Aspect::Inside);
    return rule ? rule->format : Format::E4M3;
  }

  MoeStep step = buildMoeStep(/*isSigmoid=*/false);
  Recipe recipe;
  Classification facts;
  Assignment assignment;
};

TEST_P(Seed004, TokenEmbeddingAndOutputHead) {
  EXPECT_EQ(getClass(step.embedded), TensorClass::Embedding);
  expectStored(step.embedded, Format::BF16);
  // The rows that the lookup reads.
  const Decision &table = assignment.uses[step.builder.node(step.embedded)][0];
  EXPECT_EQ(table.format, Format::BF16);
  for (ValueId value : {step.logits, step.headDgrad, step.headWgrad}) {
    EXPECT_EQ(getClass(value), TensorClass::Head);
    expectReads(value, Format::BF16, Format::BF16);
    expectStored(value, Format::BF16);
  }
}

TEST_P(Seed004, RmsNormReduction) {
  EXPECT_EQ(getClass(step.normed), TensorClass::Norm);
  expectStored(step.normed, Format::BF16);
  EXPECT_EQ(assignment.values[step.rstd].format, Format::F32);
  EXPECT_EQ(getInside(TensorClass::Norm), Format::F32);
}

/// The same, made of primitives.
TEST_P(Seed004, RmsNormReductionOfPrimitives) {
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {32, 64}),
          w = b.argument(Origin::Parameter, {64, 64});
  ValueId square = b.mul(x, x);
  ValueId mean =
      b.map(b.op(Structure::Reduction, {square}, {32}, ArithAdd), ArithDiv);
  ValueId factor = b.map(mean, ArithRsqrt);
  ValueId normed = b.mul(x, b.layout(factor, {32, 64}));
  b.matmul(normed, w, 32, 64, 64);
  Assignment assigned = assignPrecision(b.graph, classify(b.graph), recipe,
                                        *findTarget("sm_90a"));
  for (ValueId value : {square, mean, factor})
    EXPECT_EQ(assigned.values[value].format, Format::F32);
  EXPECT_EQ(assigned.values[normed].format, Format::BF16);
}

TEST_P(Seed004, RmsNormGamma) {
  expectStored(step.gamma, Format::F32);
  const SmallVector<Decision, 2> &uses =
      assignment.uses[step.builder.node(step.normed)];
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[1].format, Format::BF16);
  EXPECT_TRUE(uses[1].rule.contains("gamma"));
}

TEST_P(Seed004, QkvOutputAndFfnGemms) {
  ASSERT_EQ(step.projections.size(), 6u);
  Format gradient =
      StringRef(GetParam()) == "fp8-hybrid" ? Format::E5M2 : Format::E4M3;
  bool isBlock = StringRef(GetParam()) == "fp8-block";
  for (ValueId value : step.projections) {
    EXPECT_EQ(getClass(value), TensorClass::Contraction);
    expectReads(value, Format::E4M3, Format::E4M3, /*isKept=*/false);
    expectStored(value, Format::BF16);
    const SmallVector<Decision, 2> &uses =
        assignment.uses[step.builder.node(value)];
    if (isBlock) {
      EXPECT_EQ(uses[0].scaling, Scaling::Block1x128);
      EXPECT_EQ(uses[1].scaling, Scaling::Block128x128);
      // The FP32 accumulator: partial sums are promoted to one.
      EXPECT_EQ(uses[0].accumulator, Accumulator::Promoted);
    }
  }
  for (ValueId value : step.dgrads)
    expectReads(value, gradient, Format::E4M3, /*isKept=*/false);
  for (ValueId value : step.wgrads)
    expectReads(value, gradient, Format::E4M3, /*isKept=*/false);
}

TEST_P(Seed004, AttentionScores) {
  for (ValueId value : {step.scores, step.attended}) {
    EXPECT_EQ(getClass(value), TensorClass::Attention);
    expectReads(value, Format::BF16, Format::BF16);
    expectStored(value, Format::BF16);
  }
  for (ValueId value : step.attentionGradients) {
    EXPECT_EQ(getClass(value), TensorClass::Attention);
    expectReads(value, Format::BF16, Format::BF16);
  }
}

TEST_P(Seed004, Softmax) {
  EXPECT_EQ(getClass(step.probabilities), TensorClass::Softmax);
  expectStored(step.probabilities, Format::BF16);
  EXPECT_EQ(getInside(TensorClass::Softmax), Format::F32);
}

TEST_P(Seed004, ResidualStream) {
  for (ValueId value : step.residuals) {
    EXPECT_EQ(getClass(value), TensorClass::Residual);
    expectStored(value, Format::BF16);
  }
  for (ValueId value : step.streamGradients) {
    EXPECT_EQ(getClass(value), TensorClass::Residual);
    expectStored(value, Format::BF16);
  }
}

TEST_P(Seed004, Gradients) {
  for (ValueId value : step.gradients)
    expectStored(value, Format::BF16);
  for (ValueId value : step.dgrads)
    expectStored(value, Format::BF16);
  expectStored(step.dLogits, Format::BF16);
}

TEST_P(Seed004, MasterWeights) {
  for (ValueId value : step.parameters)
    expectStored(value, Format::F32);
  for (ValueId value : step.updated)
    expectStored(value, Format::F32);
}

TEST_P(Seed004, AdamMoments) {
  for (ValueId value : step.moments)
    expectStored(value, Format::F32);
  for (ValueId value : step.updatedMoments)
    expectStored(value, Format::F32);
}

TEST_P(Seed004, CrossEntropyLoss) {
  EXPECT_EQ(getClass(step.loss), TensorClass::Loss);
  expectStored(step.loss, Format::F32);
  EXPECT_EQ(getInside(TensorClass::Loss), Format::F32);
}

TEST_P(Seed004, GradientClipping) {
  for (ValueId value : {step.gradientNorm, step.clipped}) {
    EXPECT_EQ(getClass(value), TensorClass::Clipping);
    expectStored(value, Format::F32);
  }
  EXPECT_EQ(getInside(TensorClass::Clipping), Format::F32);
}

TEST_P(Seed004, MoeRouterAndGate) {
  for (bool isSigmoid : {false, true}) {
    MoeStep moe = buildMoeStep(isSigmoid);
    const Graph &graph = moe.builder.graph;
    Classification classes = classify(graph);
    Assignment assigned =
        assignPrecision(graph, classes, recipe, *findTarget("sm_90a"));
    for (ValueId value : {moe.routerScores, moe.routerDgrad, moe.routerWgrad}) {
      NodeId node = moe.builder.node(value);
      EXPECT_EQ(classes.classes[node], TensorClass::Router);
      ASSERT_EQ(assigned.uses[node].size(), 2u);
      for (const Decision &use : assigned.uses[node]) {
        EXPECT_EQ(use.format, Format::BF16) << use.rule.str();
        EXPECT_TRUE(use.rule.contains("(DeepSeek-V3 map)"));
      }
      EXPECT_EQ(assigned.values[value].format, Format::BF16);
    }
    // The experts' own contractions are FP8 all the same.
    for (ValueId value : moe.projections)
      EXPECT_EQ(assigned.uses[moe.builder.node(value)][0].format, Format::E4M3);
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, Seed004,
                         testing::Values("fp8-hybrid", "fp8-rowwise",
                                         "fp8-block"),
                         [](const auto &info) {
                           std::string name = info.param;
                           llvm::erase(name, '-');
                           return name;
                         });

} // namespace
