//===- Passes.h - code generation passes ------------------------*- C++ -*-===//
#ifndef PREC_CODEGEN_PASSES_H
#define PREC_CODEGEN_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::prec {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "prec/Codegen/Passes.h.inc"
} // namespace mlir::prec

#endif // PREC_CODEGEN_PASSES_H
