//===- PrimitiveBuilder.h - builds primitives of composites -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_PRIMITIVEBUILDER_H
#define PREC_DIALECT_TRAIN_PRIMITIVEBUILDER_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace prec {

inline RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}
inline ArrayRef<int64_t> shapeOf(Value value) {
  return tensorType(value).getShape();
}

/// Splat constants of one function, each made once at its head.
class ConstantPool {
public:
  explicit ConstantPool(Block &entry) : entry(entry) {}

  Value get(Attribute element, RankedTensorType type);

private:
  Block &entry;
  Operation *last = nullptr;
  DenseMap<std::pair<Attribute, Type>, Value> constants;
};

/// Builds primitives in place of one composite: before it, as parts of it,
/// with its phase and sequence number.
class PrimitiveBuilder {
public:
  PrimitiveBuilder(Operation *composite, ConstantPool &constants)
      : composite(composite), builder(composite),
        name(builder.getStringAttr(train::getGraphOp(composite))),
        constants(constants) {}

  template <typename OpTy, typename... Args> Value create(Args &&...args) {
    auto op =
        OpTy::create(builder, composite->getLoc(), std::forward<Args>(args)...);
    train::copyProvenance(composite, op);
    op->setAttr(train::kGraphOp, name);
    return op->getResult(0);
  }

  /// A scalar operation's for tensors: of each element of the operands, which
  /// have one shape.
  Value createElementwise(Operation *scalar, ValueRange operands);
  /// `op` of other operands.
  Value createLike(Operation *op, RankedTensorType type, ValueRange operands);

  Value add(Value a, Value b) { return create<mlir::arith::AddFOp>(a, b); }
  Value sub(Value a, Value b) { return create<mlir::arith::SubFOp>(a, b); }
  Value mul(Value a, Value b) { return create<mlir::arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return create<mlir::arith::DivFOp>(a, b); }
  /// a * b + c, rounded once.
  Value fma(Value a, Value b, Value c) {
    return create<mlir::math::FmaOp>(a, b, c);
  }
  Value exp(Value a) { return create<mlir::math::ExpOp>(a); }
  Value select(Value condition, Value a, Value b) {
    return create<mlir::arith::SelectOp>(condition, a, b);
  }

  /// `value` in f32.
  Value toF32(Value value);
  /// f32 `value` in the element type of `result`, a result of the composite.
  Value roundTo(Value value, Value result);

  /// All elements in one dimension, and in the dimensions of a shape again.
  Value flatten(Value value);
  Value unflatten(Value flat, ArrayRef<int64_t> shape);

  /// f32 scalar in f64, and back, for scalars that lose too much in f32.
  Value toF64(Value scalar);
  Value fromF64(Value scalar);
  Value scalarF64(double value);

  /// f32 constant of a shape; i32 constant of a shape.
  Value splat(double value, ArrayRef<int64_t> shape);
  Value splatInt(int64_t value, ArrayRef<int64_t> shape);
  Value zeros(RankedTensorType type);
  /// f32 constant of the shape of `like`.
  Value splatLike(double value, Value like) {
    return splat(value, shapeOf(like));
  }

  Value broadcast(Value value, ArrayRef<int64_t> dims, ArrayRef<int64_t> shape);
  /// A scalar, or a value of the leading dimensions, repeated over the rest.
  Value broadcastRows(Value value, ArrayRef<int64_t> shape);
  /// A value of the trailing dimensions, repeated over the leading ones.
  Value broadcastColumns(Value value, ArrayRef<int64_t> shape);

  Value reduce(train::ReduceKind kind, Value value, ArrayRef<int64_t> dims);
  /// Over the last dimension.
  Value reduceRows(train::ReduceKind kind, Value value);
  /// Over all but the last dimension.
  Value reduceColumns(train::ReduceKind kind, Value value);
  /// To a scalar, in two levels: the last dimension, then the others.
  Value reduceAll(train::ReduceKind kind, Value value);
  /// Mean of the last dimension: the sum divided by its size.
  Value meanRows(Value value);

  Value iota(int64_t dim, ArrayRef<int64_t> shape);

private:
  Operation *composite;
  OpBuilder builder;
  StringAttr name;
  ConstantPool &constants;
};

} // namespace prec

#endif // PREC_DIALECT_TRAIN_PRIMITIVEBUILDER_H
