//===- Passes.h - passes that write graphs for hosts ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_EXPORT_PASSES_H
#define PREC_EXPORT_PASSES_H

#include "mlir/Pass/Pass.h"

namespace prec {

#define GEN_PASS_DECL
#include "prec/Export/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "prec/Export/Passes.h.inc"

} // namespace prec

#endif // PREC_EXPORT_PASSES_H
