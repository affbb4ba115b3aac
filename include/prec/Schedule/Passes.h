//===- Passes.h - passes of the Schedule phase ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_SCHEDULE_PASSES_H
#define PREC_SCHEDULE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace prec {

/// Which attention ops stay library calls.
enum class AttentionLibrary {
  Any,   ///< all: the target's library takes every format and shape
  CuDnn, ///< those in bf16 or f16 with heads of 8n <= 128 elements
  None,  ///< none
};

#define GEN_PASS_DECL
#include "prec/Schedule/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "prec/Schedule/Passes.h.inc"

} // namespace prec

#endif // PREC_SCHEDULE_PASSES_H
