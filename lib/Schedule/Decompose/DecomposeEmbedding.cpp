//===- DecomposeEmbedding.cpp - rotary and token embeddings ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/Decompose.h"

#include "prec/Dialect/Prec/Describe.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace prec;

/// Half 0 or 1 of the last dimension.
static Value buildHalf(Value value, int64_t half, PrimitiveBuilder &b) {
  SmallVector<int64_t> sizes(shapeOf(value));
  sizes.back() /= 2;
  SmallVector<int64_t> offsets(sizes.size(), 0), strides(sizes.size(), 1);
  offsets.back() = half * sizes.back();
  return b.create<tensor::ExtractSliceOp>(
      tensorType(value).clone(sizes), value, ValueRange(), ValueRange(),
      ValueRange(), offsets, sizes, strides);
}

Values prec::decompose(train::RopeOp op, PrimitiveBuilder &b) {
  Value x = b.toF32(op.getInput());
  Value x1 = buildHalf(x, 0, b), x2 = buildHalf(x, 1, b);
  Value cos = b.broadcastColumns(b.toF32(op.getCos()), shapeOf(x1));
  Value sin = b.broadcastColumns(b.toF32(op.getSin()), shapeOf(x1));
  Value x1cos = b.mul(x1, cos), x2sin = b.mul(x2, sin);
  Value x2cos = b.mul(x2, cos), x1sin = b.mul(x1, sin);
  bool inverse = op.getInverse();
  Value y1 = inverse ? b.add(x1cos, x2sin) : b.sub(x1cos, x2sin);
  Value y2 = inverse ? b.sub(x2cos, x1sin) : b.add(x2cos, x1sin);
  int64_t last = tensorType(x).getRank() - 1;
  Value y = b.create<tensor::ConcatOp>(x.getType(), last, ValueRange{y1, y2});
  return {b.roundTo(y, op.getResult())};
}

namespace {
/// Indices into a rank's slice of a table.
struct OwnRows {
  Value ids;
  /// Whether an index is of this slice; null where a rank has all rows.
  Value isOwn;

  /// `rows` where they are of this slice, else zeros.
  Value select(Value rows, PrimitiveBuilder &b) const {
    return isOwn ? b.select(b.broadcastRows(isOwn, shapeOf(rows)), rows,
                            b.zeros(tensorType(rows)))
                 : rows;
  }
};
} // namespace

/// Indices of other slices become those that they are in theirs, so that they
/// spread over all rows.
template <typename OpTy>
static OwnRows findOwnRows(OpTy op, int64_t rows, PrimitiveBuilder &b) {
  Value ids = op.getIds();
  if (!op.getAxis())
    return {ids, {}};
  RankedTensorType type = tensorType(ids);
  Value first = buildFirstRow(*op.getAxis(), *op.getRanks(), rows, ids, b);
  Value count = b.create<arith::ConstantOp>(
      DenseElementsAttr::get(type, APInt(type.getElementTypeBitWidth(), rows)));
  Value inSlice =
      b.create<arith::SubIOp>(ids, b.broadcastRows(first, type.getShape()));
  // Those before it are large without a sign.
  return {b.create<arith::RemUIOp>(ids, count),
          b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, inSlice, count)};
}

Values prec::decompose(train::EmbeddingOp op, PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(op.getResult());
  OwnRows own = findOwnRows(op, shapeOf(op.getTable()).front(), b);
  Value rows = b.create<train::GatherOp>(
      type.clone(tensorType(op.getTable()).getElementType()), op.getTable(),
      own.ids, /*result_tags=*/nullptr, /*operand_tags=*/nullptr);
  rows = own.select(rows, b);
  if (rows.getType() == type)
    return {rows};
  return {b.roundTo(b.toF32(rows), op.getResult())};
}

