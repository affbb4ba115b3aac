//===- Sched.h - the prec_sched dialect -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_SCHED_SCHED_H
#define PREC_DIALECT_SCHED_SCHED_H

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Train.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "prec/Dialect/Sched/SchedDialect.h.inc"
#include "prec/Dialect/Sched/SchedEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "prec/Dialect/Sched/SchedAttrs.h.inc"

#define GET_OP_CLASSES
#include "prec/Dialect/Sched/SchedOps.h.inc"

#endif // PREC_DIALECT_SCHED_SCHED_H
