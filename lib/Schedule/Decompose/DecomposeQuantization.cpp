//===- DecomposeQuantization.cpp - amax and scales ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/AmaxTiles.h"

#include "prec/Dialect/Prec/Describe.h"
#include "Schedule/Decompose/Decompose.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;

/// Whatever a user's epsilon is, no scale is made for a smaller amax, so that
/// scales and their inverses are finite and normal.
static constexpr double kSmallestAmax = 0x1p-100;

/// The values whose elements `value` holds, each once, in another order: a
/// kernel that computes one of them can reduce it on the way.
static void collectParts(Value value, SmallVectorImpl<Value> &parts) {
  Operation *op = value.getDefiningOp();
  if (!isReshape(op) &&
      !isa_and_present<train::TransposeOp, tensor::ConcatOp>(op))
    return parts.push_back(value);
  for (Value operand : op->getOperands())
    collectParts(operand, parts);
}

/// Rows long enough that there are few of them, as a view of the same memory;
/// the rows that it has where a kernel goes through them to compute it.
static Value withLongRows(Value value, PrimitiveBuilder &b) {
  constexpr int64_t longEnough = 8192, shortest = 64;
  RankedTensorType type = tensorType(value);
  int64_t elements = type.getNumElements();
  if (type.getRank() < 2 || elements <= longEnough ||
      type.getShape().back() >= longEnough / 8 ||
      (type.getShape().back() >= shortest && needsRows(value)))
    return value;
  int64_t columns = type.getShape().back();
  int64_t factor = std::max<int64_t>(1, longEnough / columns);
  while (elements / columns % factor)
    --factor;
  columns *= factor;
  ReassociationIndices all =
      llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
  Value flat = b.create<tensor::CollapseShapeOp>(
      value, SmallVector<ReassociationIndices>{all});
  return b.create<tensor::ExpandShapeOp>(
      type.clone({elements / columns, columns}), flat,
      SmallVector<ReassociationIndices>{{0, 1}});
}

Value prec::getMagnitude(AmaxOp op, Value value, PrimitiveBuilder &b) {
  Value magnitude = b.create<math::AbsFOp>(b.toF32(value));
  if (!op.getNanIsInfinite())
    return magnitude;
  Value isNan =
      b.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, magnitude, magnitude);
  return b.select(
      isNan, b.splatLike(std::numeric_limits<float>::infinity(), magnitude),
      magnitude);
}

/// Moves what reduces amaxes of tiles further, `ops`, behind the copies that
/// the same kernel is to write: no copy joins a kernel whose results are read
/// already, unless all that it reads is there before.
static void readBehindCopies(AmaxOp op, ArrayRef<Operation *> ops) {
  Operation *last = findMatricesInTiles(op).last;
  if (!last || llvm::any_of(op->getUsers(), [&](Operation *user) {
        return user->getBlock() != last->getBlock() ||
               user->isBeforeInBlock(last);
      }))
    return;
  for (Operation *moved : llvm::reverse(ops))
    moved->moveAfter(last);
}

Values prec::decompose(AmaxOp op, PrimitiveBuilder &b) {
  if (isFine(op.getScaling())) {
    Value own = reduceFinely(op, b);
    Value largest =
        b.create<arith::MaxNumFOp>(own, b.splat(0, shapeOf(op.getResult())));
    readBehindCopies(op, {own.getDefiningOp(), largest.getDefiningOp()});
    return {largest};
  }
  SmallVector<Value> parts;
  collectParts(op.getInput(), parts);
  // Zero also where there is nothing but NaN.
  Value largest = b.splat(0, {});
  bool isTiled = splitIntoTiles(op, parts);
  // Parts of other shapes, or in another order, pass through tiles as the
  // matrix that they make.
  if (!isTiled && parts.size() > 1 && splitIntoTiles(op, op.getInput())) {
    parts = {op.getInput()};
    isTiled = true;
  }
  if (!isTiled && llvm::any_of(parts, needsRows))
    splitIntoPieces(op);
  for (Value part : parts) {
    Value own;
    if (isTiled)
      own = b.reduce(train::ReduceKind::Max,
                     reduceTiles(getMagnitude(op, part, b), b), {0, 1});
    else
      own = b.reduceAll(train::ReduceKind::Max,
                        getMagnitude(op, withLongRows(part, b), b));
    largest = b.create<arith::MaxNumFOp>(own, largest);
  }
  return {largest};
}

