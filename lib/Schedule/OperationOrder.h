//===- OperationOrder.h - which operation comes first -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block numbers all its operations again after one has moved. Where many
// move, one after the other, that would take time that grows with the square
// of the block.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_SCHEDULE_OPERATIONORDER_H
#define PREC_LIB_SCHEDULE_OPERATIONORDER_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace prec {

/// The order of a block's operations, told of what is new or has moved.
class OperationOrder {
public:
  explicit OperationOrder(Block &block) : block(block) { number(); }

  bool isBefore(Operation *a, Operation *b) const {
    return places.lookup(a) < places.lookup(b);
  }
  /// Of an operation of the block that has been put where it is.
  void place(Operation *op);

private:
  void number();

  Block &block;
  llvm::DenseMap<Operation *, int64_t> places;
};

} // namespace prec

#endif // PREC_LIB_SCHEDULE_OPERATIONORDER_H
