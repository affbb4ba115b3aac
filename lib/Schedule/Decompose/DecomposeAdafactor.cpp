//===- DecomposeAdafactor.cpp - Adafactor ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/DecomposeUpdate.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

#include <cmath>

using namespace mlir;
using namespace prec;
using train::ReduceKind;

// PyTorch computes these in double, from the exponent that the user gave.
template <typename Adafactor>
const AdafactorScalars &AdafactorDecomposer::getScalars(Adafactor op,
                                                        PrimitiveBuilder &b) {
  SmallVector<Value, 5> key = {op.getLr(), op.getBeta2Decay(), op.getEps1(),
                               op.getWeightDecay(), op.getStep()};
  auto [entry, isNew] = scalars.try_emplace(key);
  AdafactorScalars &shared = entry->second;
  if (!isNew)
    return shared;
  Value one = b.scalarF64(1);
  Value lr = b.toF64(op.getLr()), step = b.toF64(op.getStep());
  Value weight = b.create<math::PowFOp>(step, b.toF64(op.getBeta2Decay()));
  shared.weight = getLerpWeight(b.fromF64(weight), b);
  Value root = b.div(one, b.create<math::SqrtOp>(step));
  shared.relativeRate = b.create<arith::MinimumFOp>(lr, root);
  Value decayed = b.mul(lr, b.toF64(op.getWeightDecay()));
  shared.decay = b.fromF64(b.sub(one, decayed));
  shared.negativeDecay = negate(decayed, b);
  Value eps = b.toF64(op.getEps1());
  shared.smallest = b.fromF64(b.mul(eps, eps));
  return shared;
}

/// The same elements in another shape of ones.
static Value reshape(Value value, ArrayRef<int64_t> shape,
                     PrimitiveBuilder &b) {
  RankedTensorType from = tensorType(value), to = from.clone(shape);
  auto groups = *getReassociationIndicesForReshape(from, to);
  if (from.getRank() > to.getRank())
    return b.create<tensor::CollapseShapeOp>(to, value, groups);
  return b.create<tensor::ExpandShapeOp>(to, value, groups);
}

/// The f64 norm of all elements, divided by the root of their number.
static Value getRms(Value value, PrimitiveBuilder &b) {
  Value squares = b.reduceAll(ReduceKind::Sum, b.mul(value, value));
  Value norm = b.toF64(b.create<math::SqrtOp>(squares));
  double count = tensorType(value).getNumElements();
  return b.div(norm, b.scalarF64(std::sqrt(count)));
}

/// From the estimated second moments on, which may be zero.
template <typename Adafactor>
static Values finishUpdate(Adafactor op, const AdafactorScalars &shared,
                           Value estimate, ArrayRef<StateUpdate> states,
                           UpdateBuilder &u, PrimitiveBuilder &b) {
  Value bounded = b.create<arith::MaximumFOp>(estimate, u.all(shared.smallest));
  Value direction = b.mul(b.create<math::RsqrtOp>(bounded), u.gradient);
  Value clip = b.create<arith::MaximumFOp>(
      b.scalarF64(1), b.div(getRms(direction, b), b.toF64(op.getD())));
  Value rms = b.create<arith::MaximumFOp>(b.toF64(op.getEps2()),
                                          getRms(u.parameter, b));
  Value rate = b.div(b.mul(rms, shared.relativeRate), clip);
  Value negativeRate = u.all(negate(rate, b));
  Value decayed = b.mul(u.parameter, u.all(shared.decay));
  return u.finish(b.fma(negativeRate, direction, decayed), states, [&] {
    return b.fma(negativeRate, direction,
                 b.mul(u.parameter, u.all(shared.negativeDecay)));
  });
}

// The operations of torch.optim.Adafactor on a CPU, but for the order of sums:
//   row_var.lerp_((g * g).mean(-1), step ** beta2_decay), col_var alike
//   var = row_var @ col_var / row_var.mean(-2).clamp_(min=eps1)
//   update = var.clamp_(min=eps1 * eps1).rsqrt_() * grad
//   param.add_(update, alpha=-alpha / max(1, update.norm() / (sqrt(n) * d)))
Values AdafactorDecomposer::decompose(train::AdafactorOp op,
                                      PrimitiveBuilder &b) {
  const AdafactorScalars &shared = getScalars(op, b);
  UpdateBuilder u(op, b);
  ArrayRef<int64_t> shape = shapeOf(op.getParameter());
  int64_t rank = shape.size();
  Value squares = b.mul(u.gradient, u.gradient);
  // The state, and the new one without its dimension of one.
  auto average = [&](Value state, int64_t dim) {
    Value sum = b.reduce(ReduceKind::Sum, squares, {dim});
    Value mean = b.div(sum, b.splatLike(double(shape[dim]), sum));
    Value old = b.toF32(state);
    Value next = u.lerp(shared.weight, old, reshape(mean, shapeOf(old), b));
    return std::pair(StateUpdate{next, old}, reshape(next, shapeOf(sum), b));
  };
  auto [newRows, rows] = average(op.getRowVar(), rank - 1);
  auto [newColumns, columns] = average(op.getColVar(), rank - 2);

  SmallVector<int64_t> columnDims =
      llvm::to_vector(llvm::seq<int64_t>(0, rank - 1));
  columnDims.back() = rank - 1;
  Value mean = b.meanRows(rows);
  mean = b.create<arith::MaximumFOp>(
      mean, b.broadcastRows(op.getEps1(), shapeOf(mean)));
  Value estimate = b.mul(b.broadcastRows(rows, shape),
                         b.broadcast(columns, columnDims, shape));
  estimate = b.div(estimate, b.broadcastRows(mean, shape));
  return finishUpdate(op, shared, estimate, {newRows, newColumns}, u, b);
}

Values AdafactorDecomposer::decompose(train::AdafactorUnfactoredOp op,
                                      PrimitiveBuilder &b) {
  const AdafactorScalars &shared = getScalars(op, b);
  UpdateBuilder u(op, b);
  Value old = b.toF32(op.getVariance());
  Value squares = b.mul(u.gradient, u.gradient);
  Value next = u.lerp(shared.weight, old, squares);
  return finishUpdate(op, shared, next, {{next, old}}, u, b);
}
