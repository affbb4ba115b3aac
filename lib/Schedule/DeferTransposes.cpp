//===- DeferTransposes.cpp - the backward makes its transposed copies -----===//
#include "Deferral.h"
#include "prec/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::prec {
#define GEN_PASS_DEF_DEFERTRANSPOSES
#include "prec/Schedule/Passes.h.inc"
} // namespace mlir::prec

using namespace mlir;
using namespace mlir::prec;

/// More operations than this do not move for one copy.
static constexpr size_t kMaxMoved = 16;

static Operation *findFirstReader(Operation *op) {
  return *llvm::min_element(op->getUsers(), [](Operation *a, Operation *b) {
    return a->isBeforeInBlock(b);
  });
}

/// What follows from `op` up to `end`, in the order of the block: nothing if
/// `end` does, too, or if it is too much.
static FailureOr<SmallVector<Operation *>> collectUsers(Operation *op,
                                                        Operation *end) {
  llvm::SetVector<Operation *> users;
  auto add = [&](Operation *of) {
    for (Operation *user : of->getUsers())
      if (!end->isBeforeInBlock(user))
        users.insert(user);
  };
  add(op);
  for (size_t i = 0; i < users.size() && i <= kMaxMoved; ++i)
    add(users[i]);
  if (users.size() > kMaxMoved || users.contains(end))
    return failure();
  SmallVector<Operation *> result = users.takeVector();
  llvm::sort(result,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return result;
}

/// Computes `transpose` anew behind its companion, if it has one and what reads
/// it can wait for that, or else where it is first read.
static void defer(train::TransposeOp transpose, const Deferral &deferral) {
  OpBuilder builder(findFirstReader(transpose));
  if (Operation *companion = deferral.companion)
    if (FailureOr<SmallVector<Operation *>> users =
            collectUsers(transpose, companion);
        succeeded(users)) {
      Operation *last = companion;
      for (Operation *user : *users) {
        user->moveAfter(last);
        last = user;
      }
      builder.setInsertionPointAfter(companion);
    }
  IRMapping mapping;
  for (Operation *op : deferral.chain)
    builder.clone(*op, mapping)
        ->setAttr(
            train::kPhase,
            train::PhaseAttr::get(op->getContext(), train::Phase::Recompute));
  transpose.replaceAllUsesWith(mapping.lookup(transpose.getResult()));
  transpose.erase();
}

namespace {

struct DeferTransposes
    : public prec::impl::DeferTransposesBase<DeferTransposes> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    SmallVector<train::TransposeOp> found(
        function.front().getOps<train::TransposeOp>());
    for (train::TransposeOp op : found)
      if (std::optional<Deferral> deferral = findDeferral(op))
        defer(op, *deferral);
  }
};

} // namespace