/// Sums of single numbers by few ids, such as how many rows an expert gets: a
/// row for each id, in which the others are zeros, is reduced sooner than ids
/// are sorted. Null where sorting is less.
static Value sumByComparing(Value init, Value ids, Value updates,
                            PrimitiveBuilder &b) {
  constexpr int64_t most = int64_t(1) << 25, mostRows = 512;
  int64_t rows = shapeOf(init).front(),
          count = tensorType(ids).getNumElements();
  if (tensorType(init).getNumElements() != rows || rows > mostRows ||
      rows * count > most || !tensorType(init).getElementType().isF32() ||
      tensorType(ids).getRank() != 1)
    return {};
  Value terms = b.flatten(b.toF32(updates));
  int64_t shape[] = {rows, count};
  Value row = b.iota(0, shape);
  Type index = tensorType(ids).getElementType();
  if (index != tensorType(row).getElementType())
    row = b.create<arith::ExtSIOp>(tensorType(row).clone(index), row);
  Value isOwn = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, row,
                                        b.broadcast(ids, {1}, shape));
  Value own =
      b.select(isOwn, b.broadcast(terms, {1}, shape), b.splat(0, shape));
  Value sums =
      b.unflatten(b.reduceRows(train::ReduceKind::Sum, own), shapeOf(init));
  return matchPattern(skipReshapes(init), m_AnyZeroFloat()) ? sums
                                                            : b.add(init, sums);
}

Value RowSums::add(Value init, Value ids, Value updates, PrimitiveBuilder &b) {
  if (Value sums = sumByComparing(init, ids, updates, b))
    return sums;
  int64_t rows = shapeOf(init).front();
  Value &order = sorted[{ids, rows}];
  if (!order) {
    auto type = RankedTensorType::get({2, tensorType(ids).getNumElements()},
                                      tensorType(ids).getElementType());
    order = b.create<train::SortIdsOp>(type, ids, rows,
                                       /*result_tags=*/nullptr,
                                       /*operand_tags=*/nullptr);
  }
  return b.create<train::ScatterAddOp>(init.getType(), init, ids, updates,
                                       order, /*result_tags=*/nullptr,
                                       /*operand_tags=*/nullptr);
}

/// Rows of a table of few rows, such as that of the kinds of tokens: sums of
/// columns, of the gradients whose id it is and zeros for the others. The
/// kernel that makes the gradients computes them, too.
static Value sumFewRows(train::EmbeddingGradOp op, PrimitiveBuilder &b) {
  ArrayRef<int64_t> table = shapeOf(op.getGradTable());
  Value grad = b.toF32(op.getGrad());
  SmallVector<Value> rows;
  for (int64_t row = 0; row < table.front(); ++row) {
    Value isOwn =
        b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, op.getIds(),
                                b.splatInt(row, shapeOf(op.getIds())));
    Value own = b.select(b.broadcastRows(isOwn, shapeOf(grad)), grad,
                         b.splatLike(0, grad));
    rows.push_back(b.unflatten(b.reduceColumns(train::ReduceKind::Sum, own),
                               {1, table.back()}));
  }
  return rows.size() == 1
             ? rows.front()
             : b.create<tensor::ConcatOp>(tensorType(grad).clone(table),
                                          /*dim=*/0, rows);
}

// The table of sums is f32 whatever the result: rounding it after each row
// would lose small gradients of frequent tokens.
Values RowSums::decompose(train::EmbeddingGradOp op, PrimitiveBuilder &b) {
  constexpr int64_t fewRows = 4;
  ArrayRef<int64_t> table = shapeOf(op.getGradTable());
  if (!op.getAxis() && table.size() == 2 && table.front() <= fewRows)
    return {b.roundTo(sumFewRows(op, b), op.getGradTable())};
  Value zeros = b.splat(0, table);
  OwnRows own = findOwnRows(op, shapeOf(zeros).front(), b);
  Value sums = add(zeros, own.ids, own.select(op.getGrad(), b), b);
  return {b.roundTo(sums, op.getGradTable())};
}

/// Whether nothing else reads what rows are added to, so that the sum may take
/// its place.
static bool isReadOnce(Value init) {
  while (init.hasOneUse() && isReshape(init.getDefiningOp()))
    init = init.getDefiningOp()->getOperand(0);
  return init.hasOneUse();
}

Values RowSums::decompose(train::ScatterAddOp op, PrimitiveBuilder &b) {
  if (op.getSorted())
    return {};
  Value init = op.getInit();
  if (isReadOnce(init))
    return {add(init, op.getIds(), op.getUpdates(), b)};
  Value zeros = b.zeros(tensorType(init));
  Value sums = add(zeros, op.getIds(), op.getUpdates(), b);
  if (matchPattern(skipReshapes(init), m_AnyZeroFloat()))
    return {sums};
  return {b.roundTo(b.add(b.toF32(init), b.toF32(sums)), op.getResult())};
}
