//===- DecomposeRanks.cpp - sums over ranks -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges move bytes and add nothing up. Of two ranks, or of what has no
// slice for each, every rank gets all parts and adds them up. Of more ranks
// that would be as many times the bytes, so each rank gets the parts of one
// slice, adds them up, and gives all others the sum. Both add in the order of
// ranks, and have the same bits on all of them.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Decompose/Decompose.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;
using train::ExchangeKind;

/// Dimensions of a shape, the first two of them as one.
static SmallVector<ReassociationIndices> joinFirst(int64_t rank) {
  SmallVector<ReassociationIndices> groups{{0, 1}};
  for (int64_t dim = 2; dim < rank; ++dim)
    groups.push_back({dim});
  return groups;
}

/// The sum of [N, S], in f32.
static Value addUp(Value parts, PrimitiveBuilder &b) {
  ArrayRef<int64_t> shape = shapeOf(parts);
  const int64_t rank = shape.size();
  Value sum;
  for (int64_t i = 0; i < shape[0]; ++i) {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    Builder index(parts.getContext());
    for (int64_t dim = 0; dim < rank; ++dim) {
      offsets.push_back(index.getIndexAttr(dim == 0 ? i : 0));
      sizes.push_back(index.getIndexAttr(dim == 0 ? 1 : shape[dim]));
      strides.push_back(index.getIndexAttr(1));
    }
    SmallVector<int64_t> one(shape);
    one[0] = 1;
    Value slice = b.create<tensor::ExtractSliceOp>(
        tensorType(parts).clone(one), parts, offsets, sizes, strides);
    Value part = b.create<tensor::CollapseShapeOp>(
        tensorType(parts).clone(shape.drop_front()), slice,
        rank == 1 ? SmallVector<ReassociationIndices>() : joinFirst(rank));
    part = b.toF32(part);
    sum = sum ? b.add(sum, part) : part;
  }
  return sum;
}

Values prec::decompose(train::AllReduceOp op, PrimitiveBuilder &b) {
  const int64_t ranks = op.getRanks();
  Value input = op.getInput();
  RankedTensorType type = tensorType(input);
  auto exchange = [&](ExchangeKind kind, ArrayRef<int64_t> shape, Value value) {
    return b.create<train::ExchangeOp>(type.clone(shape), kind, value,
                                       op.getAxis());
  };
  auto all = [&](ArrayRef<int64_t> shape) {
    SmallVector<int64_t> result{ranks};
    llvm::append_range(result, shape);
    return result;
  };
  if (ranks == 2 || type.getRank() == 0 || type.getDimSize(0) % ranks != 0)
    return {b.roundTo(
        addUp(exchange(ExchangeKind::AllGather, all(type.getShape()), input),
              b),
        op.getResult())};
  SmallVector<int64_t> slice(type.getShape());
  slice[0] /= ranks;
  auto groups = joinFirst(type.getRank() + 1);
  Value slices =
      b.create<tensor::ExpandShapeOp>(type.clone(all(slice)), input, groups);
  Value sum = addUp(exchange(ExchangeKind::AllToAll, all(slice), slices), b);
  Value gathered = exchange(ExchangeKind::AllGather, all(slice),
                            b.roundTo(sum, op.getResult()));
  return {b.create<tensor::CollapseShapeOp>(type, gathered, groups)};
}
