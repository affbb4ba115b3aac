//===- Passes.h - tags to types and operations ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_MATERIALIZE_PASSES_H
#define PREC_MATERIALIZE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace prec {

#define GEN_PASS_DECL
#include "prec/Materialize/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "prec/Materialize/Passes.h.inc"

} // namespace prec

#endif // PREC_MATERIALIZE_PASSES_H
