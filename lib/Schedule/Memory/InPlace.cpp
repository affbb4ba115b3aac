//===- InPlace.cpp - which results may overwrite which operands -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says whether a command may write a result over one of its operands. That is
// right if each element of the operand is read only where the same element of
// the result is computed, because a kernel reads an element before it writes
// it. So every use of the operand in the body is followed to the yield; all
// operations on the way must be elementwise, or collect all that they read
// before the kernel writes anything (a reduction of the row, a transposed tile
// in shared memory). No other operand of the command may have any of the same
// bytes. The planner asks before it overwrites, and the verifier asks again.
// Time is linear in the body.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Memory/InPlace.h"

#include "Schedule/Memory/Lifetimes.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/Tiles.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;

/// Whether `op` computes each element from the same element of `operand`.
static bool isElementByElement(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || isReshape(op) ||
         isa<sched::YieldOp>(op);
}

/// Whether `result` of a dispatch by rows reduces the columns of groups of
/// them: it is written while other rows of a group are still read.
static bool isOfColumns(sched::DispatchOp dispatch, unsigned result) {
  Operation *yield = dispatch.getBody().front().getTerminator();
  auto reduce = yield->getOperand(result).getDefiningOp<train::ReduceOp>();
  if (!reduce || dispatch.getFamily() != sched::Family::Row)
    return false;
  int64_t rank = cast<RankedTensorType>(reduce.getInput().getType()).getRank();
  return !llvm::is_contained(reduce.getDims(), rank - 1);
}

/// Quantization reads its input element by element, its scale everywhere; a
/// table of numbers is read anywhere, its indices are not.
static bool readsElementwise(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<QuantizeOp, DequantizeOp>(op))
    return use.getOperandNumber() == 0;
  if (auto gather = dyn_cast<train::GatherOp>(op))
    return use.getOperandNumber() == 1 &&
           cast<RankedTensorType>(gather.getTable().getType()).getRank() == 1;
  return isElementByElement(op);
}

static bool isTurnedResult(Operation *op) {
  auto transpose = dyn_cast<train::TransposeOp>(op);
  return transpose && train::swapsLastTwo(transpose) &&
         llvm::all_of(op->getUsers(), llvm::IsaPred<sched::YieldOp>);
}

/// Whether `op` collects what the threads of such a kernel have read before any
/// of it is overwritten.
static bool isCollected(Operation *op, sched::Family family) {
  if (family == sched::Family::Transpose)
    return isa<train::ReduceOp>(op) || isTurnedResult(op) ||
           (isa<tensor::ConcatOp>(op) &&
            llvm::all_of(op->getUsers(), [](Operation *user) {
              return isa<sched::YieldOp>(user) || isTurnedResult(user);
            }));
  return family == sched::Family::Row && isa<train::ReduceOp>(op);
}

/// Follows `argument` from use to use until every path ends in a yield or in
/// what the kernel collects.
static bool isReadElementByElement(BlockArgument argument,
                                   sched::Family family) {
  SmallVector<Value> work = {argument};
  llvm::SmallDenseSet<Operation *> seen;
  while (!work.empty())
    for (OpOperand &use : work.pop_back_val().getUses()) {
      Operation *op = use.getOwner();
      if (isCollected(op, family))
        continue;
      if (!readsElementwise(use))
        return false;
      if (seen.insert(op).second)
        llvm::append_range(work, op->getResults());
    }
  return true;
}

static std::optional<unsigned> getDeclaredOperand(Operation *op,
                                                  unsigned result) {
  if (auto gemm = dyn_cast<sched::GemmOp>(op)) {
    if (!gemm.getInit())
      return std::nullopt;
    return gemm.getInitMutable()[0].getOperandNumber();
  }
  auto dispatch = dyn_cast<sched::DispatchOp>(op);
  if (!dispatch || dispatch.getInplace().empty() ||
      dispatch.getInplace()[result] < 0)
    return std::nullopt;
  unsigned input = dispatch.getInplace()[result];
  BlockArgument argument = dispatch.getBody().getArgument(input);
  switch (dispatch.getFamily()) {
  case sched::Family::ScatterAdd: {
    auto yield =
        cast<sched::YieldOp>(dispatch.getBody().front().getTerminator());
    auto scatter =
        yield->getOperand(result).getDefiningOp<train::ScatterAddOp>();
    if (scatter && scatter.getInit() == argument && argument.hasOneUse())
      return input;
    return std::nullopt;
  }
  case sched::Family::Elementwise:
  case sched::Family::Row:
  case sched::Family::Transpose:
    if (!isOfColumns(dispatch, result) &&
        isReadElementByElement(argument, dispatch.getFamily()))
      return input;
    return std::nullopt;
  case sched::Family::Column:
  case sched::Family::Sort:
    return std::nullopt;
  }
  llvm_unreachable("all families are handled");
}

/// Whether no other operand has any of the bytes of `operand`.
static bool isOnlyReader(Operation *op, unsigned operand) {
  auto pieces = getPieces(getStorageRoot(op->getOperand(operand)));
  return 1 == llvm::count_if(op->getOperands(), [&](Value other) {
           return llvm::any_of(
               getPieces(getStorageRoot(other)),
               [&](Value piece) { return llvm::is_contained(pieces, piece); });
         });
}

std::optional<unsigned> prec::getOverwritableOperand(Operation *op,
                                                     unsigned result) {
  std::optional<unsigned> operand = getDeclaredOperand(op, result);
  if (operand && isOnlyReader(op, *operand))
    return operand;
  return std::nullopt;
}

bool prec::couldOverwrite(OpResult result, unsigned input) {
  auto dispatch = cast<sched::DispatchOp>(result.getOwner());
  sched::Family family = dispatch.getFamily();
  return (family == sched::Family::Elementwise ||
          family == sched::Family::Row) &&
         !isOfColumns(dispatch, result.getResultNumber()) &&
         dispatch.getOrder() != input && isOnlyReader(dispatch, input) &&
         isReadElementByElement(dispatch.getBody().getArgument(input), family);
}
