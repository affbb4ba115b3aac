//===- MetricBuilder.cpp - what metrics are computed of -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/MetricBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace prec;

static RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value MetricBuilder::splat(Type like, double value) {
  auto type = cast<RankedTensorType>(like).clone(builder.getF32Type());
  return create<arith::ConstantOp>(DenseElementsAttr::get(
      cast<ShapedType>(type),
      builder.getF32FloatAttr(static_cast<float>(value)).getValue()));
}

Value MetricBuilder::widen(Value value) {
  RankedTensorType type = getType(value);
  if (type.getElementType().isF32())
    return value;
  return create<arith::ExtFOp>(type.clone(builder.getF32Type()), value);
}

Value MetricBuilder::broadcast(Value scalar, Type like) {
  auto type = cast<RankedTensorType>(like).clone(getElementTypeOrSelf(scalar));
  if (type.getRank() == 0)
    return scalar;
  return create<train::BroadcastOp>(type, scalar, ArrayRef<int64_t>());
}

Value MetricBuilder::indicate(Value isSet) {
  Value one = splat(isSet.getType(), 1), zero = splat(isSet.getType(), 0);
  return create<arith::SelectOp>(isSet, one, zero);
}

Value MetricBuilder::reduceTo(train::ReduceKind kind, Value value,
                              int64_t rank) {
  while (getType(value).getRank() > rank) {
    RankedTensorType type = getType(value);
    value =
        create<train::ReduceOp>(type.clone(type.getShape().drop_back()), kind,
                                value, ArrayRef<int64_t>{type.getRank() - 1});
  }
  return value;
}

Value MetricBuilder::sum(Value value) {
  return reduceTo(train::ReduceKind::Sum, value, 0);
}

Value MetricBuilder::concatenate(ArrayRef<Value> scalars) {
  RankedTensorType one = getType(scalars.front()).clone({1});
  SmallVector<Value> entries;
  for (Value scalar : scalars)
    entries.push_back(create<tensor::ExpandShapeOp>(
        one, scalar, ArrayRef<ReassociationIndices>()));
  if (entries.size() == 1)
    return entries.front();
  return create<tensor::ConcatOp>(one.clone({int64_t(entries.size())}),
                                  /*dim=*/int64_t(0), entries);
}
