//===- Passes.h - phases that depend on a target ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_PIPELINES_PASSES_H
#define PREC_PIPELINES_PASSES_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace prec {

#define GEN_PASS_DECL
#include "prec/Pipelines/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "prec/Pipelines/Passes.h.inc"

} // namespace prec

#endif // PREC_PIPELINES_PASSES_H
