//===- DecomposeFineScales.cpp - scales of rows and blocks ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/AmaxTiles.h"
#include "Schedule/Decompose/Decompose.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;

static SmallVector<int64_t> withDim(ArrayRef<int64_t> shape, unsigned dim,
                                    int64_t size) {
  SmallVector<int64_t> result(shape);
  result[dim] = size;
  return result;
}

/// `begin` to `end` of a dimension of a matrix.
static Value getPart(Value matrix, unsigned dim, int64_t begin, int64_t end,
                     PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(matrix);
  if (end - begin == type.getDimSize(dim))
    return matrix;
  SmallVector<int64_t> offsets(2, 0), strides(2, 1);
  offsets[dim] = begin;
  SmallVector<int64_t> sizes = withDim(type.getShape(), dim, end - begin);
  return b.create<tensor::ExtractSliceOp>(
      type.clone(sizes), matrix, ValueRange(), ValueRange(), ValueRange(),
      offsets, sizes, strides);
}

/// The reshape between a matrix and the same with dimension `dim` in two.
static SmallVector<ReassociationIndices> splitDim(unsigned dim) {
  if (dim == 0)
    return {{0, 1}, {2}};
  return {{0}, {1, 2}};
}

/// Largest of each block of `size` consecutive elements along a dimension that
/// they divide.
static Value reduceWholeBlocks(Value matrix, unsigned dim, int64_t size,
                               PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(matrix);
  SmallVector<int64_t> shape =
      withDim(type.getShape(), dim, type.getDimSize(dim) / size);
  shape.insert(shape.begin() + dim + 1, size);
  Value blocks =
      b.create<tensor::ExpandShapeOp>(type.clone(shape), matrix, splitDim(dim));
  return b.reduce(train::ReduceKind::Max, blocks, {int64_t(dim) + 1});
}

/// The same for any dimension, the last block of which may be shorter.
static Value reduceBlocks(Value matrix, unsigned dim, int64_t block,
                          PrimitiveBuilder &b) {
  int64_t size = shapeOf(matrix)[dim];
  block = std::min(block, size);
  if (block == 1)
    return matrix;
  int64_t whole = size / block * block;
  SmallVector<Value> parts;
  if (whole > 0)
    parts.push_back(
        reduceWholeBlocks(getPart(matrix, dim, 0, whole, b), dim, block, b));
  if (whole < size)
    parts.push_back(reduceWholeBlocks(getPart(matrix, dim, whole, size, b), dim,
                                      size - whole, b));
  if (parts.size() == 1)
    return parts.front();
  RankedTensorType type = tensorType(parts.front());
  SmallVector<int64_t> shape =
      withDim(type.getShape(), dim, type.getDimSize(dim) + 1);
  return b.create<tensor::ConcatOp>(type.clone(shape), int64_t(dim), parts);
}

static Value transpose(Value matrix, PrimitiveBuilder &b) {
  ArrayRef<int64_t> shape = shapeOf(matrix);
  return b.create<train::TransposeOp>(
      tensorType(matrix).clone({shape[1], shape[0]}), matrix,
      ArrayRef<int64_t>{1, 0});
}

/// The matrix whose transpose `value` is; null if it is none.
static Value getTransposed(Value value) {
  auto op = value.getDefiningOp<train::TransposeOp>();
  return op && tensorType(value).getRank() == 2 && op.getPermutation()[0] == 1
             ? Value(op.getInput())
             : Value();
}

/// Memory is read along its rows: the rows of a transposed matrix are columns
/// of its source.
/// The largest of each row. A row may be the matrix of an expert: millions of
/// elements in few rows, which would be as few blocks of a GPU. So long rows
/// are reduced in pieces first.
static Value reduceRows(Value magnitude, PrimitiveBuilder &b) {
  constexpr int64_t longest = 65536, piece = 2048;
  RankedTensorType type = tensorType(magnitude);
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  if (columns > longest) {
    int64_t length = piece;
    while (columns % length)
      --length;
    Value pieces = b.create<tensor::ExpandShapeOp>(
        type.clone({rows, columns / length, length}), magnitude,
        SmallVector<ReassociationIndices>{{0}, {1, 2}});
    magnitude = b.reduce(train::ReduceKind::Max, pieces, {2});
  }
  return b.reduce(train::ReduceKind::Max, magnitude, {1});
}

