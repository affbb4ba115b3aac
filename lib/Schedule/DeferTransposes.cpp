//===- DeferTransposes.cpp - the backward makes its transposed copies -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves transposed FP8 copies from the forward to the backward (Deferral.cpp
// says which). The expression of a copy is cloned behind its companion, so that
// fusion makes one kernel of both, and the readers of the copy that come before
// move behind it. If more than `kMaxMoved` would have to move, or the companion
// waits for one of them, the clone stands where the copy is first read. The
// copy of the forward is erased: it is not kept from the forward to the
// backward.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Deferral.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Graph.h"
#include "prec/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace prec {
#define GEN_PASS_DEF_DEFERTRANSPOSES
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

/// More operations than this do not move for one copy.
static constexpr size_t kMaxMoved = 16;

/// What follows from `op` up to `end`, in the order of the block: nothing if
/// `end` does, too, or if it is too much.
static FailureOr<SmallVector<Operation *>>
collectUsers(Operation *op, Operation *end, const OperationOrder &order) {
  llvm::SetVector<Operation *> users;
  auto add = [&](Operation *of) {
    for (Operation *user : of->getUsers())
      if (!order.isBefore(end, user))
        users.insert(user);
  };
  add(op);
  for (size_t i = 0; i < users.size() && i <= kMaxMoved; ++i)
    add(users[i]);
  if (users.size() > kMaxMoved || users.contains(end))
    return failure();
  SmallVector<Operation *> result = users.takeVector();
  llvm::sort(result,
             [&](Operation *a, Operation *b) { return order.isBefore(a, b); });
  return result;
}

/// Computes `transpose` anew behind its companion, if it has one and what reads
/// it can wait for that, or else where it is first read.
static void defer(train::TransposeOp transpose, const Deferral &deferral,
                  OperationOrder &order) {
  OpBuilder builder(*llvm::min_element(
      transpose->getUsers(),
      [&](Operation *a, Operation *b) { return order.isBefore(a, b); }));
  if (Operation *companion = deferral.companion)
    if (FailureOr<SmallVector<Operation *>> users =
            collectUsers(transpose, companion, order);
        succeeded(users)) {
      Operation *last = companion;
      for (Operation *user : *users) {
        user->moveAfter(last);
        order.place(user);
        last = user;
      }
      builder.setInsertionPointAfter(companion);
    }
  IRMapping mapping;
  for (Operation *op : deferral.chain) {
    Operation *copy = builder.clone(*op, mapping);
    copy->setAttr(
        train::kPhase,
        train::PhaseAttr::get(op->getContext(), train::Phase::Recompute));
    order.place(copy);
  }
  transpose.replaceAllUsesWith(mapping.lookup(transpose.getResult()));
  transpose.erase();
}

namespace {

struct DeferTransposes
    : public prec::impl::DeferTransposesBase<DeferTransposes> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!isCompiledGraph(function))
      return;
    OperationOrder order(function.front());
    SmallVector<train::TransposeOp> found(
        function.front().getOps<train::TransposeOp>());
    for (train::TransposeOp op : found)
      if (std::optional<Deferral> deferral = findDeferral(op, order))
        defer(op, *deferral, order);
  }
};

} // namespace
