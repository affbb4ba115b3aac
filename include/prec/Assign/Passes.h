//===- Passes.h - deciding precision ----------------------------*- C++ -*-===//
#ifndef PREC_ASSIGN_PASSES_H
#define PREC_ASSIGN_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
}

namespace mlir::prec {

#define GEN_PASS_DECL
#include "prec/Assign/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "prec/Assign/Passes.h.inc"

/// Gives every --assign-precision of a pipeline the option explain; false if
/// there is none.
bool requestExplanation(OpPassManager &pipeline, llvm::StringRef query);

} // namespace mlir::prec

#endif // PREC_ASSIGN_PASSES_H
