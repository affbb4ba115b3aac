//===- RankBuilder.cpp - exchanges between ranks --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Ranks/RankBuilder.h"

#include "prec/Dialect/Train/Slices.h"
#include "prec/Dialect/Train/TensorType.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;
using train::ExchangeKind;

/// Groups of dimensions of which the first two are one.
static SmallVector<ReassociationIndices> joinFirstTwo(int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  if (rank > 1)
    groups.push_back({0, 1});
  for (int64_t dim = 2; dim < rank; ++dim)
    groups.push_back({dim});
  return groups;
}

bool RankBuilder::isDivisible(Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getRank() > 0 && tensor.getDimSize(0) > 0 &&
         tensor.getDimSize(0) % axis.ranks == 0;
}

static RankedTensorType withRows(Type type, int64_t rows) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[0] = rows;
  return tensor.clone(shape);
}

RankedTensorType RankBuilder::getShardType(Type whole) const {
  return withRows(whole,
                  cast<RankedTensorType>(whole).getDimSize(0) / axis.ranks);
}

RankedTensorType RankBuilder::getWholeType(Type shard) const {
  return withRows(shard,
                  cast<RankedTensorType>(shard).getDimSize(0) * axis.ranks);
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

Value RankBuilder::getWhole(Value shard) {
  Value slices = gather(shard);
  return create<tensor::CollapseShapeOp>(
      getWholeType(shard.getType()), slices,
      joinFirstTwo(typeOf(slices).getRank()));
}

Value RankBuilder::split(Value value) {
  RankedTensorType shard = getShardType(value.getType());
  SmallVector<int64_t> shape{axis.ranks};
  llvm::append_range(shape, shard.getShape());
  return create<tensor::ExpandShapeOp>(shard.clone(shape), value,
                                       joinFirstTwo(shape.size()));
}

Value RankBuilder::getShard(Value whole) {
  return exchange(ExchangeKind::OwnSlice, getShardType(whole.getType()),
                  split(whole));
}

Value RankBuilder::scatter(Value own) {
  Value slices = split(own);
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
  return create<tensor::CollapseShapeOp>(
      type.clone(type.getShape().drop_front()),
      slice(type.clone(shape), slices, offsets), joinFirstTwo(type.getRank()));
}
