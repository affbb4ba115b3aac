//===- DecomposeOptimizer.cpp - AdamW, gradient norm and clipping ---------===//
#include "Decompose.h"

using namespace mlir;
using namespace mlir::prec;
using train::ReduceKind;

/// 1 - beta^step. Computed as 1 - pow it would lose all digits that beta^step
/// shares with 1 (three of seven for beta 0.999 at step 1); beta - 1 is exact
/// in f32 from 0.5 on, and expm1 of a negative argument does not amplify the
/// argument's relative error.
static Value buildBiasCorrection(Value beta, Value step, PrimitiveBuilder &b) {
  Value log = b.create<math::Log1pOp>(b.sub(beta, b.splat(1, {})));
  return b.create<arith::NegFOp>(b.create<math::ExpM1Op>(b.mul(step, log)));
}

const AdamwScalars &AdamwDecomposer::getScalars(train::AdamwOp op,
                                                PrimitiveBuilder &b) {
  SmallVector<Value, 5> key = {op.getLr(), op.getBeta1(), op.getBeta2(),
                               op.getWeightDecay(), op.getStep()};
  auto [entry, isNew] = scalars.try_emplace(key);
  AdamwScalars &shared = entry->second;
  if (!isNew)
    return shared;
  Value one = b.splat(1, {});
  shared.decay = b.sub(one, b.mul(op.getLr(), op.getWeightDecay()));
  shared.firstWeight = b.sub(one, op.getBeta1());
  shared.secondWeight = b.sub(one, op.getBeta2());
  Value stepSize =
      b.div(op.getLr(), buildBiasCorrection(op.getBeta1(), op.getStep(), b));
  shared.negativeStepSize = b.create<arith::NegFOp>(stepSize);
  shared.secondCorrection = b.create<math::SqrtOp>(
      buildBiasCorrection(op.getBeta2(), op.getStep(), b));
  return shared;
}

// The order of operations of torch.optim.AdamW on one tensor:
//   param.mul_(1 - lr * weight_decay)
//   exp_avg.lerp_(grad, 1 - beta1)
//   exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
//   denom = (exp_avg_sq.sqrt() / bias_correction2_sqrt).add_(eps)
//   param.addcdiv_(exp_avg, denom, value=-step_size)
Values AdamwDecomposer::decompose(train::AdamwOp op, PrimitiveBuilder &b) {
  const AdamwScalars &shared = getScalars(op, b);
  ArrayRef<int64_t> shape = shapeOf(op.getParameter());
  auto all = [&](Value scalar) { return b.broadcastRows(scalar, shape); };

  Value grad = b.mul(b.toF32(op.getGradient()), all(op.getGradScale()));
  Value parameter = b.mul(b.toF32(op.getParameter()), all(shared.decay));
  Value oldFirst = b.toF32(op.getExpAvg());
  Value first = b.add(
      oldFirst, b.mul(all(shared.firstWeight), b.sub(grad, oldFirst)));
  Value second =
      b.add(b.mul(b.toF32(op.getExpAvgSq()), all(op.getBeta2())),
            b.mul(b.mul(all(shared.secondWeight), grad), grad));
  Value denominator =
      b.add(b.div(b.create<math::SqrtOp>(second), all(shared.secondCorrection)),
            all(op.getEps()));
  Value result = b.add(
      parameter, b.div(b.mul(all(shared.negativeStepSize), first), denominator));
  return {b.roundTo(result, op.getNewParameter()),
          b.roundTo(first, op.getNewExpAvg()),
          b.roundTo(second, op.getNewExpAvgSq())};
}

Values prec::decompose(train::GlobalNormOp op, PrimitiveBuilder &b) {
  Value total;
  for (Value input : op.getInputs()) {
    Value x = b.toF32(input);
    Value squares = b.reduceAll(ReduceKind::Sum, b.mul(x, x));
    total = total ? b.add(total, squares) : squares;
  }
  return {b.create<math::SqrtOp>(total)};
}

Values prec::decompose(train::ClipOp op, PrimitiveBuilder &b) {
  Value norm = b.add(op.getNorm(), b.splat(1e-6, {}));
  return {b.create<arith::MinimumFOp>(b.div(op.getMaxNorm(), norm),
                                      b.splat(1, {}))};
}
