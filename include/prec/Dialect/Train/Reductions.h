//===- Reductions.h - what reductions compute -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_REDUCTIONS_H
#define PREC_DIALECT_TRAIN_REDUCTIONS_H

#include "prec/Dialect/Train/Train.h"

namespace prec::train {

/// What changes no reduction of this kind, of floats or signed integers: 0,
/// minus infinity or the least integer, plus infinity or the greatest.
mlir::TypedAttr getNeutral(ReduceKind kind, Type element);

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_REDUCTIONS_H