Value prec::reduceFinely(AmaxOp op, PrimitiveBuilder &b) {
  const ScalingTraits &traits = traitsOf(op.getScaling());
  if (Value matrices = findMatricesInTiles(op).matrices)
    return b.reduce(train::ReduceKind::Max,
                    reduceTilesOfMatrices(getMagnitude(op, matrices, b), b),
                    {1, 2});
  Value source = getTransposed(op.getInput());
  Value read = source ? source : op.getInput();
  unsigned along = source ? 0 : 1;
  Value magnitude = getMagnitude(op, read, b);
  if (traits.columns == 0)
    return source ? b.reduce(train::ReduceKind::Max, magnitude, {0})
                  : reduceRows(magnitude, b);
  Value largest = reduceBlocks(magnitude, along, traits.columns, b);
  largest = reduceBlocks(largest, 1 - along, traits.rows, b);
  return source ? transpose(largest, b) : largest;
}

/// Repeats each element along `dim` for the elements of its block, up to `size`
/// elements in all.
static Value spreadBlocks(Value scales, unsigned dim, int64_t block,
                          int64_t size, PrimitiveBuilder &b) {
  ArrayRef<int64_t> shape = shapeOf(scales);
  if (shape[dim] == size)
    return scales;
  int64_t blocks = shape[dim];
  block = std::min(block, size);
  SmallVector<int64_t> repeated(shape);
  repeated.insert(repeated.begin() + dim + 1, block);
  SmallVector<int64_t> kept =
      dim == 0 ? SmallVector<int64_t>{0, 2} : SmallVector<int64_t>{0, 1};
  Value spread = b.broadcast(scales, kept, repeated);
  Value joined = b.create<tensor::CollapseShapeOp>(
      tensorType(scales).clone(withDim(shape, dim, blocks * block)), spread,
      splitDim(dim));
  return getPart(joined, dim, 0, size, b);
}

/// The scale of each element of a matrix. That of a tensor, or of rows, is
/// broadcast; `rows` and `columns` are those of blocks.
static Value spreadScales(Value scales, int64_t rows, int64_t columns,
                          ArrayRef<int64_t> shape, PrimitiveBuilder &b) {
  Value spread = spreadBlocks(scales, 0, rows, shape[0], b);
  return spreadBlocks(spread, 1, columns, shape[1], b);
}

static Value spreadScales(Value scales, Scaling scaling,
                          ArrayRef<int64_t> shape, PrimitiveBuilder &b) {
  const ScalingTraits &traits = traitsOf(scaling);
  if (traits.columns == 0)
    return b.broadcastRows(scales, shape);
  return spreadScales(scales, traits.rows, traits.columns, shape, b);
}

/// The scale of each element of a matrix whose transpose has these scales.
static Value spreadTransposed(Value scales, Scaling scaling,
                              ArrayRef<int64_t> shape, PrimitiveBuilder &b) {
  const ScalingTraits &traits = traitsOf(scaling);
  if (traits.columns == 0)
    return b.broadcastColumns(scales, shape);
  return spreadScales(transpose(scales, b), traits.columns, traits.rows, shape,
                      b);
}

/// The matrix with zeros behind it up to `size` along a dimension.
static Value padWithZeros(Value matrix, unsigned dim, int64_t size,
                          PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(matrix);
  ArrayRef<int64_t> shape = type.getShape();
  if (shape[dim] == size)
    return matrix;
  Value zeros = b.zeros(type.clone(withDim(shape, dim, size - shape[dim])));
  return b.create<tensor::ConcatOp>(type.clone(withDim(shape, dim, size)),
                                    int64_t(dim), ValueRange{matrix, zeros});
}

