//===- Passes.h - tags to types and operations ------------------*- C++ -*-===//
#ifndef PREC_MATERIALIZE_PASSES_H
#define PREC_MATERIALIZE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::prec {

#define GEN_PASS_DECL
#include "prec/Materialize/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "prec/Materialize/Passes.h.inc"

} // namespace mlir::prec

#endif // PREC_MATERIALIZE_PASSES_H
