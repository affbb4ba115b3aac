//===- Sched.h - the prec_sched dialect -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_SCHED_SCHED_H
#define PREC_DIALECT_SCHED_SCHED_H

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "prec/Dialect/Sched/SchedDialect.h.inc"
#include "prec/Dialect/Sched/SchedEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "prec/Dialect/Sched/SchedAttrs.h.inc"

namespace prec::sched {

/// What an operation with `placements` (null: none, and no effects) does to
/// memory, one resource a segment: it writes where its results live, operands
/// that it overwrites included, and reads where its operands may.
void addEffects(Operation *op, ArrayAttr placements,
                SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);

/// Planned operations have one placement for each result. Every verifier of
/// this dialect ends with it.
LogicalResult verifyPlacements(Operation *op,
                               std::optional<ArrayAttr> placements);

} // namespace prec::sched

#define GET_OP_CLASSES
#include "prec/Dialect/Sched/SchedOps.h.inc"

#endif // PREC_DIALECT_SCHED_SCHED_H
