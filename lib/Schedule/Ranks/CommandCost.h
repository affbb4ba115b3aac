//===- CommandCost.h - what commands cost -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_RANKS_COMMANDCOST_H
#define PREC_LIB_SCHEDULE_RANKS_COMMANDCOST_H

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Support/LLVM.h"
#include "prec/Target/MachineModel.h"

namespace prec {

/// What a command costs: bytes that memory moves in as much time (see
/// ScheduleModel). 0 of what is no command.
int64_t estimateCommand(const ScheduleModel &machine, Operation *op);

/// Bytes that a rank gets of the others.
int64_t getReceivedBytes(sched::ExchangeOp op);

/// What exchanges cost that begin together, of which a rank gets `received`
/// bytes.
int64_t estimateExchanges(const ScheduleModel &machine, int64_t received);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_RANKS_COMMANDCOST_H
