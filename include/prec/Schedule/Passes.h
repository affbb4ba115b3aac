//===- Passes.h - passes of the Schedule phase ------------------*- C++ -*-===//
#ifndef PREC_SCHEDULE_PASSES_H
#define PREC_SCHEDULE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::prec {

#define GEN_PASS_DECL
#include "prec/Schedule/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "prec/Schedule/Passes.h.inc"

} // namespace mlir::prec

#endif // PREC_SCHEDULE_PASSES_H
