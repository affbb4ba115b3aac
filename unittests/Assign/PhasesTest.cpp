//===- PhasesTest.cpp - forward, backward, optimizer ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GraphBuilder.h"
#include "prec/Assign/Classify.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;
using namespace prec::test;

namespace {

constexpr int64_t kSize = 64;

/// x W, the sum of its squares as a loss, and the gradient of W, which an
/// optimizer of primitives follows. The backward and the optimizer read one
/// constant.
struct PrimitiveStep {
  PrimitiveStep() {
    x = b.argument(Origin::Input, {kSize, kSize});
    w = b.argument(Origin::Parameter, {kSize, kSize});
    m = b.argument(Origin::Moment, {kSize, kSize});
    c = b.constant({kSize, kSize});
    z = product(x, w);
    loss = b.op(Structure::Reduction, {b.mul(z, z)}, {}, ArithAdd);
    b.graph.values[loss].isLoss = true;
    b.ret(loss);
    dz = b.mul(z, c);
    dw = product(b.layout(x, {kSize, kSize}), dz);
    dx = product(dz, b.layout(w, {kSize, kSize}));
  }

  ValueId product(ValueId a, ValueId c) {
    return b.matmul(a, c, kSize, kSize, kSize);
  }
  void update(ValueId value) {
    b.ret(value);
    b.graph.values[value].isUpdated = true;
  }
  StepPhase phaseOf(ValueId value) const {
    return classify(b.graph).phases[b.node(value)];
  }