/// Row by row in the tiles of `type`.
static Value tileScaleInvs(Value scaleInvs, RankedTensorType type,
                           PrimitiveBuilder &b) {
  int64_t down = type.getDimSize(0), across = type.getDimSize(1);
  scaleInvs = padWithZeros(scaleInvs, 0, down * PREC_SCALE_INV_TILE, b);
  scaleInvs = padWithZeros(scaleInvs, 1, across * PREC_SCALE_INV_GROUP, b);
  constexpr int64_t strides = PREC_SCALE_INV_TILE / PREC_SCALE_INV_STRIDE;
  Value split = b.create<tensor::ExpandShapeOp>(
      type.clone(
          {down, strides, PREC_SCALE_INV_STRIDE, across, PREC_SCALE_INV_GROUP}),
      scaleInvs, SmallVector<ReassociationIndices>{{0, 1, 2}, {3, 4}});
  Value tiles = b.create<train::TransposeOp>(
      type.clone(
          {down, across, PREC_SCALE_INV_STRIDE, strides, PREC_SCALE_INV_GROUP}),
      split, ArrayRef<int64_t>{0, 3, 2, 1, 4});
  return b.create<tensor::CollapseShapeOp>(
      type, tiles, SmallVector<ReassociationIndices>{{0}, {1}, {2}, {3, 4}});
}

Value prec::layOutScaleInvs(Value scaleInvs, ScaleLayout layout,
                            RankedTensorType type, PrimitiveBuilder &b) {
  if (layout == ScaleLayout::AsScales)
    return scaleInvs;
  if (layout == ScaleLayout::Tiled)
    return tileScaleInvs(scaleInvs, type, b);
  if (layout == ScaleLayout::Transposed)
    return transpose(scaleInvs, b);
  scaleInvs =
      padWithZeros(scaleInvs, 1, type.getDimSize(1) * type.getDimSize(2), b);
  return b.create<tensor::ExpandShapeOp>(
      type, scaleInvs, SmallVector<ReassociationIndices>{{0}, {1, 2}});
}

/// What kernels do themselves is a rounding by one scale: here it is 1.
Values prec::decompose(QuantizeOp op, RandomBits &random, PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(op.getResult());
  bool isFp4 = isa<Float4E2M1FNType>(type.getElementType());
  Scaling scaling = op.getScaling();
  if (!isFine(scaling) && !isFp4)
    return {};
  // Two consecutive elements of a row share a byte: they are not transposed.
  Value source = isFp4 ? Value() : getTransposed(op.getInput());
  Value read = source ? source : op.getInput();
  Value scales =
      source ? spreadTransposed(op.getScale(), scaling, shapeOf(read), b)
             : spreadScales(op.getScale(), scaling, shapeOf(read), b);
  Value scaled = b.mul(b.toF32(read), scales);
  if (op.getSeed())
    scaled = random.roundToFp4(scaled, op, b);
  Value rounded = b.create<QuantizeOp>(
      tensorType(read).clone(type.getElementType()), scaled, b.splat(1, {}),
      /*seed=*/Value(), /*stream=*/IntegerAttr(), /*scaling=*/ScalingAttr());
  if (isFp4)
    return {packFp4(rounded, b)};
  return {source ? transpose(rounded, b) : rounded};
}

/// Rounded as a quantization rounds; that the result is f32 again hides it from
/// nobody.
Values prec::decompose(FakeQuantizeOp op, PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(op.getResult());
  Value scales =
      spreadScales(op.getScale(), op.getScaling(), type.getShape(), b);
  Value zero = b.splat(0, type.getShape());
  Value isZero =
      b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, scales, zero);
  Value scaleInvs =
      b.select(isZero, zero, b.div(b.splatLike(1, scales), scales));
  FloatType narrow = getElementType(op.getContext(), op.getFormat());
  Value rounded = b.create<QuantizeOp>(
      type.clone(narrow), b.mul(b.toF32(op.getInput()), scales), b.splat(1, {}),
      /*seed=*/Value(), /*stream=*/IntegerAttr(), /*scaling=*/ScalingAttr());
  return {b.mul(b.create<arith::ExtFOp>(type, rounded), scaleInvs)};
}
