//===- Lifetimes.cpp - order and last reads of a scheduled function -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the commands of a scheduled function in program order, and notes for
// each value which command reads it last. A value lives from the command that
// computes it to that one; what the function returns lives to the end. Views
// have no bytes of their own, so a read of a view is a read of its storage
// root, and a read of a concatenation in memory is a read of all its operands.
// One pass over the function is enough, since it has no control flow.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Memory/Lifetimes.h"

using namespace mlir;
using namespace prec;

static bool isSched(Operation &op) {
  return isa_and_nonnull<sched::SchedDialect>(op.getDialect());
}

SmallVector<Operation *> prec::getSchedOperations(func::FuncOp function) {
  SmallVector<Operation *> operations;
  for (Operation &op : function.front())
    if (isSched(op))
      operations.push_back(&op);
  return operations;
}

Lifetimes::Lifetimes(func::FuncOp function)
    : operations(getSchedOperations(function)) {
  auto read = [&](Operation *op, int64_t position) {
    for (Value operand : op->getOperands())
      for (Value piece : getPieces(getStorageRoot(operand)))
        lastReads[piece] = position;
  };
  for (auto [position, op] : llvm::enumerate(operations)) {
    positions[op] = position;
    read(op, position);
  }
  read(function.front().getTerminator(), getEnd());
}

int64_t Lifetimes::getDefinition(Value root) const {
  int64_t last = -1;
  for (Value piece : getPieces(root))
    if (Operation *op = piece.getDefiningOp())
      last = std::max(last, positions.at(op));
  return last;
}

int64_t Lifetimes::getLastRead(Value root) const {
  auto read = lastReads.find(root);
  return read == lastReads.end() ? getDefinition(root) : read->second;
}

LogicalResult prec::checkScheduledForm(func::FuncOp function) {
  for (Operation &op : function.front().without_terminator())
    if (!isSched(op) && !getViewOffset(&op) && !isJoin(&op))
      return op.emitOpError("a scheduled function must hold only operations of "
                            "prec_sched and views, but got this");
  return success();
}

ArrayAttr prec::getPlacements(Operation *op) {
  return op->getAttrOfType<ArrayAttr>("placements");
}

void prec::setPlacements(Operation *op, ArrayRef<Attribute> placements) {
  op->setAttr("placements", ArrayAttr::get(op->getContext(), placements));
}

IntegerAttr prec::getId(Operation *op) {
  return op->getAttrOfType<IntegerAttr>("id");
}

void prec::setId(Operation *op, int64_t id) {
  op->setAttr("id", Builder(op->getContext()).getI64IntegerAttr(id));
}
