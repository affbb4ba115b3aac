//===- MoeStep.cpp - a block with experts, as a graph ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MoeStep.h"

using namespace mlir;
using namespace prec;
using namespace prec::test;

namespace {

constexpr int64_t kTokens = 128, kModel = 128, kVocabulary = 256, kExperts = 16;

struct MoeBuilder {
  explicit MoeBuilder(bool isSigmoid) : isSigmoid(isSigmoid) {}

  void run() {
    forward();
    backward();
    update();
  }

  MoeStep step;

private:
  ValueId parameter(ArrayRef<int64_t> shape) {
    step.parameters.push_back(b.argument(Origin::Parameter, shape));
    step.gradients.push_back(kNone);
    return step.parameters.back();
  }
  void setGradient(ValueId parameter, ValueId gradient) {
    for (auto [p, g] : llvm::zip_equal(step.parameters, step.gradients))
      if (p == parameter)
        g = gradient;
  }
  ValueId project(ValueId x, ValueId w) {
    step.projections.push_back(b.matmul(x, w, kTokens, kModel, kModel));
    return step.projections.back();
  }
  /// Both gradients of `project`.
  ValueId projectBack(ValueId dy, ValueId x, ValueId w) {
    step.wgrads.push_back(b.matmul(dy, x, kModel, kModel, kTokens));
    step.dgrads.push_back(b.matmul(dy, w, kTokens, kModel, kModel));
    setGradient(w, step.wgrads.back());
    return step.dgrads.back();
  }
  void forward();
  void backward();
  void update();

  bool isSigmoid;
  GraphBuilder &b = step.builder;
  ValueId ids, weights[6], gateWeight, gammas[3], streams[3], normed[3],
      rstds[3], q, k, v, lse, hidden, expert, weighted;
};

} // namespace

void MoeBuilder::forward() {
  constexpr int64_t T = kTokens, D = kModel;
  ids = b.argument(Origin::Input, {T});
  b.graph.values[ids].isFloatTensor = false;
  step.table = parameter({kVocabulary, D});
  for (ValueId &weight : weights)
    weight = parameter({D, D});
  gateWeight = parameter({D, kExperts});
  for (ValueId &gamma : gammas)
    gamma = parameter({D});
  step.gamma = gammas[0];
  auto norm = [&](unsigned i) {
    auto results =
        b.ops(Structure::Norm, {streams[i], gammas[i]}, {{T, D}, {T}});
    normed[i] = results[0];
    rstds[i] = results[1];
  };

  streams[0] = step.embedded =
      b.op(Structure::Embedding, {step.table, ids}, {T, D});
  norm(0);
  step.normed = normed[0];
  step.rstd = rstds[0];
  q = project(normed[0], weights[0]);
  k = project(normed[0], weights[1]);
  v = project(normed[0], weights[2]);
  step.scores = b.matmul(q, k, T, T, D);
  step.probabilities =
      b.op(Structure::Softmax, {b.map(step.scores, ArithMul)}, {T, T});
  step.attended = b.matmul(step.probabilities, v, T, D, T);
  streams[1] = b.add(streams[0], project(step.attended, weights[3]));
  norm(1);

  step.routerScores = b.matmul(normed[1], gateWeight, T, kExperts, D);
  step.gate =
      isSigmoid ? b.map(b.map(step.routerScores, ArithExp), ArithDiv)
                : b.op(Structure::Softmax, {step.routerScores}, {T, kExperts});
  ValueId chosen = b.op(Structure::Index, {step.gate}, {T});
  b.graph.values[chosen].isFloatTensor = false;
  ValueId share = b.op(Structure::Gather, {step.gate, chosen}, {T});
  hidden = b.map(project(normed[1], weights[4]));
  expert = project(hidden, weights[5]);
  weighted = b.mul(expert, b.layout(share, {T, D}));
  streams[2] = b.add(streams[1], weighted);
  norm(2);
  step.residuals = {streams[1], streams[2]};

  step.logits = b.matmul(normed[2], step.table, T, kVocabulary, D);
  auto loss = b.ops(Structure::Loss, {step.logits, ids}, {{}, {T}});
  step.loss = loss[0];
  lse = loss[1];
  b.graph.values[step.loss].isLoss = true;
  b.ret(step.loss);
}

