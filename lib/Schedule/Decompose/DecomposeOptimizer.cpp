//===- DecomposeOptimizer.cpp - AdamW, gradient norm and clipping ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/DecomposeUpdate.h"

#include "prec/Dialect/Prec/Describe.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;
using train::ReduceKind;

// PyTorch computes these in double; in f32, 1 - beta^step would lose the digits
// that beta^step shares with 1 (three of seven for beta2 0.999 at step 1).
const AdamwScalars &AdamwDecomposer::getScalars(train::AdamwOp op,
                                                PrimitiveBuilder &b) {
  SmallVector<Value, 5> key = {op.getLr(), op.getBeta1(), op.getBeta2(),
                               op.getWeightDecay(), op.getStep()};
  auto [entry, isNew] = scalars.try_emplace(key);
  AdamwScalars &shared = entry->second;
  if (!isNew)
    return shared;
  Value one = b.scalarF64(1);
  Value lr = b.toF64(op.getLr()), step = b.toF64(op.getStep());
  Value beta1 = b.toF64(op.getBeta1()), beta2 = b.toF64(op.getBeta2());
  auto biasCorrection = [&](Value beta) {
    return b.sub(one, b.create<math::PowFOp>(beta, step));
  };
  Value decayed = b.mul(lr, b.toF64(op.getWeightDecay()));
  shared.decay = b.fromF64(b.sub(one, decayed));
  shared.negativeDecay = negate(decayed, b);
  shared.secondWeight = b.fromF64(b.sub(one, beta2));
  Value stepSize = b.div(lr, biasCorrection(beta1));
  shared.negativeStepSize = negate(stepSize, b);
  shared.secondCorrection =
      b.fromF64(b.create<math::SqrtOp>(biasCorrection(beta2)));

  shared.firstWeight = getLerpWeight(b.fromF64(b.sub(one, beta1)), b);
  return shared;
}

// The operations of torch.optim.AdamW on a CPU, rounding for rounding:
//   param.mul_(1 - lr * weight_decay)
//   exp_avg.lerp_(grad, 1 - beta1)
//   exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
//   denom = (exp_avg_sq.sqrt() / bias_correction2_sqrt).add_(eps)
//   param.addcdiv_(exp_avg, denom, value=-step_size)
// lerp starts from the nearer end, and it and addcmul use fused multiply-adds:
// where a moment cancels, another rounding would be many ulp of it.
Values AdamwDecomposer::decompose(train::AdamwOp op, PrimitiveBuilder &b) {
  const AdamwScalars &shared = getScalars(op, b);
  UpdateBuilder u(op, b);
  Value grad = u.gradient;
  Value decayed = b.mul(u.parameter, u.all(shared.decay));

  Value oldFirst = b.toF32(op.getExpAvg());
  Value first = u.lerp(shared.firstWeight, oldFirst, grad);

  Value oldSecond = b.toF32(op.getExpAvgSq());
  Value kept = b.mul(oldSecond, u.all(op.getBeta2()));
  Value weighted = b.mul(u.all(shared.secondWeight), grad);
  Value second = b.fma(weighted, grad, kept);

  Value root = b.create<math::SqrtOp>(second);
  root = b.div(root, u.all(shared.secondCorrection));
  Value denominator = b.add(root, u.all(op.getEps()));
  Value update = b.mul(u.all(shared.negativeStepSize), first);
  update = b.div(update, denominator);
  return u.finish(
      b.add(decayed, update), {{first, oldFirst}, {second, oldSecond}}, [&] {
        return b.add(b.mul(u.parameter, u.all(shared.negativeDecay)), update);
      });
}

/// What has the elements of `value`, in any order: a sum over all of them does
/// not ask for one, and is read as it lies.
static Value skipOrder(Value value) {
  while (Operation *op = value.getDefiningOp())
    if (isReshape(op) || isa<train::TransposeOp>(op))
      value = op->getOperand(0);
    else
      break;
  return value;
}

/// Matrices of shorter rows, such as those of a convolution of few channels,
/// would leave a number for every few elements to the second level.
static constexpr int64_t kShortestRow = 32, kLongestRow = 8192;

/// How many elements are summed first, of a tensor of so short rows that the
/// last dimension is none: a divisor of all that is long enough; 0 if there is
/// none, or if the tensor is small.
static int64_t chooseRow(RankedTensorType type) {
  constexpr int64_t enough = 256, small = 4096;
  int64_t count = type.getNumElements();
  if (type.getRank() < 2 || count < small ||
      type.getShape().back() >= kShortestRow)
    return 0;
  for (int64_t row = enough; row <= kLongestRow; ++row)
    if (count % row == 0)
      return row;
  return 0;
}

/// `value` as a matrix of rows of so many elements.
static Value toRows(Value value, int64_t row, PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(value);
  int64_t count = type.getNumElements();
  ReassociationIndices all(
      llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank())));
  value = b.create<tensor::CollapseShapeOp>(
      type.clone({count}), value, ArrayRef<ReassociationIndices>(all));
  ReassociationIndices both = {0, 1};
  return b.create<tensor::ExpandShapeOp>(type.clone({count / row, row}), value,
                                         ArrayRef<ReassociationIndices>(both));
}

Value SquareSums::get(Value input, PrimitiveBuilder &b) {
  input = skipOrder(input);
  Value &sum = sums[input];
  if (!sum) {
    Value x = b.toF32(input);
    if (int64_t row = chooseRow(tensorType(x)))
      x = toRows(x, row, b);
    sum = b.reduceAll(ReduceKind::Sum, b.mul(x, x));
  }
  return sum;
}

Values SquareSums::decompose(train::GlobalNormOp op, PrimitiveBuilder &b) {
  Value total;
  for (Value input : op.getInputs()) {
    Value squares = get(input, b);
    total = total ? b.add(total, squares) : squares;
  }
  return {b.create<math::SqrtOp>(total)};
}

Values prec::decompose(train::ClipOp op, PrimitiveBuilder &b) {
  Value norm = b.add(op.getNorm(), b.splat(1e-6, {}));
  return {b.create<arith::MinimumFOp>(b.div(op.getMaxNorm(), norm),
                                      b.splat(1, {}))};
}
