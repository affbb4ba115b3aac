//===- EraseDead.h - operations that nobody reads ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_ERASEDEAD_H
#define PREC_LIB_SCHEDULE_ERASEDEAD_H

#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace prec {

/// Erases `op`, if nobody reads it, and what was computed for it alone;
/// constants stay.
inline void eraseDead(Operation *op) {
  if (!mlir::isOpTriviallyDead(op) || mlir::isa<mlir::arith::ConstantOp>(op))
    return;
  llvm::SmallSetVector<Operation *, 4> makers;
  for (Value operand : op->getOperands())
    if (Operation *maker = operand.getDefiningOp())
      makers.insert(maker);
  op->erase();
  llvm::for_each(makers, eraseDead);
}

} // namespace prec

#endif // PREC_LIB_SCHEDULE_ERASEDEAD_H
