//===- TensorType.h - the type of a tensor ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_TENSORTYPE_H
#define PREC_DIALECT_TRAIN_TENSORTYPE_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace prec {

/// Of a value that is a ranked tensor, as all values of a step are.
inline RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

} // namespace prec

#endif // PREC_DIALECT_TRAIN_TENSORTYPE_H
