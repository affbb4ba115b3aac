//===- GraphBuilder.cpp - graphs for tests --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GraphBuilder.h"

using namespace mlir;
using namespace prec;
using namespace prec::test;

std::vector<ValueId> GraphBuilder::ops(Structure structure,
                                       ArrayRef<ValueId> operands,
                                       ArrayRef<ArrayRef<int64_t>> shapes) {
  GraphNode node;
  node.structure = structure;
  node.operands.assign(operands.begin(), operands.end());
  node.numInputs = operands.size();
  std::vector<ValueId> results;
  for (ArrayRef<int64_t> shape : shapes) {
    GraphValue value;
    value.isFloatTensor = true;
    value.shape.assign(shape.begin(), shape.end());
    results.push_back(graph.addValue(std::move(value)));
  }
  node.results.assign(results.begin(), results.end());
  graph.addNode(std::move(node));
  return results;
}

ValueId GraphBuilder::op(Structure structure, ArrayRef<ValueId> operands,
                         ArrayRef<int64_t> shape, uint32_t arithmetic) {
  SmallVector<int64_t> sizes(shape);
  ValueId result = ops(structure, operands, {ArrayRef<int64_t>(sizes)}).front();
  graph.nodes.back().arithmetic = arithmetic;
  return result;
}

ValueId GraphBuilder::matmul(ValueId a, ValueId b, int64_t m, int64_t n,
                             int64_t k) {
  ValueId result = op(Structure::Contraction, {a, b}, {m, n});
  graph.nodes.back().shape = {m, n, k, 1};
  graph.nodes.back().flops = 2.0 * m * n * k;
  return result;
}

Step prec::test::buildStep(unsigned layers, bool withRoles) {
  constexpr int64_t T = 32, D = 64, V = 128;
  Step step;
  GraphBuilder &b = step.builder;
  auto parameter = [&](ArrayRef<int64_t> shape) {
    return b.argument(withRoles ? Origin::Parameter : Origin::Input, shape);
  };
  ValueId ids = b.argument(Origin::Input, {T});
  b.graph.values[ids].isFloatTensor = false;
  ValueId table = parameter({V, D});
  std::vector<ValueId> weights, gammas, normed, rstds, streams;
  for (unsigned i = 0; i < layers; ++i) {
    weights.push_back(parameter({D, D}));
    gammas.push_back(parameter({D}));
  }
  gammas.push_back(parameter({D}));

  ValueId x = b.op(Structure::Embedding, {table, ids}, {T, D});
  for (unsigned i = 0; i <= layers; ++i) {
    streams.push_back(x);
    auto norm = b.ops(Structure::Norm, {x, gammas[i]}, {{T, D}, {T}});
    normed.push_back(norm[0]);
    rstds.push_back(norm[1]);
    if (i == layers)
      break;
    ValueId y = b.matmul(norm[0], weights[i], T, D, D);
    step.projections.push_back(y);
    x = b.add(x, b.map(y));
    step.residuals.push_back(x);
  }
  step.logits = b.matmul(normed[layers], table, T, V, D);
  auto loss = b.ops(Structure::Loss, {step.logits, ids}, {{}, {T}});
  step.loss = loss[0];
  b.ret(step.loss);

  step.dLogits =
      b.ops(Structure::Loss, {step.logits, ids, loss[1]}, {{T, V}})[0];
  step.headGradient = b.matmul(step.dLogits, normed[layers], V, D, T);
  step.dHead = b.matmul(step.dLogits, table, T, D, V);
  std::vector<ValueId> gradients = {step.headGradient};
  std::vector<ValueId> parameters = {table};
  auto last =
      b.ops(Structure::Norm,
            {step.dHead, streams[layers], gammas[layers], rstds[layers]},
            {{T, D}, {D}});
  ValueId dx = last[0];
  gradients.push_back(last[1]);
  parameters.push_back(gammas[layers]);
  for (unsigned i = layers; i-- > 0;) {
    ValueId dy = b.mul(dx, b.map(step.projections[i]));
    step.wgrads.push_back(b.matmul(dy, normed[i], D, D, T));
    step.dgrads.push_back(b.matmul(dy, weights[i], T, D, D));
    auto norm = b.ops(Structure::Norm,
                      {step.dgrads.back(), streams[i], gammas[i], rstds[i]},
                      {{T, D}, {D}});
    dx = b.add(dx, norm[0]);
    step.streamGradients.push_back(dx);
    gradients.insert(gradients.end(), {step.wgrads.back(), norm[1]});
    parameters.insert(parameters.end(), {weights[i], gammas[i]});
  }
  for (auto [p, g] : llvm::zip_equal(parameters, gradients)) {
    ArrayRef<int64_t> shape = b.graph.values[p].shape;
    SmallVector<int64_t> sizes(shape);
    ValueId m = b.argument(Origin::Moment, sizes),
            v = b.argument(Origin::Moment, sizes);
    // The projection finds the parameters of an optimizer without roles.
    b.graph.values[p].origin = Origin::Parameter;
    b.graph.updates.push_back({p, v});
    auto updated =
        b.ops(Structure::Optimizer, {p, g, m, v}, {sizes, sizes, sizes});
    for (ValueId value : updated)
      b.ret(value);
  }
  return step;
}

LoraStep prec::test::buildLoraStep() {
  constexpr int64_t T = 32, D = 64, R = 16, V = 128;
  LoraStep step;
  GraphBuilder &b = step.builder;
  ValueId x = b.argument(Origin::Input, {T, D}),
          frozen = b.argument(Origin::Parameter, {D, D});
  b.graph.values[frozen].isFrozen = true;
  step.down = b.argument(Origin::Parameter, {D, R});
  step.up = b.argument(Origin::Parameter, {R, D});
  step.base = b.matmul(x, frozen, T, D, D);
  ValueId inner = b.matmul(x, step.down, T, R, D);
  ValueId outer = b.matmul(inner, step.up, T, D, R);
  ValueId y = b.add(step.base, b.map(outer, ArithMul));
  ValueId ids = b.argument(Origin::Input, {T});
  b.graph.values[ids].isFloatTensor = false;
  ValueId head = b.argument(Origin::Parameter, {D, V});
  b.graph.values[head].isFrozen = true;
  ValueId logits = b.matmul(b.map(y), head, T, V, D);
  auto loss = b.ops(Structure::Loss, {logits, ids}, {{}, {T}});
  b.graph.values[loss[0]].isLoss = true;
  b.ret(loss[0]);
  ValueId dLogits = b.ops(Structure::Loss, {logits, ids, loss[1]}, {{T, V}})[0];
  ValueId dy = b.map(b.matmul(dLogits, head, T, D, V), ArithMul);
  ValueId dUp = b.matmul(inner, dy, R, D, T);
  ValueId dInner = b.matmul(dy, step.up, T, R, D);
  ValueId dDown = b.matmul(x, dInner, D, R, T);
  step.adapterContractions = {inner, outer, dUp, dInner, dDown};
  for (auto [p, g] : {std::pair(step.down, dDown), {step.up, dUp}}) {
    SmallVector<int64_t> sizes(ArrayRef<int64_t>(b.graph.values[p].shape));
    ValueId m = b.argument(Origin::Moment, sizes),
            v = b.argument(Origin::Moment, sizes);
    auto results =
        b.ops(Structure::Optimizer, {p, g, m, v}, {sizes, sizes, sizes});
    step.updated.push_back(results[0]);
    for (ValueId value : results)
      b.ret(value);
  }
  return step;
}
