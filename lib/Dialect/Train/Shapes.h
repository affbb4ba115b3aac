//===- Shapes.h - shapes that verifiers ask for -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_DIALECT_TRAIN_SHAPES_H
#define PREC_LIB_DIALECT_TRAIN_SHAPES_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

namespace prec::train {

inline ArrayRef<int64_t> shapeOf(Type type) {
  return cast<RankedTensorType>(type).getShape();
}
inline ArrayRef<int64_t> shapeOf(Value value) {
  return shapeOf(value.getType());
}

/// Reports `name` whose shape is not `expected`.
inline LogicalResult checkShape(Operation *op, const Twine &name, Type type,
                                ArrayRef<int64_t> expected) {
  if (shapeOf(type) == expected)
    return success();
  auto diagnostic = op->emitOpError(name) << " must have shape [";
  llvm::interleaveComma(expected, diagnostic);
  diagnostic << "], but got [";
  llvm::interleaveComma(shapeOf(type), diagnostic);
  return diagnostic << "]";
}
inline LogicalResult checkShape(Operation *op, const Twine &name, Value value,
                                ArrayRef<int64_t> expected) {
  return checkShape(op, name, value.getType(), expected);
}

} // namespace prec::train

#endif // PREC_LIB_DIALECT_TRAIN_SHAPES_H
