//===- GradientAttribute.h - gradients from outside -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_GRADIENTATTRIBUTE_H
#define PREC_DIALECT_TRAIN_GRADIENTATTRIBUTE_H

#include "llvm/ADT/StringRef.h"

namespace prec::train {

/// On an argument of a function that is a backward of its own: a gradient that
/// its caller gives. On a result: the gradient of an input, for another such
/// function; those of parameters go without.
inline constexpr llvm::StringLiteral kGradient = "prec_train.gradient";

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_GRADIENTATTRIBUTE_H
