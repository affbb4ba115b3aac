//===- ClassifyTest.cpp - classes, phases and directions ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Classify.h"
#include "GraphBuilder.h"

#include "gtest/gtest.h"

#include <ctime>
#include <limits>

using namespace mlir;
using namespace prec;
using namespace prec::test;

namespace {

TensorClass classOf(const GraphBuilder &b, const Classification &facts,
                    ValueId value) {
  return facts.classes[b.node(value)].value();
}

TEST(Classify, FindsTheClassesOfAStep) {
  Step step = buildStep(3, /*withRoles=*/true);
  const GraphBuilder &b = step.builder;
  Classification facts = classify(b.graph);
  for (ValueId value : step.projections)
    EXPECT_EQ(classOf(b, facts, value), TensorClass::Contraction);
  for (ValueId value : step.residuals)
    EXPECT_EQ(classOf(b, facts, value), TensorClass::Residual);
  for (ValueId value : step.streamGradients)
    EXPECT_EQ(classOf(b, facts, value), TensorClass::Residual);
  for (ValueId value : {step.logits, step.headGradient, step.dHead})
    EXPECT_EQ(classOf(b, facts, value), TensorClass::Head);
}

TEST(Classify, FindsPhasesAndDirections) {
  Step step = buildStep(2, /*withRoles=*/true);
  const GraphBuilder &b = step.builder;
  Classification facts = classify(b.graph);
  auto expect = [&](ValueId value, StepPhase phase, Direction direction) {
    EXPECT_EQ(facts.phases[b.node(value)], phase);
    EXPECT_EQ(facts.directions[b.node(value)], direction);
  };
  for (ValueId value : step.projections)
    expect(value, StepPhase::Forward, Direction::Fprop);
  for (ValueId value : step.wgrads) {
    expect(value, StepPhase::Backward, Direction::Wgrad);
    EXPECT_TRUE(facts.isWeightGradient[value]);
  }
  for (ValueId value : step.dgrads) {
    expect(value, StepPhase::Backward, Direction::Dgrad);
    EXPECT_FALSE(facts.isWeightGradient[value]);
  }
}

TEST(Classify, NeedsNoRoles) {
  Step with = buildStep(2, /*withRoles=*/true),
       without = buildStep(2, /*withRoles=*/false);
  Classification a = classify(with.builder.graph),
                 b = classify(without.builder.graph);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.phases, b.phases);
  EXPECT_EQ(a.directions, b.directions);
}

TEST(Classify, TellsRecomputationFromGradients) {
  // x -> W -> W2 -> loss; the backward computes x W again instead of saving it.
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {32, 64});
  ValueId w = b.argument(Origin::Parameter, {64, 64}),
          w2 = b.argument(Origin::Parameter, {64, 64});
  ValueId w3 = b.argument(Origin::Parameter, {64, 64});
  ValueId h = b.map(b.matmul(x, w, 32, 64, 64));
  ValueId h2 = b.map(b.matmul(h, w2, 32, 64, 64));
  ValueId y = b.matmul(h2, w3, 32, 64, 64);
  auto loss = b.ops(Structure::Loss, {y}, {{}, {32}});
  b.graph.values[loss[0]].isLoss = true;
  ValueId again = b.matmul(x, w, 32, 64, 64);
  ValueId dy = b.ops(Structure::Loss, {y, loss[1]}, {{32, 64}})[0];
  ValueId dh2 = b.map(b.matmul(dy, w3, 32, 64, 64));
  ValueId dw2 = b.matmul(b.map(again), dh2, 64, 64, 32);
  ValueId m = b.argument(Origin::Moment, {64, 64});
  b.ops(Structure::Optimizer, {w2, dw2, m, m}, {{64, 64}, {64, 64}, {64, 64}});
  Classification facts = classify(b.graph);
  EXPECT_EQ(facts.phases[b.node(again)], StepPhase::Backward);
  EXPECT_FALSE(facts.isGradient[b.node(again)]);
  EXPECT_EQ(facts.directions[b.node(again)], Direction::Fprop);
  EXPECT_TRUE(facts.isGradient[b.node(dw2)]);
  EXPECT_EQ(facts.directions[b.node(dw2)], Direction::Wgrad);
}

