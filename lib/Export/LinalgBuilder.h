//===- LinalgBuilder.h - upstream operations in place of one ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values are tensors of static shape. Everything is built in front of the
// operation that it replaces, at its location.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_EXPORT_LINALGBUILDER_H
#define PREC_LIB_EXPORT_LINALGBUILDER_H

#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace prec {

class LinalgBuilder {
public:
  using Payload = function_ref<Value(OpBuilder &, Location, ValueRange)>;

  explicit LinalgBuilder(Operation *op) : builder(op), loc(op->getLoc()) {}

  template <typename OpTy, typename... Args> Value create(Args &&...args) {
    return OpTy::create(builder, loc, std::forward<Args>(args)...)
        ->getResult(0);
  }

  static RankedTensorType typeOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }

  /// A place for a result, and one that holds a number everywhere.
  Value empty(RankedTensorType type);
  Value fill(double number, RankedTensorType type);
  /// A constant, for what reads it as an operand.
  Value splat(double number, RankedTensorType type);

  /// A float in f32, and one of f32 in another format; both as they are where
  /// nothing changes.
  Value toF32(Value value);
  Value toElement(Value value, Type element);

  /// Dimension i of the result is dimension permutation[i] of `value`.
  Value transpose(Value value, ArrayRef<int64_t> permutation);
  /// Dimension i of `value` is dimension dims[i] of the result.
  Value broadcast(Value value, ArrayRef<int64_t> dims, ArrayRef<int64_t> shape);
  Value reduce(train::ReduceKind kind, Value value, ArrayRef<int64_t> dims);
  /// The first `sizes` elements of each dimension.
  Value takeFirst(Value value, ArrayRef<int64_t> sizes);
  /// Zeros behind the last dimension, up to `size` elements.
  Value padLast(Value value, int64_t size);
  /// The last dimension as two, the second of `size` elements, which divide it.
  Value splitLast(Value value, int64_t size);
  /// Two dimensions that follow each other as one.
  Value joinDims(Value value, int64_t first);
  /// The first `count` dimensions as one; none becomes one of size 1.
  Value joinFirst(Value value, int64_t count);

  /// One element of the result for each of `type`'s; `maps` are those of the
  /// inputs over the loops, of which the first are the result's dimensions and
  /// the others, if any, are added up by the payload, whose last argument is
  /// the sum so far.
  Value generic(RankedTensorType type, ValueRange inputs,
                ArrayRef<SmallVector<unsigned>> maps, unsigned loops,
                Payload payload);

  /// `lhs` times `rhs` over the last two dimensions, batched over the others,
  /// in f32.
  Value multiply(Value lhs, Value rhs, bool transposeA, bool transposeB);

  OpBuilder &getBuilder() { return builder; }
  Location getLoc() const { return loc; }

private:
  ArrayAttr getMaps(unsigned loops, ArrayRef<SmallVector<unsigned>> dims);

  OpBuilder builder;
  Location loc;
};

/// The f32 sums of a product of scaled operands, multiplied by all inverse
/// scales, without a bias.
Value buildScaledProduct(ScaledMatmulOp op, LinalgBuilder &b);

/// An index that is held in an i32 or i64, within [0, count).
Value buildNearestIndex(Value id, int64_t count, OpBuilder &builder,
                        Location loc);

} // namespace prec

#endif // PREC_LIB_EXPORT_LINALGBUILDER_H
