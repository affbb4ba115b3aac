//===- DecomposeSgd.cpp - SGD and Lion ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/DecomposeUpdate.h"

using namespace mlir;
using namespace prec;

// The operations of torch.optim.SGD on a CPU, which fuses `add` with its alpha:
//   grad = grad.add(param, alpha=weight_decay)
//   param.add_(grad, alpha=-lr)
Values SgdDecomposer::decompose(train::SgdOp op, PrimitiveBuilder &b) {
  const SgdScalars &shared = getScalars(op, Value(), b);
  UpdateBuilder u(op, b);
  Value rate = u.all(shared.negativeRate);
  Value grad = b.fma(u.all(op.getWeightDecay()), u.parameter, u.gradient);
  return u.finish(b.fma(rate, grad, u.parameter), {},
                  [&] { return b.mul(rate, grad); });
}

//   buf.mul_(momentum).add_(grad, alpha=1 - dampening), grad at first
//   grad = grad.add(buf, alpha=momentum) if nesterov else buf
Values SgdDecomposer::decompose(train::SgdMomentumOp op, PrimitiveBuilder &b) {
  const SgdScalars &shared = getScalars(op, op.getDampening(), b);
  UpdateBuilder u(op, b);
  Value rate = u.all(shared.negativeRate);
  Value grad = b.fma(u.all(op.getWeightDecay()), u.parameter, u.gradient);
  Value momentum = u.all(op.getMomentum());
  Value buffer = b.toF32(op.getMomentumBuffer());
  Value next =
      b.fma(u.all(shared.gradientWeight), grad, b.mul(buffer, momentum));
  next = b.select(u.all(shared.isFirst), grad, next);
  Value change = op.getNesterov() ? b.fma(momentum, next, grad) : next;
  return u.finish(b.fma(rate, change, u.parameter), {{next, buffer}},
                  [&] { return b.mul(rate, change); });
}

const SgdScalars &SgdDecomposer::getScalars(train::OptimizerOpInterface op,
                                            Value dampening,
                                            PrimitiveBuilder &b) {
  SmallVector<Value, 3> key = {op.getLr(), op.getStep(), dampening};
  auto [entry, isNew] = scalars.try_emplace(key);
  SgdScalars &shared = entry->second;
  if (!isNew)
    return shared;
  shared.negativeRate = b.create<arith::NegFOp>(op.getLr());
  if (dampening) {
    shared.gradientWeight = b.sub(b.splat(1, {}), dampening);
    shared.isFirst = b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ,
                                             op.getStep(), b.splat(1, {}));
  }
  return shared;
}

const LionScalars &LionDecomposer::getScalars(train::LionOp op,
                                              PrimitiveBuilder &b) {
  SmallVector<Value, 4> key = {op.getLr(), op.getBeta1(), op.getBeta2(),
                               op.getWeightDecay()};
  auto [entry, isNew] = scalars.try_emplace(key);
  LionScalars &shared = entry->second;
  if (!isNew)
    return shared;
  Value one = b.scalarF64(1);
  Value decayed = b.mul(b.toF64(op.getLr()), b.toF64(op.getWeightDecay()));
  shared.decay = b.fromF64(b.sub(one, decayed));
  shared.negativeDecay = negate(decayed, b);
  shared.negativeRate = b.create<arith::NegFOp>(op.getLr());
  shared.firstWeight = b.fromF64(b.sub(one, b.toF64(op.getBeta1())));
  shared.secondWeight = b.fromF64(b.sub(one, b.toF64(op.getBeta2())));
  return shared;
}

/// -1, 0 or 1; NaN is 0.
static Value getSign(Value value, PrimitiveBuilder &b) {
  Value zero = b.splatLike(0, value);
  auto is = [&](arith::CmpFPredicate predicate) {
    return b.create<arith::CmpFOp>(predicate, value, zero);
  };
  Value negative =
      b.select(is(arith::CmpFPredicate::OLT), b.splatLike(-1, value), zero);
  return b.select(is(arith::CmpFPredicate::OGT), b.splatLike(1, value),
                  negative);
}

// The operations of lion_pytorch on a CPU:
//   p.mul_(1 - lr * wd)
//   update = exp_avg.mul(beta1).add(grad, alpha=1 - beta1).sgn_()
//   p.add_(update, alpha=-lr)
//   exp_avg.mul_(beta2).add_(grad, alpha=1 - beta2)
Values LionDecomposer::decompose(train::LionOp op, PrimitiveBuilder &b) {
  const LionScalars &shared = getScalars(op, b);
  UpdateBuilder u(op, b);
  Value moment = b.toF32(op.getExpAvg());
  auto blend = [&](Value beta, Value weight) {
    return b.fma(u.all(weight), u.gradient, b.mul(moment, u.all(beta)));
  };
  Value sign = getSign(blend(op.getBeta1(), shared.firstWeight), b);
  Value change = b.mul(u.all(shared.negativeRate), sign);
  Value next = blend(op.getBeta2(), shared.secondWeight);
  Value decayed = b.mul(u.parameter, u.all(shared.decay));
  return u.finish(b.add(decayed, change), {{next, moment}}, [&] {
    return b.add(b.mul(u.parameter, u.all(shared.negativeDecay)), change);
  });
}
