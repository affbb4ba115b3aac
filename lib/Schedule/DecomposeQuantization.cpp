//===- DecomposeQuantization.cpp - amax and scales ------------------------===//
#include "Decompose.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::prec;

/// Smallest amax that a scale is made for, so that zeros get a finite scale.
static constexpr double kAmaxEpsilon = 1e-12;

/// The values whose elements `value` holds, each once, in another order: a
/// kernel that computes one of them can reduce it on the way.
static void collectParts(Value value, SmallVectorImpl<Value> &parts) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                       train::TransposeOp, tensor::ConcatOp>(op))
    return parts.push_back(value);
  for (Value operand : op->getOperands())
    collectParts(operand, parts);
}

/// Rows long enough that there are few of them, as a view of the same memory.
static Value withLongRows(Value value, PrimitiveBuilder &b) {
  constexpr int64_t longEnough = 8192;
  RankedTensorType type = tensorType(value);
  int64_t elements = type.getNumElements();
  if (type.getRank() < 2 || elements <= longEnough ||
      type.getShape().back() >= longEnough / 8)
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

Values prec::decompose(AmaxOp op, PrimitiveBuilder &b) {
  SmallVector<Value> parts;
  collectParts(op.getInput(), parts);
  // Zero also where there is nothing but NaN.
  Value largest = b.splat(0, {});
  for (Value part : parts) {
    Value magnitude = b.create<math::AbsFOp>(b.toF32(withLongRows(part, b)));
    largest = b.create<arith::MaxNumFOp>(
        b.reduceAll(train::ReduceKind::Max, magnitude), largest);
  }
  return {largest};
}

Values prec::decompose(UpdateScaleOp op, PrimitiveBuilder &b) {
  Value bounded =
      b.create<arith::MaximumFOp>(op.getAmax(), b.splat(kAmaxEpsilon, {}));
  Value scale = b.div(b.splat(getMaxFinite(op.getFormat()), {}), bounded);
  return {scale, b.div(b.splat(1, {}), scale)};
}
