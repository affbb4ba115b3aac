//===- CommandOrder.h - commands in a new order -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_RANKS_COMMANDORDER_H
#define PREC_LIB_SCHEDULE_RANKS_COMMANDORDER_H

#include "prec/Schedule/MemoryPlan.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// Puts the commands of a scheduled function in this order, which has each of
/// them behind what it reads. Views stand in front of their first reader.
void placeCommands(mlir::func::FuncOp function, ArrayRef<Operation *> order);

/// Calls act(value) for each storage root that a command reads.
template <typename Act> void forEachSource(Operation *op, Act act) {
  for (Value operand : op->getOperands())
    for (Value piece : getPieces(getStorageRoot(operand)))
      act(piece);
}

} // namespace prec

#endif // PREC_LIB_SCHEDULE_RANKS_COMMANDORDER_H
