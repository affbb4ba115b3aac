//===- Passes.h - passes of the Import phase --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_IMPORT_PASSES_H
#define PREC_IMPORT_PASSES_H

#include "mlir/Pass/Pass.h"

namespace prec {

#define GEN_PASS_DECL
#include "prec/Import/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "prec/Import/Passes.h.inc"

} // namespace prec

#endif // PREC_IMPORT_PASSES_H
