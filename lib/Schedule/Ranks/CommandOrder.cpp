//===- CommandOrder.cpp - commands in a new order -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Ranks/CommandOrder.h"

#include "prec/Dialect/Sched/Sched.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace prec;

namespace {

class Placer {
public:
  explicit Placer(Operation *end) : end(end) {}

  void place(Operation *op) {
    if (!placed.insert(op).second)
      return;
    placeViews(op);
    op->moveBefore(end);
  }

  void placeViews(Operation *reader) {
    for (Value operand : reader->getOperands())
      if (Operation *view = operand.getDefiningOp();
          view && !isa<sched::SchedDialect>(view->getDialect()))
        place(view);
  }

private:
  Operation *end;
  llvm::SmallPtrSet<Operation *, 32> placed;
};

} // namespace

void prec::placeCommands(func::FuncOp function, ArrayRef<Operation *> order) {
  Placer placer(function.front().getTerminator());
  for (Operation *op : order)
    placer.place(op);
  placer.placeViews(function.front().getTerminator());
}
