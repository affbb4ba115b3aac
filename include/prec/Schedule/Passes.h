//===- Passes.h - passes of the Schedule phase ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_SCHEDULE_PASSES_H
#define PREC_SCHEDULE_PASSES_H

#include "prec/Target/AttentionLibrary.h"

#include "mlir/Pass/Pass.h"

namespace prec {

#define GEN_PASS_DECL
#include "prec/Schedule/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "prec/Schedule/Passes.h.inc"

/// Lets the composites of prec_train and prec be decomposed: gives them the
/// DecomposeOpInterface as soon as their dialect is loaded.
void registerDecompositions(mlir::DialectRegistry &registry);

} // namespace prec

#endif // PREC_SCHEDULE_PASSES_H
