//===- DecomposeLoss.cpp - softmax and cross entropy ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/Decompose.h"

using namespace mlir;
using namespace prec;
using train::ReduceKind;

namespace {
/// A row's largest element, and exp(x - maximum) with its sum.
struct RowExponentials {
  Value maximum, exponentials, sum;
};
} // namespace

static RowExponentials buildExponentials(Value x, PrimitiveBuilder &b) {
  RowExponentials row;
  row.maximum = b.reduceRows(ReduceKind::Max, x);
  row.exponentials = b.exp(b.sub(x, b.broadcastRows(row.maximum, shapeOf(x))));
  row.sum = b.reduceRows(ReduceKind::Sum, row.exponentials);
  return row;
}

Values prec::decompose(train::SoftmaxOp op, PrimitiveBuilder &b) {
  Value x = b.toF32(op.getInput());
  RowExponentials row = buildExponentials(x, b);
  Value result = b.div(row.exponentials, b.broadcastRows(row.sum, shapeOf(x)));
  return {b.roundTo(result, op.getResult())};
}

Values prec::decompose(train::SoftmaxGradOp op, PrimitiveBuilder &b) {
  Value grad = b.toF32(op.getGrad());
  Value output = b.toF32(op.getOutput());
  Value sum = b.reduceRows(ReduceKind::Sum, b.mul(grad, output));
  Value result =
      b.mul(output, b.sub(grad, b.broadcastRows(sum, shapeOf(grad))));
  return {b.roundTo(result, op.getGradInput())};
}

/// Which rows count.
static Value buildValid(Value labels, int64_t ignoreIndex,
                        PrimitiveBuilder &b) {
  return b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, labels,
                                 b.splatInt(ignoreIndex, shapeOf(labels)));
}

/// How many rows count, at least 1: with none the sums to divide are 0.
static Value buildCount(Value valid, PrimitiveBuilder &b) {
  ArrayRef<int64_t> shape = shapeOf(valid);
  Value one = b.splat(1, shape), zero = b.splat(0, shape);
  Value count = b.reduceAll(ReduceKind::Sum, b.select(valid, one, zero));
  return b.create<arith::MaximumFOp>(count, b.splat(1, {}));
}

/// Where a logit is that of its row's label. A comparison with the column
/// index, so that rows need no indexed access.
static Value buildOneHot(Value labels, ArrayRef<int64_t> shape,
                         PrimitiveBuilder &b) {
  Value column = b.iota(1, shape);
  return b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, column,
                                 b.broadcastRows(labels, shape));
}

Values prec::decompose(train::CrossEntropyOp op, PrimitiveBuilder &b) {
  Value logits = b.toF32(op.getLogits());
  Value labels = op.getLabels();
  ArrayRef<int64_t> shape = shapeOf(logits);
  RowExponentials row = buildExponentials(logits, b);
  Value logSum = b.create<math::LogOp>(row.sum);
  Value lse = b.add(logSum, row.maximum);
  Value oneHot = buildOneHot(labels, shape, b);
  Value picked = b.reduceRows(ReduceKind::Sum,
                              b.select(oneHot, logits, b.splat(0, shape)));
  Value valid = buildValid(labels, op.getIgnoreIndex(), b);
  // Counted from the largest logit: a small loss is the difference of two large
  // numbers otherwise.
  Value rowLoss = b.add(logSum, b.sub(row.maximum, picked));
  Value total = b.reduceAll(ReduceKind::Sum,
                            b.select(valid, rowLoss, b.splatLike(0, rowLoss)));
  Value loss = b.div(total, buildCount(valid, b));
  return {loss, b.roundTo(lse, op.getLse())};
}

Values prec::decompose(train::CrossEntropyGradOp op, PrimitiveBuilder &b) {
  Value logits = b.toF32(op.getLogits());
  Value labels = op.getLabels();
  ArrayRef<int64_t> shape = shapeOf(logits);
  Value valid = buildValid(labels, op.getIgnoreIndex(), b);
  Value weight = b.div(op.getGrad(), buildCount(valid, b));
  Value lse = b.broadcastRows(b.toF32(op.getLse()), shape);
  Value probability = b.exp(b.sub(logits, lse));
  Value one = b.splat(1, shape), zero = b.splat(0, shape);
  Value oneHot = b.select(buildOneHot(labels, shape, b), one, zero);
  Value difference = b.sub(probability, oneHot);
  Value grad = b.mul(difference, b.broadcastRows(weight, shape));
  Value result = b.select(b.broadcastRows(valid, shape), grad, zero);
  return {b.roundTo(result, op.getGradLogits())};
}
