//===- DecomposeFineScales.cpp - scales of rows and blocks ----------------===//
#include "Decompose.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::prec;

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

/// The same where the last block may be shorter.
static Value reduceBlocks(Value matrix, unsigned dim, PrimitiveBuilder &b) {
  int64_t size = shapeOf(matrix)[dim];
  int64_t whole = size / kScaleBlock * kScaleBlock;
  SmallVector<Value> parts;
  if (whole > 0)
    parts.push_back(reduceWholeBlocks(getPart(matrix, dim, 0, whole, b), dim,
                                      kScaleBlock, b));
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

Value prec::reduceFinely(Value magnitude, RankedTensorType amaxes,
                         PrimitiveBuilder &b) {
  if (amaxes.getRank() == 1)
    return b.reduceRows(train::ReduceKind::Max, magnitude);
  Value largest = reduceBlocks(magnitude, 1, b);
  return largest.getType() == amaxes ? largest : reduceBlocks(largest, 0, b);
}

/// Repeats each element along `dim` for its block of `size` elements in all.
static Value spreadBlocks(Value scales, unsigned dim, int64_t size,
                          PrimitiveBuilder &b) {
  ArrayRef<int64_t> shape = shapeOf(scales);
  if (shape[dim] == size)
    return scales;
  int64_t blocks = shape[dim], block = std::min(size, kScaleBlock);
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

/// The scale of each element of a matrix.
static Value spreadScales(Value scales, ArrayRef<int64_t> shape,
                          PrimitiveBuilder &b) {
  if (tensorType(scales).getRank() == 1)
    return b.broadcastRows(scales, shape);
  return spreadBlocks(spreadBlocks(scales, 0, shape[0], b), 1, shape[1], b);
}

/// What kernels do themselves is a rounding by one scale: here it is 1.
Values prec::decompose(QuantizeOp op, PrimitiveBuilder &b) {
  if (tensorType(op.getScale()).getRank() == 0)
    return {};
  Value scales = spreadScales(op.getScale(), shapeOf(op.getInput()), b);
  Value scaled = b.mul(b.toF32(op.getInput()), scales);
  return {
      b.create<QuantizeOp>(op.getResult().getType(), scaled, b.splat(1, {}))};
}
