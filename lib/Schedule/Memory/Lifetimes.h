//===- Lifetimes.h - order and last reads of a function ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_MEMORY_LIFETIMES_H
#define PREC_LIB_SCHEDULE_MEMORY_LIFETIMES_H

#include "prec/Schedule/MemoryPlan.h"
#include "prec/Support/LLVM.h"

namespace prec {

/// Positions of the operations of a function that holds only operations of
/// `prec_sched`, views and its terminator. Values are named by their storage
/// root (see getStorageRoot).
class Lifetimes {
public:
  explicit Lifetimes(mlir::func::FuncOp function);

  ArrayRef<Operation *> getOperations() const { return operations; }
  /// The position after the last operation, where results are handed over.
  int64_t getEnd() const { return operations.size(); }

  /// Where the root, or the last of its pieces, is computed; -1 for arguments.
  int64_t getDefinition(Value root) const;
  /// The last position that reads the root: getEnd() if it is returned, its
  /// definition if nobody reads it.
  int64_t getLastRead(Value root) const;

private:
  SmallVector<Operation *> operations;
  DenseMap<Operation *, int64_t> positions;
  DenseMap<Value, int64_t> lastReads;
};

/// The prec_sched operations of a function, in order.
SmallVector<Operation *> getSchedOperations(mlir::func::FuncOp function);

/// Reports the first operation that a scheduled function must not hold.
LogicalResult checkScheduledForm(mlir::func::FuncOp function);

/// Placements of a prec_sched operation; null before memory is planned.
ArrayAttr getPlacements(Operation *op);
void setPlacements(Operation *op, ArrayRef<Attribute> placements);

/// Identity of a prec_sched operation; null before memory is planned.
IntegerAttr getId(Operation *op);
void setId(Operation *op, int64_t id);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_MEMORY_LIFETIMES_H
