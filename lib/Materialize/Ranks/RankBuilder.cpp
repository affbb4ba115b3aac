//===- RankBuilder.cpp - exchanges between ranks --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Ranks/RankBuilder.h"

#include "prec/Dialect/Train/Slices.h"
#include "prec/Dialect/Train/TensorType.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;
using train::ExchangeKind;

/// Groups of dimensions of which `dim` and the one behind it are one.
static SmallVector<ReassociationIndices> joinTwo(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t first = 0; first < rank; ++first) {
    groups.push_back({first});
    if (first == dim)
      groups.back().push_back(++first);
  }
  return groups;
}

int64_t prec::getShardDim(Type type) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  auto factorsOf = [](int64_t size) {
    return size == 0 ? 0 : std::min(llvm::countr_zero(uint64_t(size)), 6);
  };
  int64_t best = 0;
  for (int64_t dim = 1; dim < int64_t(shape.size()); ++dim)
    if (factorsOf(shape[dim]) > factorsOf(shape[best]))
      best = dim;
  return best;
}

bool RankBuilder::isDivisible(Type type, int64_t dim) const {
  auto tensor = cast<RankedTensorType>(type);
  return dim < tensor.getRank() && tensor.getDimSize(dim) > 0 &&
         tensor.getDimSize(dim) % axis.ranks == 0;
}

static RankedTensorType withSize(Type type, int64_t dim, int64_t size) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[dim] = size;
  return tensor.clone(shape);
}

RankedTensorType RankBuilder::getShardType(Type whole, int64_t dim) const {
  return withSize(whole, dim,
                  cast<RankedTensorType>(whole).getDimSize(dim) / axis.ranks);
}

RankedTensorType RankBuilder::getWholeType(Type shard, int64_t dim) const {
  return withSize(shard, dim,
                  cast<RankedTensorType>(shard).getDimSize(dim) * axis.ranks);
}

Value RankBuilder::moveDim(Value value, int64_t from, int64_t to) {
  if (from == to)
    return value;
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> permutation, shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim != from)
      permutation.push_back(dim);
  permutation.insert(permutation.begin() + to, from);
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  return create<train::TransposeOp>(type.clone(shape), value, permutation);
}

Value RankBuilder::exchange(ExchangeKind kind, Type result, Value input) {
  return create<train::ExchangeOp>(result, kind, input, axis.name);
}

Value RankBuilder::gather(Value value) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape{axis.ranks};
  llvm::append_range(shape, type.getShape());
  return exchange(ExchangeKind::AllGather, type.clone(shape), value);
}

Value RankBuilder::getLargest(Value own) {
  return create<train::ReduceOp>(own.getType(), train::ReduceKind::Max,
                                 gather(own), ArrayRef<int64_t>{0});
}

Value RankBuilder::getWhole(Value shard, int64_t dim) {
  Value slices = moveDim(gather(shard), 0, dim);
  return create<tensor::CollapseShapeOp>(
      getWholeType(shard.getType(), dim), slices,
      joinTwo(typeOf(slices).getRank(), dim));
}

/// [N, shard].
Value RankBuilder::split(Value value, int64_t dim) {
  SmallVector<int64_t> shape(getShardType(value.getType(), dim).getShape());
  shape.insert(shape.begin() + dim, axis.ranks);
  return moveDim(create<tensor::ExpandShapeOp>(typeOf(value).clone(shape),
                                               value,
                                               joinTwo(shape.size(), dim)),
                 dim, 0);
}

Value RankBuilder::getShard(Value whole, int64_t dim) {
  return exchange(ExchangeKind::OwnSlice, getShardType(whole.getType(), dim),
                  split(whole, dim));
}

Value RankBuilder::scatter(Value own, int64_t dim) {
  if (axis.wire && typeOf(own).getElementType().isF32())
    own = create<arith::TruncFOp>(typeOf(own).clone(axis.wire), own);
  Value slices = split(own, dim);
  return exchange(ExchangeKind::AllToAll, slices.getType(), slices);
}

Value RankBuilder::slice(RankedTensorType type, Value value,
                         ArrayRef<int64_t> offsets) {
  auto slice = train::createSlice(builder, loc, type, value, offsets);
  slice->setAttr(train::kPhase, phase);
  return slice;
}

Value RankBuilder::getSlice(Value slices, int64_t rank) {
  RankedTensorType type = typeOf(slices);
  SmallVector<int64_t> shape(type.getShape()), offsets(type.getRank(), 0);
  shape[0] = 1;
  offsets[0] = rank;
  Value one = slice(type.clone(shape), slices, offsets);
  auto groups = type.getRank() == 1 ? SmallVector<ReassociationIndices>()
                                    : joinTwo(type.getRank(), 0);
  return create<tensor::CollapseShapeOp>(
      type.clone(type.getShape().drop_front()), one, groups);
}

void prec::recordLargest(RecordAmaxOp record, ArrayRef<Value> amaxes,
                         MeshAxis axis) {
  RankBuilder b(record, axis);
  // Those of tensors in one exchange, those of experts each in its own.
  SmallVector<Value> scalars;
  for (Value amax : amaxes)
    if (typeOf(amax).getRank() == 0)
      scalars.push_back(amax);
    else
      record->replaceUsesOfWith(amax, b.getLargest(amax));
  if (scalars.empty())
    return;
  Value largest = b.getLargest(b.concatenate(scalars));
  for (auto [index, amax] : llvm::enumerate(scalars))
    record->replaceUsesOfWith(amax, b.getSlice(largest, index));
}