/// The largest power of two that is not above a positive number.
static Value roundDownToPowerOfTwo(Value value, PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(value);
  Type i32 = IntegerType::get(type.getContext(), 32);
  Value bits = b.create<arith::BitcastOp>(type.clone(i32), value);
  Value exponent = b.create<arith::AndIOp>(
      bits, b.splatInt(int64_t(0x7F800000), type.getShape()));
  return b.create<arith::BitcastOp>(type, exponent);
}

/// What an amax is scaled to. That of a tensor in blocks of e2m1 makes the
/// largest block's e4m3 inverse scale the largest there is.
static double getLargestScaled(Format format) {
  double largest = getMaxFinite(format);
  return format == Format::E2M1 ? largest * getMaxFinite(Format::E4M3)
                                : largest;
}

template <typename ScaleOp>
static Value getScale(ScaleOp op, Value amax, PrimitiveBuilder &b) {
  double epsilon =
      std::max<double>(op.getEpsilon().convertToFloat(), kSmallestAmax);
  double largest =
      std::ldexp(getLargestScaled(op.getFormat()), -int(op.getMargin()));
  Value scale =
      b.div(b.splatLike(largest, amax),
            b.create<arith::MaximumFOp>(amax, b.splatLike(epsilon, amax)));
  return op.getPowerOfTwo() ? roundDownToPowerOfTwo(scale, b) : scale;
}

Values prec::decompose(UpdateScaleOp op, PrimitiveBuilder &b) {
  Value scale = getScale(op, op.getAmax(), b);
  Value scaleInv = b.div(b.splatLike(1, scale), scale);
  return {scale, layOutScaleInvs(scaleInv, traitsOf(op.getScaling()).layout,
                                 tensorType(op.getScaleInv()), b)};
}

/// Columns `begin` to `end` of a matrix.
static Value getColumns(Value matrix, int64_t begin, int64_t end,
                        PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(matrix);
  int64_t rows = type.getDimSize(0);
  return b.create<tensor::ExtractSliceOp>(
      type.clone({rows, end - begin}), matrix, ValueRange(), ValueRange(),
      ValueRange(), ArrayRef<int64_t>{0, begin},
      ArrayRef<int64_t>{rows, end - begin}, ArrayRef<int64_t>{1, 1});
}

Values prec::decompose(HistoryScaleOp op, PrimitiveBuilder &b) {
  Value history = op.getHistory();
  int64_t rows = shapeOf(history)[0];
  if (op.getAlgorithm() == AmaxAlgorithm::MostRecent)
    history = getColumns(history, 0, 1, b);
  Value amax = b.reduceRows(train::ReduceKind::Max, history);
  Value isUnseen = b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, amax,
                                           b.splat(0, {rows}));
  std::optional<APFloat> first = op.getFirstAmax();
  if (first)
    amax = b.select(isUnseen, b.splat(first->convertToFloat(), {rows}), amax);
  Value scale = getScale(op, amax, b);
  if (!first)
    scale = b.select(isUnseen, b.splat(1, {rows}), scale);
  return {scale, b.div(b.splat(1, {rows}), scale)};
}

Values prec::decompose(RecordAmaxOp op, PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(op.getHistory());
  int64_t rows = type.getDimSize(0), length = type.getDimSize(1);
  SmallVector<Value> entries;
  for (Value amax : op.getAmaxes())
    entries.push_back(
        tensorType(amax).getRank()
            ? amax
            : b.create<tensor::ExpandShapeOp>(
                  type.clone({1}), amax, ArrayRef<ReassociationIndices>()));
  Value recent = entries.front();
  if (entries.size() > 1)
    recent = b.create<tensor::ConcatOp>(type.clone({rows}),
                                        /*dim=*/int64_t(0), entries);
  Value asTheyAre = recent;
  // False for NaN too.
  Value isFinite = b.create<arith::CmpFOp>(
      arith::CmpFPredicate::OLT, recent,
      b.splat(std::numeric_limits<float>::infinity(), {rows}));
  recent = b.select(isFinite, recent, b.splat(0, {rows}));
  Value column = b.create<tensor::ExpandShapeOp>(
      type.clone({rows, 1}), recent, SmallVector<ReassociationIndices>{{0, 1}});
  if (length == 1)
    return {column, asTheyAre};
  Value earlier = getColumns(op.getHistory(), 0, length - 1, b);
  return {b.create<tensor::ConcatOp>(type, /*dim=*/int64_t(1),
                                     ValueRange{column, earlier}),
          asTheyAre};
}