TEST(Classify, SimilaritiesOfTwoTowersAreContrastive) {
  // logits = (x W) (y V)^T: both sides follow from the batch, so that neither
  // is a head's weight.
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {32, 64}),
          y = b.argument(Origin::Input, {32, 64});
  ValueId w = b.argument(Origin::Parameter, {64, 16}),
          v = b.argument(Origin::Parameter, {64, 16});
  ValueId p = b.matmul(x, w, 32, 16, 64), q = b.matmul(y, v, 32, 16, 64);
  ValueId logits = b.matmul(p, q, 32, 32, 16);
  auto loss = b.ops(Structure::Loss, {logits}, {{}, {32}});
  b.graph.values[loss[0]].isLoss = true;
  ValueId dLogits = b.ops(Structure::Loss, {logits, loss[1]}, {{32, 32}})[0];
  ValueId dp = b.matmul(dLogits, q, 32, 16, 32);
  ValueId dq = b.matmul(dLogits, p, 32, 16, 32);
  ValueId dw = b.matmul(x, dp, 64, 16, 32), dv = b.matmul(y, dq, 64, 16, 32);
  ValueId m = b.argument(Origin::Moment, {64, 16});
  for (auto [parameter, gradient] : {std::pair(w, dw), std::pair(v, dv)})
    b.ops(Structure::Optimizer, {parameter, gradient, m, m},
          {{64, 16}, {64, 16}, {64, 16}});
  Classification facts = classify(b.graph);
  for (ValueId value : {logits, dp, dq})
    EXPECT_EQ(classOf(b, facts, value), TensorClass::Contrastive);
  for (ValueId value : {p, q, dw, dv})
    EXPECT_EQ(classOf(b, facts, value), TensorClass::Contraction);
}

TEST(Classify, BiasAndMaskAreNoResiduals) {
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {32, 64}),
          w = b.argument(Origin::Parameter, {64, 64});
  ValueId bias = b.argument(Origin::Parameter, {64}),
          gamma = b.argument(Origin::Parameter, {64});
  b.ops(Structure::Norm, {x, gamma}, {{32, 64}, {32}});
  ValueId y = b.matmul(x, w, 32, 64, 64);
  ValueId biased = b.add(y, b.layout(bias, {32, 64}));
  ValueId shifted = b.add(biased, b.constant({32, 64}));
  ValueId sum = b.add(x, shifted);
  b.ops(Structure::Norm, {sum, gamma}, {{32, 64}, {32}});
  Classification facts = classify(b.graph);
  EXPECT_EQ(classOf(b, facts, biased), TensorClass::Elementwise);
  EXPECT_EQ(classOf(b, facts, shifted), TensorClass::Elementwise);
  EXPECT_EQ(classOf(b, facts, sum), TensorClass::Residual);
}

TEST(Classify, ParallelBranchesAreOneResidualSum) {
  // x + attention(x) + mlp(x), as in GPT-J.
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {32, 64}),
          gamma = b.argument(Origin::Parameter, {64});
  b.ops(Structure::Norm, {x, gamma}, {{32, 64}, {32}});
  ValueId a = b.argument(Origin::Input, {32, 64}),
          m = b.argument(Origin::Input, {32, 64});
  ValueId first = b.add(x, a), second = b.add(first, m);
  b.ops(Structure::Norm, {second, gamma}, {{32, 64}, {32}});
  Classification facts = classify(b.graph);
  EXPECT_EQ(classOf(b, facts, first), TensorClass::Residual);
  EXPECT_EQ(classOf(b, facts, second), TensorClass::Residual);
}

TEST(Classify, FindsRouters) {
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {32, 64}),
          w = b.argument(Origin::Parameter, {64, 16});
  ValueId scores = b.matmul(x, w, 32, 16, 64);
  ValueId gate = b.op(Structure::Softmax, {scores}, {32, 16});
  ValueId chosen = b.op(Structure::Index, {gate}, {32});
  b.graph.values[chosen].isFloatTensor = false;
  b.op(Structure::Gather, {x, chosen}, {32, 64});
  Classification facts = classify(b.graph);
  EXPECT_EQ(classOf(b, facts, scores), TensorClass::Router);
}

TEST(Classify, ASoftmaxAtTheEndIsAHead) {
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {32, 64}),
          w = b.argument(Origin::Input, {64, 16});
  ValueId scores = b.matmul(x, w, 32, 16, 64);
  b.ret(b.op(Structure::Softmax, {scores}, {32, 16}));
  Classification facts = classify(b.graph);
  EXPECT_EQ(classOf(b, facts, scores), TensorClass::Head);
}

TEST(Classify, OperationsOfUnknownStructureHaveNoClass) {
  GraphBuilder b;
  ValueId x = b.argument(Origin::Input, {32, 64});
  ValueId y = b.map(x);
  b.graph.nodes[b.node(y)].structure = std::nullopt;
  EXPECT_FALSE(classify(b.graph).classes[b.node(y)].has_value());
}

TEST(Classify, AnEmptyGraphIsFine) {
  EXPECT_TRUE(classify(Graph()).classes.empty());
}

/// 16 times as many layers cost about 16 times as much, more where they no
/// longer fit into caches; a quadratic step would cost 256 times as much at
/// least. Processor time, since other processes may run.
TEST(Classify, IsLinear) {
  auto measure = [](unsigned layers) {
    Step step = buildStep(layers, /*withRoles=*/true);
    std::clock_t best = std::numeric_limits<std::clock_t>::max();
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::clock_t start = std::clock();
      EXPECT_FALSE(classify(step.builder.graph).classes.empty());
      best = std::min(best, std::clock() - start);
    }
    return double(best) / CLOCKS_PER_SEC;
  };
  double small = measure(1000), large = measure(16000);
  EXPECT_LT(large, 128 * small) << small << " s against " << large << " s";
}

} // namespace
