//===- PrimitiveBuilder.cpp - builds the primitives of a composite --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Train/PrimitiveBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;
using train::ReduceKind;

Value ConstantPool::get(Attribute element, RankedTensorType type) {
  Value &constant = constants[{element, type}];
  if (constant)
    return constant;
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  if (last)
    builder.setInsertionPointAfter(last);
  last = arith::ConstantOp::create(
      builder, builder.getUnknownLoc(),
      DenseElementsAttr::get(cast<ShapedType>(type), element));
  constant = last->getResult(0);
  return constant;
}

Value PrimitiveBuilder::createElementwise(Operation *scalar,
                                          ValueRange operands) {
  Type element = scalar->getResult(0).getType();
  return createLike(scalar, tensorType(operands.front()).clone(element),
                    operands);
}

Value PrimitiveBuilder::createLike(Operation *op, RankedTensorType type,
                                   ValueRange operands) {
  Operation *made = builder.clone(*op);
  made->setOperands(operands);
  made->getResult(0).setType(type);
  made->setLoc(composite->getLoc());
  for (StringRef of : {StringRef(train::kPhase), StringRef(train::kSeq)})
    made->removeAttr(of);
  train::copyProvenance(composite, made);
  made->setAttr(train::kGraphOp, name);
  return made->getResult(0);
}

Value PrimitiveBuilder::toF32(Value value) {
  RankedTensorType type = tensorType(value);
  if (type.getElementType().isF32())
    return value;
  return create<arith::ExtFOp>(type.clone(builder.getF32Type()), value);
}

static SmallVector<ReassociationIndices> asOne(int64_t rank) {
  return {llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
}

Value PrimitiveBuilder::flatten(Value value) {
  int64_t rank = tensorType(value).getRank();
  if (rank == 1)
    return value;
  return create<tensor::CollapseShapeOp>(value, asOne(rank));
}

Value PrimitiveBuilder::unflatten(Value flat, ArrayRef<int64_t> shape) {
  if (shape.size() == 1)
    return flat;
  return create<tensor::ExpandShapeOp>(tensorType(flat).clone(shape), flat,
                                       asOne(shape.size()));
}

Value PrimitiveBuilder::roundTo(Value value, Value result) {
  Type element = tensorType(result).getElementType();
  if (element.isF32())
    return value;
  return create<arith::TruncFOp>(tensorType(value).clone(element), value);
}

Value PrimitiveBuilder::toF64(Value scalar) {
  return create<arith::ExtFOp>(tensorType(scalar).clone(builder.getF64Type()),
                               scalar);
}

Value PrimitiveBuilder::fromF64(Value scalar) {
  return create<arith::TruncFOp>(tensorType(scalar).clone(builder.getF32Type()),
                                 scalar);
}

Value PrimitiveBuilder::scalarF64(double value) {
  Type f64 = builder.getF64Type();
  return constants.get(builder.getFloatAttr(f64, value),
                       RankedTensorType::get({}, f64));
}

Value PrimitiveBuilder::splat(double value, ArrayRef<int64_t> shape) {
  Type f32 = builder.getF32Type();
  return constants.get(builder.getFloatAttr(f32, value),
                       RankedTensorType::get(shape, f32));
}

Value PrimitiveBuilder::splatInt(int64_t value, ArrayRef<int64_t> shape) {
  Type i32 = builder.getI32Type();
  return constants.get(builder.getIntegerAttr(i32, value),
                       RankedTensorType::get(shape, i32));
}

Value PrimitiveBuilder::zeros(RankedTensorType type) {
  return constants.get(builder.getZeroAttr(type.getElementType()), type);
}

Value PrimitiveBuilder::broadcast(Value value, ArrayRef<int64_t> dims,
                                  ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorType(value).clone(shape);
  if (type == value.getType())
    return value;
  return create<train::BroadcastOp>(type, value, dims);
}

Value PrimitiveBuilder::broadcastRows(Value value, ArrayRef<int64_t> shape) {
  int64_t rank = tensorType(value).getRank();
  return broadcast(value, llvm::to_vector(llvm::seq<int64_t>(0, rank)), shape);
}

Value PrimitiveBuilder::broadcastColumns(Value value, ArrayRef<int64_t> shape) {
  int64_t rank = shape.size(), first = rank - tensorType(value).getRank();
  return broadcast(value, llvm::to_vector(llvm::seq<int64_t>(first, rank)),
                   shape);
}

Value PrimitiveBuilder::reduce(ReduceKind kind, Value value,
                               ArrayRef<int64_t> dims) {
  if (dims.empty())
    return value;
  SmallVector<int64_t> kept;
  for (auto [dim, size] : llvm::enumerate(shapeOf(value)))
    if (!llvm::is_contained(dims, int64_t(dim)))
      kept.push_back(size);
  return create<train::ReduceOp>(tensorType(value).clone(kept), kind, value,
                                 dims);
}

Value PrimitiveBuilder::reduceRows(ReduceKind kind, Value value) {
  return reduce(kind, value, {tensorType(value).getRank() - 1});
}

Value PrimitiveBuilder::reduceColumns(ReduceKind kind, Value value) {
  int64_t rank = tensorType(value).getRank();
  return reduce(kind, value, llvm::to_vector(llvm::seq<int64_t>(0, rank - 1)));
}

Value PrimitiveBuilder::reduceAll(ReduceKind kind, Value value) {
  if (tensorType(value).getRank() == 0)
    return value;
  Value rows = reduceRows(kind, value);
  int64_t rank = tensorType(rows).getRank();
  return reduce(kind, rows, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
}

Value PrimitiveBuilder::meanRows(Value value) {
  Value sum = reduceRows(ReduceKind::Sum, value);
  return div(sum, splatLike(shapeOf(value).back(), sum));
}

Value PrimitiveBuilder::iota(int64_t dim, ArrayRef<int64_t> shape) {
  return create<train::IotaOp>(
      RankedTensorType::get(shape, builder.getI32Type()), dim,
      /*result_tags=*/nullptr, /*operand_tags=*/nullptr);
}
