//===- Passes.h - code generation passes ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_CODEGEN_PASSES_H
#define PREC_CODEGEN_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace prec {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "prec/Codegen/Passes.h.inc"
} // namespace prec

#endif // PREC_CODEGEN_PASSES_H