void MoeBuilder::backward() {
  constexpr int64_t T = kTokens, D = kModel;
  auto normBack = [&](unsigned i, ValueId dy) {
    auto results = b.ops(Structure::Norm, {dy, streams[i], gammas[i], rstds[i]},
                         {{T, D}, {D}});
    setGradient(gammas[i], results[1]);
    return results[0];
  };
  step.dLogits =
      b.ops(Structure::Loss, {step.logits, ids, lse}, {{T, kVocabulary}})[0];
  step.headWgrad = b.matmul(step.dLogits, normed[2], kVocabulary, D, T);
  step.headDgrad = b.matmul(step.dLogits, step.table, T, D, kVocabulary);
  ValueId dx = normBack(2, step.headDgrad);

  ValueId dExpert = b.mul(dx, b.layout(step.gate, {T, D}));
  ValueId dHidden = b.mul(projectBack(dExpert, hidden, weights[5]), hidden);
  ValueId dNormed = projectBack(dHidden, normed[1], weights[4]);
  ValueId dShare =
      b.op(Structure::Reduction, {b.mul(dx, expert)}, {T}, ArithAdd);
  ValueId dGate = b.layout(dShare, {T, kExperts});
  ValueId dRouter =
      isSigmoid ? b.mul(dGate, step.gate)
                : b.op(Structure::Softmax, {dGate, step.gate}, {T, kExperts});
  step.routerWgrad = b.matmul(dRouter, normed[1], D, kExperts, T);
  step.routerDgrad = b.matmul(dRouter, gateWeight, T, D, kExperts);
  setGradient(gateWeight, step.routerWgrad);
  dx = b.add(dx, normBack(1, b.add(dNormed, step.routerDgrad)));
  step.streamGradients.push_back(dx);

  ValueId dAttended = projectBack(dx, step.attended, weights[3]);
  ValueId dp = b.matmul(dAttended, v, T, T, D);
  ValueId dv = b.matmul(step.probabilities, dAttended, T, D, T);
  ValueId ds = b.op(Structure::Softmax, {dp, step.probabilities}, {T, T});
  ValueId scaled = b.map(ds, ArithMul);
  ValueId dq = b.matmul(scaled, k, T, D, T), dk = b.matmul(scaled, q, T, D, T);
  step.attentionGradients = {dp, dv, dq, dk};
  ValueId dn = b.add(b.add(projectBack(dq, normed[0], weights[0]),
                           projectBack(dk, normed[0], weights[1])),
                     projectBack(dv, normed[0], weights[2]));
  dx = b.add(dx, normBack(0, dn));
  step.streamGradients.push_back(dx);
  ValueId dTable =
      b.op(Structure::ScatterAdd, {dx, ids}, {kVocabulary, D}, ArithAdd);
  setGradient(step.table, b.add(step.headWgrad, dTable));
}

void MoeBuilder::update() {
  step.gradientNorm = b.op(Structure::Clipping, step.gradients, {});
  step.clipped = b.op(Structure::Clipping, {step.gradientNorm}, {});
  for (auto [p, g] : llvm::zip_equal(step.parameters, step.gradients)) {
    SmallVector<int64_t> sizes(ArrayRef<int64_t>(b.graph.values[p].shape));
    ValueId m = b.argument(Origin::Moment, sizes),
            v = b.argument(Origin::Moment, sizes);
    step.moments.insert(step.moments.end(), {m, v});
    auto results = b.ops(Structure::Optimizer, {p, g, m, v, step.clipped},
                         {sizes, sizes, sizes});
    step.updated.push_back(results[0]);
    step.updatedMoments.insert(step.updatedMoments.end(),
                               {results[1], results[2]});
    for (ValueId value : results)
      b.ret(value);
  }
}

MoeStep prec::test::buildMoeStep(bool isSigmoid) {
  MoeBuilder builder(isSigmoid);
  builder.run();
  return std::move(builder.step);
}
