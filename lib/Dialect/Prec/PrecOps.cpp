//===- PrecOps.cpp - verifiers of the prec dialect ------------------------===//
#include "prec/Dialect/Prec/Prec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::prec;

#define GET_OP_CLASSES
#include "prec/Dialect/Prec/PrecOps.cpp.inc"

/// Both types have the same shape.
static LogicalResult verifySameShape(Operation *op, Value input, Value result) {
  auto from = cast<RankedTensorType>(input.getType());
  auto to = cast<RankedTensorType>(result.getType());
  if (from.getShape() != to.getShape())
    return op->emitOpError("shape must not change, but got ")
           << from << " and " << to;
  return success();
}

// update_scale_c1
LogicalResult UpdateScaleOp::verify() {
  if (getFormat() != Format::E4M3 && getFormat() != Format::E5M2)
    return emitOpError("format must be e4m3 or e5m2, but got ")
           << stringifyFormat(getFormat());
  return success();
}

// quantize_c1
LogicalResult QuantizeOp::verify() {
  return verifySameShape(*this, getInput(), getResult());
}

// dequantize_c1
LogicalResult DequantizeOp::verify() {
  return verifySameShape(*this, getInput(), getResult());
}

LogicalResult ScaledMatmulOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  // scaled_matmul_c1
  if (lhs.getRank() != 2 || rhs.getRank() != 2 || result.getRank() != 2)
    return emitOpError("operands and result must be matrices, but got ")
           << lhs << ", " << rhs << " and " << result;
  // scaled_matmul_c2
  if (lhs.getDimSize(1) != rhs.getDimSize(1))
    return emitOpError("operands must agree in their last dimension, but got ")
           << lhs.getDimSize(1) << " and " << rhs.getDimSize(1);
  // scaled_matmul_c3
  if (result.getDimSize(0) != lhs.getDimSize(0) ||
      result.getDimSize(1) != rhs.getDimSize(0))
    return emitOpError("result must be ")
           << lhs.getDimSize(0) << "x" << rhs.getDimSize(0) << ", but got "
           << result;
  // scaled_matmul_c4
  if (isa<Float8E5M2Type>(lhs.getElementType()) &&
      isa<Float8E5M2Type>(rhs.getElementType()))
    return emitOpError("one operand must be e4m3, but got e5m2 twice");
  return success();
}
