//===- Passes.h - deciding precision ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_PASSES_H
#define PREC_ASSIGN_PASSES_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace prec {

#define GEN_PASS_DECL
#include "prec/Assign/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "prec/Assign/Passes.h.inc"

/// With options as text, too, as a pipeline has them. They replace those of the
/// struct; a text that is none, and a recipe or rules in both, are reported.
FailureOr<std::unique_ptr<Pass>> createAssignPrecision(
    const AssignPrecisionOptions &options, llvm::StringRef text,
    llvm::function_ref<LogicalResult(const llvm::Twine &)> report);

/// Gives every --assign-precision of a pipeline the option explain; false if
/// there is none.
bool requestExplanation(OpPassManager &pipeline, llvm::StringRef query);

} // namespace prec

#endif // PREC_ASSIGN_PASSES_H