  GraphBuilder b;
  ValueId x, w, m, c, z, loss, dz, dw, dx;
};

TEST(Phases, AConstantIsOfNone) {
  PrimitiveStep step;
  ValueId scaled = step.b.mul(step.dw, step.c);
  step.update(step.b.add(step.w, scaled));
  EXPECT_EQ(step.phaseOf(step.dz), StepPhase::Backward);
  EXPECT_EQ(step.phaseOf(step.dw), StepPhase::Backward);
  EXPECT_EQ(step.phaseOf(scaled), StepPhase::Optimizer);
  EXPECT_EQ(classify(step.b.graph).directions[step.b.node(step.dw)],
            Direction::Wgrad);
}

TEST(Phases, WhatTheBackwardReadsIsOfTheBackward) {
  // A scale that the optimizer wants is computed where the backward has it.
  PrimitiveStep step;
  ValueId scaled = step.b.mul(step.dz, step.c);
  ValueId read = step.product(scaled, step.x);
  step.update(step.b.add(step.w, step.b.add(scaled, read)));
  EXPECT_EQ(step.phaseOf(scaled), StepPhase::Backward);
  EXPECT_EQ(step.phaseOf(read), StepPhase::Backward);
}

TEST(Phases, WhatReplacesAStateIsAnUpdateWhoeverReadsIt) {
  // The moment is contracted on the way to the update, as Muon does, and its
  // norm is taken, as LAMB does.
  PrimitiveStep step;
  ValueId moment = step.b.add(step.m, step.dw);
  step.update(moment);
  ValueId turned = step.product(moment, moment);
  ValueId norm = step.b.op(Structure::Reduction, {step.b.mul(moment, moment)},
                           {}, ArithAdd);
  step.update(step.b.add(step.w, step.b.mul(turned, norm)));
  EXPECT_EQ(step.phaseOf(moment), StepPhase::Optimizer);
  EXPECT_EQ(step.phaseOf(turned), StepPhase::Optimizer);
  EXPECT_EQ(step.phaseOf(norm), StepPhase::Optimizer);
  EXPECT_EQ(step.phaseOf(step.dw), StepPhase::Backward);
}

TEST(Phases, AMetricOfAnUpdateChangesNothing) {
  PrimitiveStep step;
  ValueId scaled = step.b.mul(step.dw, step.c);
  ValueId updated = step.b.add(step.w, scaled);
  step.update(updated);
  ValueId square = step.b.mul(scaled, scaled);
  step.b.ret(step.b.op(Structure::Reduction, {square}, {}, ArithAdd));
  EXPECT_EQ(step.phaseOf(scaled), StepPhase::Optimizer);
  EXPECT_EQ(step.phaseOf(updated), StepPhase::Optimizer);
}

TEST(Phases, APlaceIsNotRead) {
  // A product's place is what an update reads: nothing flows.
  PrimitiveStep step;
  ValueId scaled = step.b.mul(step.dw, step.c);
  step.update(step.b.add(step.w, scaled));
  GraphNode node;
  node.structure = Structure::Contraction;
  node.operands = {step.dz, step.w, scaled};
  node.reads = {OperandRead::Elements, OperandRead::Elements,
                OperandRead::Nothing};
  node.numInputs = 2;
  GraphValue value;
  value.isFloatTensor = true;
  value.shape = {kSize, kSize};
  ValueId result = step.b.graph.addValue(value);
  node.results = {result};
  step.b.graph.addNode(node);
  step.b.ret(result);
  EXPECT_EQ(step.phaseOf(result), StepPhase::Backward);
  EXPECT_EQ(step.b.graph.values[scaled].uses.size(), 1u);
}

TEST(Phases, WhatIsCapturedIsRead) {
  PrimitiveStep step;
  GraphNode node;
  node.structure = Structure::Gather;
  node.operands = {step.x, step.w};
  node.numInputs = 1;
  node.numCaptured = 1;
  GraphValue value;
  value.isFloatTensor = true;
  value.shape = {kSize};
  ValueId result = step.b.graph.addValue(value);
  node.results = {result};
  step.b.graph.addNode(node);
  EXPECT_EQ(step.b.graph.nodes.back().getRead(),
            (SmallVector<ValueId, 4>{step.x, step.w}));
  EXPECT_EQ(classify(step.b.graph).classes[step.b.node(result)],
            TensorClass::Embedding);
}

TEST(Phases, GradientsThatComeInBeginABackward) {
  GraphBuilder b;
  ValueId dy = b.argument(Origin::Gradient, {kSize, kSize}),
          x = b.argument(Origin::Input, {kSize, kSize}),
          w = b.argument(Origin::Parameter, {kSize, kSize});
  ValueId again = b.map(b.matmul(x, w, kSize, kSize, kSize));
  ValueId dw = b.matmul(again, dy, kSize, kSize, kSize),
          dx = b.matmul(dy, w, kSize, kSize, kSize);
  for (ValueId value : {dw, dx})
    b.ret(value);
  b.graph.values[dx].isInputGradient = true;
  Classification facts = classify(b.graph);
  EXPECT_EQ(facts.phases[b.node(again)], StepPhase::Forward);
  EXPECT_EQ(facts.directions[b.node(dw)], Direction::Wgrad);
  EXPECT_EQ(facts.directions[b.node(dx)], Direction::Dgrad);
  EXPECT_TRUE(facts.isWeightGradient[dw]);
  EXPECT_FALSE(facts.isWeightGradient[dx]);
  EXPECT_TRUE(facts.holdsGradient(b.graph, dy));
  EXPECT_FALSE(facts.holdsGradient(b.graph, x));
}

TEST(Phases, AScalarBesideGivenGradientsIsNoLoss) {
  // A backward of its own that updates, too, and returns its gradient's norm.
  GraphBuilder b;
  ValueId dy = b.argument(Origin::Gradient, {kSize, kSize}),
          x = b.argument(Origin::Input, {kSize, kSize}),
          w = b.argument(Origin::Parameter, {kSize, kSize});
  ValueId dw = b.matmul(b.layout(x, {kSize, kSize}), dy, kSize, kSize, kSize);
  ValueId norm = b.op(Structure::Reduction, {b.mul(dw, dw)}, {}, ArithAdd);
  ValueId updated = b.add(w, dw);
  b.ret(norm);
  b.ret(updated);
  b.graph.values[updated].isUpdated = true;
  Classification facts = classify(b.graph);
  EXPECT_EQ(facts.phases[b.node(dw)], StepPhase::Backward);
  EXPECT_EQ(facts.directions[b.node(dw)], Direction::Wgrad);
  EXPECT_EQ(facts.phases[b.node(updated)], StepPhase::Optimizer);
}

} // namespace
