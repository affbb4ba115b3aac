//===- DecomposeLoss.cpp - softmax and cross entropy ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/Decompose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
/// index, so that rows need no indexed access. Where a rank has a slice of the
/// columns, labels of others are below 0 or beyond the last one.
template <typename OpTy>
static Value buildOneHot(OpTy op, PrimitiveBuilder &b) {
  ArrayRef<int64_t> shape = shapeOf(op.getLogits());
  Value labels = op.getLabels(), column = b.iota(1, shape);
  if (op.getAxis())
    labels = b.create<arith::SubIOp>(
        labels, b.broadcastRows(buildFirstRow(*op.getAxis(), *op.getRanks(),
                                              shape.back(), labels, b),
                                shapeOf(labels)));
  return b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, column,
                                 b.broadcastRows(labels, shape));
}

namespace {
/// Of each row: the largest logit, the sum of exponentials of what is taken
/// from it, and the logit of the label.
struct RowTerms {
  Value maximum, sum, picked;
};
} // namespace

/// Those of whole rows from those of all ranks' slices, which are exchanged at
/// once.
static RowTerms joinSlices(RowTerms slice, StringRef axis, int64_t ranks,
                           PrimitiveBuilder &b) {
  const int64_t rows = shapeOf(slice.sum).front();
  RankedTensorType type = tensorType(slice.sum);
  Value three = b.create<tensor::ConcatOp>(
      type.clone({3 * rows}), 0,
      ValueRange{slice.maximum, slice.sum, slice.picked});
  Value all = gather(axis, ranks, three, b);
  auto cut = [&](int64_t term) {
    return b.create<tensor::ExtractSliceOp>(
        type.clone({ranks, rows}), all, ValueRange(), ValueRange(),
        ValueRange(), ArrayRef<int64_t>{0, term * rows},
        ArrayRef<int64_t>{ranks, rows}, ArrayRef<int64_t>{1, 1});
  };
  Value maxima = cut(0);
  Value maximum = b.reduceColumns(ReduceKind::Max, maxima);
  Value above = b.sub(maxima, b.broadcastColumns(maximum, shapeOf(maxima)));
  return {maximum, addUp(b.mul(cut(1), b.exp(above)), b), addUp(cut(2), b)};
}

Values prec::decompose(train::CrossEntropyOp op, PrimitiveBuilder &b) {
  Value logits = b.toF32(op.getLogits());
  Value labels = op.getLabels();
  ArrayRef<int64_t> shape = shapeOf(logits);
  RowExponentials row = buildExponentials(logits, b);
  Value oneHot = buildOneHot(op, b);
  Value picked = b.reduceRows(ReduceKind::Sum,
                              b.select(oneHot, logits, b.splat(0, shape)));
  RowTerms terms{row.maximum, row.sum, picked};
  if (op.getAxis())
    terms = joinSlices(terms, *op.getAxis(), *op.getRanks(), b);
  Value logSum = b.create<math::LogOp>(terms.sum);
  Value valid = buildValid(labels, op.getIgnoreIndex(), b);
  // Counted from the largest logit: a small loss is the difference of two large
  // numbers otherwise.
  Value rowLoss = b.add(logSum, b.sub(terms.maximum, terms.picked));
  Value total = b.reduceAll(ReduceKind::Sum,
                            b.select(valid, rowLoss, b.splatLike(0, rowLoss)));
  Value loss = b.div(total, buildCount(valid, b));
  return {loss, b.roundTo(terms.maximum, op.getMaximum()),
          b.roundTo(logSum, op.getLogSum())};
}

Values prec::decompose(train::CrossEntropyGradOp op, PrimitiveBuilder &b) {
  Value logits = b.toF32(op.getLogits());
  Value labels = op.getLabels();
  ArrayRef<int64_t> shape = shapeOf(logits);
  Value valid = buildValid(labels, op.getIgnoreIndex(), b);
  Value weight = b.div(op.getGrad(), buildCount(valid, b));
  auto ofRows = [&](Value value) {
    return b.broadcastRows(b.toF32(value), shape);
  };
  // The largest logit first: what is left is small where a probability is not,
  // and has its digits.
  Value below = b.sub(logits, ofRows(op.getMaximum()));
  Value probability = b.exp(b.sub(below, ofRows(op.getLogSum())));
  Value one = b.splat(1, shape), zero = b.splat(0, shape);
  Value oneHot = b.select(buildOneHot(op, b), one, zero);
  Value difference = b.sub(probability, oneHot);
  Value grad = b.mul(difference, b.broadcastRows(weight, shape));
  Value result = b.select(b.broadcastRows(valid, shape), grad, zero);
  return {b.roundTo(result, op.getGradLogits())};
}
