//===- WideTensorsTest.cpp - what stays in BF16 and FP32 ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every row of the DeepSeek-V3 map, by its name, under every FP8 recipe that
// Hopper runs. What is said of FP8 between nodes is communication, not part of
// a step's graph.
//
//===----------------------------------------------------------------------===//
#include "MoeStep.h"
#include "Targets.h"
#include "prec/Assign/Classify.h"
#include "prec/Assign/ParseRecipe.h"
#include "prec/Assign/Assigner.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;
using namespace prec::test;

namespace {

struct WideTensors : testing::TestWithParam<const char *> {
  WideTensors()
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
  /// Of a graph made of primitives: what is computed inside, and in f32.
  void expectInside(const Graph &graph, TensorClass tensorClass,
                    ArrayRef<ValueId> values) const {
    Classification classes = classify(graph);
    Assignment assigned =
        assignPrecision(graph, classes, recipe, *findTarget("sm_90a"));
    for (ValueId value : values) {
      EXPECT_EQ(classes.classes[graph.values[value].producer], tensorClass);
      EXPECT_EQ(assigned.values[value].format, Format::F32)
          << assigned.values[value].rule.str();
    }
  }

  MoeStep step = buildMoeStep(/*isSigmoid=*/false);
  Recipe recipe;
  Classification facts;
  Assignment assignment;
};

TEST_P(WideTensors, TokenEmbeddingAndOutputHead) {
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

TEST_P(WideTensors, RmsNormReduction) {
  EXPECT_EQ(getClass(step.normed), TensorClass::Norm);
  expectStored(step.normed, Format::BF16);
  EXPECT_EQ(assignment.values[step.rstd].format, Format::F32);
}

/// The same, made of primitives.
TEST_P(WideTensors, RmsNormReductionOfPrimitives) {
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

TEST_P(WideTensors, RmsNormGamma) {
  expectStored(step.gamma, Format::F32);
  const SmallVector<Decision, 2> &uses =
      assignment.uses[step.builder.node(step.normed)];
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[1].format, Format::BF16);
  EXPECT_TRUE(uses[1].rule.contains("gamma"));
}

TEST_P(WideTensors, QkvOutputAndFfnGemms) {
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

TEST_P(WideTensors, AttentionScores) {
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

TEST_P(WideTensors, Softmax) {
  EXPECT_EQ(getClass(step.probabilities), TensorClass::Softmax);
  expectStored(step.probabilities, Format::BF16);
}

/// The same, made of primitives.
TEST_P(WideTensors, SoftmaxOfPrimitives) {
  constexpr int64_t T = 32, D = 64;
  GraphBuilder b;
  auto input = [&] { return b.argument(Origin::Input, {T, D}); };
  ValueId scores = b.matmul(input(), input(), T, T, D);
  ValueId maximum = b.op(Structure::Reduction, {scores}, {T}, ArithMax);
  ValueId shifted = b.op(Structure::Elementwise,
                         {scores, b.layout(maximum, {T, T})}, {T, T}, ArithSub);
  ValueId exponential = b.map(shifted, ArithExp);
  ValueId sum = b.op(Structure::Reduction, {exponential}, {T}, ArithAdd);
  ValueId probabilities =
      b.op(Structure::Elementwise, {exponential, b.layout(sum, {T, T})}, {T, T},
           ArithDiv);
  b.ret(b.matmul(probabilities, input(), T, D, T));
  expectInside(b.graph, TensorClass::Softmax,
               {maximum, shifted, exponential, sum});
  Assignment assigned = assignPrecision(b.graph, classify(b.graph), recipe,
                                        *findTarget("sm_90a"));
  EXPECT_EQ(assigned.values[probabilities].format, Format::BF16);
}

TEST_P(WideTensors, ResidualStream) {
  for (ValueId value : step.residuals) {
    EXPECT_EQ(getClass(value), TensorClass::Residual);
    expectStored(value, Format::BF16);
  }
  for (ValueId value : step.streamGradients) {
    EXPECT_EQ(getClass(value), TensorClass::Residual);
    expectStored(value, Format::BF16);
  }
}

TEST_P(WideTensors, Gradients) {
  for (ValueId value : step.gradients)
    expectStored(value, Format::BF16);
  for (ValueId value : step.dgrads)
    expectStored(value, Format::BF16);
  expectStored(step.dLogits, Format::BF16);
}

TEST_P(WideTensors, MasterWeights) {
  for (ValueId value : step.parameters)
    expectStored(value, Format::F32);
  for (ValueId value : step.updated)
    expectStored(value, Format::F32);
}

TEST_P(WideTensors, AdamMoments) {
  for (ValueId value : step.moments)
    expectStored(value, Format::F32);
  for (ValueId value : step.updatedMoments)
    expectStored(value, Format::F32);
}

TEST_P(WideTensors, CrossEntropyLoss) {
  EXPECT_EQ(getClass(step.loss), TensorClass::Loss);
  expectStored(step.loss, Format::F32);
}

/// The same, made of primitives, and its gradient.
TEST_P(WideTensors, CrossEntropyLossOfPrimitives) {
  constexpr int64_t T = 32, D = 64, V = 128;
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {T, D}),
          w = b.argument(Origin::Parameter, {D, V}),
          labels = b.argument(Origin::Input, {T});
  b.graph.values[labels].isFloatTensor = false;
  ValueId logits = b.matmul(x, w, T, V, D);
  auto subtract = [&](ValueId from, ValueId row) {
    return b.op(Structure::Elementwise, {from, b.layout(row, {T, V})}, {T, V},
                ArithSub);
  };
  ValueId maximum = b.op(Structure::Reduction, {logits}, {T}, ArithMax);
  ValueId shifted = subtract(logits, maximum);
  ValueId exponential = b.map(shifted, ArithExp);
  ValueId sum = b.op(Structure::Reduction, {exponential}, {T}, ArithAdd);
  ValueId logarithm = b.map(sum);
  ValueId likelihood = subtract(shifted, logarithm);
  ValueId picked = b.op(Structure::Gather, {likelihood, labels}, {T});
  ValueId loss = b.op(Structure::Reduction, {picked}, {}, ArithAdd);
  b.graph.values[loss].isLoss = true;
  b.ret(loss);
  ValueId probabilities = b.map(likelihood, ArithExp);
  ValueId oneHot = b.op(Structure::Index, {labels}, {T, V});
  ValueId difference =
      b.op(Structure::Elementwise, {probabilities, oneHot}, {T, V}, ArithSub);
  ValueId wgrad = b.matmul(x, b.map(difference, ArithMul), D, V, T);
  ValueId m = b.argument(Origin::Moment, {D, V}),
          v = b.argument(Origin::Moment, {D, V});
  for (ValueId value :
       b.ops(Structure::Optimizer, {w, wgrad, m, v}, {{D, V}, {D, V}, {D, V}}))
    b.ret(value);
  expectInside(b.graph, TensorClass::Loss,
               {maximum, shifted, exponential, sum, logarithm, likelihood,
                picked, loss, probabilities, difference});
}

TEST_P(WideTensors, GradientClipping) {
  for (ValueId value : {step.gradientNorm, step.clipped}) {
    EXPECT_EQ(getClass(value), TensorClass::Clipping);
    expectStored(value, Format::F32);
  }
}

/// The same, made of primitives: nothing between the gradients and the factor
/// that they are multiplied by is narrower.
TEST_P(WideTensors, GradientClippingOfPrimitives) {
  constexpr int64_t T = 32, D = 64;
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {T, D}),
          dy = b.argument(Origin::Input, {T, D}),
          ids = b.argument(Origin::Input, {T});
  b.graph.values[ids].isFloatTensor = false;
  std::vector<ValueId> weights, gradients, inside;
  ValueId y = x;
  for (unsigned i = 0; i < 2; ++i) {
    weights.push_back(b.argument(Origin::Parameter, {D, D}));
    y = b.map(b.matmul(y, weights.back(), T, D, D));
  }
  auto loss = b.ops(Structure::Loss, {y, ids}, {{}, {T}});
  b.graph.values[loss[0]].isLoss = true;
  b.ret(loss[0]);
  dy = b.ops(Structure::Loss, {y, ids, loss[1]}, {{T, D}})[0];
  ValueId total = kNone;
  for (unsigned i = 0; i < 2; ++i) {
    gradients.push_back(b.matmul(dy, x, D, D, T));
    ValueId square = b.mul(gradients.back(), gradients.back());
    ValueId sum = b.op(Structure::Reduction, {square}, {}, ArithAdd);
    total = total == kNone ? sum : b.add(total, sum);
    inside.insert(inside.end(), {square, sum, total});
  }
  ValueId norm = b.map(total, ArithSqrt), factor = b.map(norm, ArithDiv);
  inside.insert(inside.end(), {norm, factor});
  for (auto [p, g] : llvm::zip_equal(weights, gradients)) {
    ValueId clipped = b.mul(g, b.layout(factor, {D, D}));
    ValueId m = b.argument(Origin::Moment, {D, D}),
            v = b.argument(Origin::Moment, {D, D});
    for (ValueId value : b.ops(Structure::Optimizer, {p, clipped, m, v},
                               {{D, D}, {D, D}, {D, D}}))
      b.ret(value);
  }
  Assignment assigned = assignPrecision(b.graph, classify(b.graph), recipe,
                                        *findTarget("sm_90a"));
  for (ValueId value : inside)
    EXPECT_EQ(assigned.values[value].format, Format::F32)
        << assigned.values[value].rule.str();
}

TEST_P(WideTensors, MoeRouterAndGate) {
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
      // Scores are not rounded; gradients are stored like others.
      EXPECT_EQ(assigned.values[value].format,
                value == moe.routerScores ? Format::F32 : Format::BF16);
    }
    // The experts' own contractions are FP8 all the same.
    for (ValueId value : moe.projections)
      EXPECT_EQ(assigned.uses[moe.builder.node(value)][0].format, Format::E4M3);
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, WideTensors,
                         testing::Values("fp8-hybrid", "fp8-rowwise",
                                         "fp8-block"),
                         [](const auto &info) {
                           std::string name = info.param;
                           llvm::erase(name, '-');
                           return name;
                         });

} // namespace
