//===- Custom.h - operations of the user's own ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_CUSTOM_H
#define PREC_DIALECT_TRAIN_CUSTOM_H

#include "prec/Dialect/Train/Train.h"

namespace prec::train {

/// The code of a module's kernels of the user's own, by name: PTX, or the bytes
/// of a cubin.
inline constexpr llvm::StringLiteral kImages = "prec_train.images";

/// What an operation of the user's own says of itself, whatever dialect it is
/// of.
struct CustomCall {
  StringRef function;
  ArrayAttr reads, makes;
  ArrayAttr kernels; ///< null where it has none
};

/// Checks the types and the kernels of such an operation. Reports the first
/// that is wrong on `op`.
LogicalResult verifyCustomCall(Operation *op, const CustomCall &call);

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_CUSTOM_H
