//===- OrderRows.cpp - rows in the order of what they look up -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets kernels that reduce rows go over them in another order. Rows of experts
// are sorted by their expert, and each token's row is looked up once for each
// of the experts that it goes to, far apart: where a table of all tokens is too
// large for the second cache, memory is asked for each of its rows again. In
// the order of the tokens these follow each other, and memory is asked once.
// That order is the inverse of the positions that rows are looked up by, which
// a second sort makes for what brings the rows back. So a row kernel that looks
// up a large table by the positions of a sort gets the positions of the sort of
// these for its order, where they are computed before. Nothing changes but when
// a row is computed. Time is linear in the bodies that look up.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Schedule/MemoryPlan.h"
#include "prec/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

namespace prec {
#define GEN_PASS_DEF_ORDERROWS
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

/// A table of fewer bytes stays in the second cache beside what else a kernel
/// moves.
static constexpr int64_t kMostCached = 16 << 20;
/// Operations between positions and the ids that are made of them.
static constexpr size_t kMostSteps = 8;

static bool isSort(Operation *op) {
  auto dispatch = dyn_cast_if_present<sched::DispatchOp>(op);
  return dispatch && dispatch.getFamily() == sched::Family::Sort;
}

/// Whether `value` shows the positions that a sort found.
static bool arePositions(Value value) {
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  return slice && isSort(slice.getSource().getDefiningOp()) &&
         slice.getStaticOffsets() == ArrayRef<int64_t>{1, 0} &&
         slice.getType().getDimSize(0) == 1 &&
         slice.getType().getDimSize(1) == slice.getSourceType().getDimSize(1);
}

/// The input of its dispatch that `ids` are computed of, element by element and
/// of nothing else; null if there is none.
static BlockArgument findSource(Value ids) {
  for (size_t step = 0; step < kMostSteps; ++step) {
    if (auto argument = dyn_cast<BlockArgument>(ids))
      return argument;
    Operation *op = ids.getDefiningOp();
    Value source;
    for (Value operand : op->getOperands()) {
      if (Operation *of = operand.getDefiningOp();
          of && of->hasTrait<OpTrait::ConstantLike>())
        continue;
      if (source)
        return {};
      source = operand;
    }
    if (!source || (!isReshape(op) && !op->hasTrait<OpTrait::Elementwise>()))
      return {};
    ids = source;
  }
  return {};
}

/// The positions by which `dispatch` looks up rows of a large table, each
/// several times; null if it does not.
static Value findPositions(sched::DispatchOp dispatch) {
  for (auto gather : dispatch.getBody().front().getOps<train::GatherOp>()) {
    Value table = skipReshapesAnd<train::BroadcastOp>(gather.getTable());
    bool isRepeated = isa<BlockArgument>(table) &&
                      2 * typeOf(table).getNumElements() <=
                          typeOf(gather.getResult()).getNumElements() &&
                      getByteSize(table.getType()) > kMostCached;
    BlockArgument ids = isRepeated ? findSource(gather.getIds()) : nullptr;
    if (!ids)
      continue;
    Value positions = skipReshapes(dispatch.getInputs()[ids.getArgNumber()]);
    if (arePositions(positions))
      return positions;
  }
  return {};
}

/// The positions of the sort of `positions`, where that is computed in front of
/// `dispatch`: where each row went.
static Value findInverse(Value positions, sched::DispatchOp dispatch) {
  llvm::SmallSetVector<Value, 4> shown;
  shown.insert(positions);
  for (size_t i = 0; i < shown.size(); ++i)
    for (Operation *user : shown[i].getUsers()) {
      if (isReshape(user))
        shown.insert(user->getResult(0));
      if (!isSort(user))
        continue;
      for (Operation *view : user->getUsers())
        if (view->getNumResults() == 1 && arePositions(view->getResult(0)) &&
            view->isBeforeInBlock(dispatch))
          return view->getResult(0);
    }
  return {};
}

static void orderRows(sched::DispatchOp dispatch) {
  Value positions = findPositions(dispatch);
  Value order = positions ? findInverse(positions, dispatch) : Value();
  // Rows of a kernel may be parts of those that are looked up: blocks of 128.
  if (!order || dispatch.countRows() != typeOf(order).getNumElements())
    return;
  unsigned index = dispatch.getInputs().size();
  dispatch.getInputsMutable().append(order);
  dispatch.getBody().addArgument(order.getType(), order.getLoc());
  dispatch.setOrder(index);
}

namespace {

struct OrderRows : prec::impl::OrderRowsBase<OrderRows> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!isCompiledGraph(function))
      return;
    for (auto dispatch : function.front().getOps<sched::DispatchOp>())
      if (dispatch.getFamily() == sched::Family::Row)
        orderRows(dispatch);
  }
};

} // namespace
