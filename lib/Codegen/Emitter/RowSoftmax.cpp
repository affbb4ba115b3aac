//===- RowSoftmax.cpp - exponentials of rows ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes exponentials of rows in a dispatch, so that cheaper instructions
// may be used. exp(x - max(x)), exp(x - logsumexp(x)), and exp((x - max(x)) -
// log(sum)), where sum is that of the first, have arguments that are not
// positive; so they cannot overflow. A division of such exponentials by their
// sum needs one reciprocal a row. canBeCoarse follows all uses of an
// exponential: if each ends in a rounding to 16 bits or fewer, or in the sum
// with the row's largest, which is 1, an error of 2^-17 does no harm.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/RowSoftmax.h"

#include "prec/Dialect/Prec/Prec.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

/// Whether a value for each row that `reduce` has is repeated where it was
/// reduced from.
static bool isBackAlong(train::BroadcastOp broadcast, train::ReduceOp reduce) {
  return llvm::none_of(reduce.getDims(), [&](int64_t dim) {
    return llvm::is_contained(broadcast.getDims(), dim);
  });
}

/// Whether both are the same element in another format.
static bool isSameValue(Value a, Value b) {
  auto x = a.getDefiningOp<arith::ExtFOp>(),
       y = b.getDefiningOp<arith::ExtFOp>();
  return a == b || (x && y && x.getIn() == y.getIn());
}

namespace {
/// elements - repeated ofRow, the same for a whole row.
struct TakenFromRow {
  Value elements;
  train::BroadcastOp repeated;
  Value ofRow;
};
} // namespace

static std::optional<TakenFromRow> findTaken(Value value) {
  auto difference = value.getDefiningOp<arith::SubFOp>();
  auto repeated = difference
                      ? difference.getRhs().getDefiningOp<train::BroadcastOp>()
                      : train::BroadcastOp();
  if (!repeated)
    return std::nullopt;
  return TakenFromRow{difference.getLhs(), repeated, repeated.getInput()};
}

/// The reduction to the largest element of a row that `value` is what is left
/// of when it is taken from the row's elements.
static train::ReduceOp findLargestTaken(Value value) {
  std::optional<TakenFromRow> taken = findTaken(value);
  auto largest =
      taken ? taken->ofRow.getDefiningOp<train::ReduceOp>() : train::ReduceOp();
  return largest && largest.getKind() == train::ReduceKind::Max &&
                 isSameValue(largest.getInput(), taken->elements) &&
                 isBackAlong(taken->repeated, largest)
             ? largest
             : train::ReduceOp();
}

train::ReduceOp prec::findLargestOf(math::ExpOp exp) {
  train::ReduceOp largest = findLargestTaken(exp.getOperand());
  return largest && largest.getInput() == findTaken(exp.getOperand())->elements
             ? largest
             : train::ReduceOp();
}

/// The largest elements of rows in log(sum(exp(x - largest))).
static train::ReduceOp findLargestOfLog(Value value) {
  auto log = value.getDefiningOp<math::LogOp>();
  auto sum = log ? log.getOperand().getDefiningOp<train::ReduceOp>()
                 : train::ReduceOp();
  auto exp = sum && sum.getKind() == train::ReduceKind::Sum
                 ? sum.getInput().getDefiningOp<math::ExpOp>()
                 : math::ExpOp();
  train::ReduceOp largest = exp ? findLargestOf(exp) : train::ReduceOp();
  return largest && largest.getDims() == sum.getDims() ? largest
                                                       : train::ReduceOp();
}

/// The largest elements of rows in log(sum(exp(x - largest))) + largest.
static train::ReduceOp findLargestOfLogSum(Value value) {
  auto sum = value.getDefiningOp<arith::AddFOp>();
  train::ReduceOp largest =
      sum ? findLargestOfLog(sum.getLhs()) : train::ReduceOp();
  return largest && largest.getResult() == sum.getRhs() ? largest
                                                        : train::ReduceOp();
}

bool prec::isOfNonPositive(math::ExpOp exp) {
  if (findLargestOf(exp))
    return true;
  std::optional<TakenFromRow> taken = findTaken(exp.getOperand());
  if (!taken)
    return false;
  auto isOf = [&](train::ReduceOp largest, Value elements) {
    return largest && isSameValue(largest.getInput(), elements) &&
           isBackAlong(taken->repeated, largest);
  };
  if (isOf(findLargestOfLogSum(taken->ofRow), taken->elements))
    return true;
  train::ReduceOp first = findLargestTaken(taken->elements);
  return first && isOf(findLargestOfLog(taken->ofRow), first.getInput());
}

bool prec::isShareOfRow(arith::DivFOp division) {
  auto exp = division.getLhs().getDefiningOp<math::ExpOp>();
  auto back = division.getRhs().getDefiningOp<train::BroadcastOp>();
  auto sum = back ? back.getInput().getDefiningOp<train::ReduceOp>()
                  : train::ReduceOp();
  auto largest = exp ? findLargestOf(exp) : train::ReduceOp();
  return largest && sum && sum.getKind() == train::ReduceKind::Sum &&
         sum.getInput() == exp.getResult() &&
         sum.getDims() == largest.getDims() && isBackAlong(back, sum);
}

static bool roundsToHalf(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return isa<arith::TruncFOp, QuantizeOp>(op) && element.isFloat() &&
         element.getIntOrFloatBitWidth() <= 16;
}

bool prec::canBeCoarse(math::ExpOp exp) {
  bool isOfLargest = bool(findLargestOf(exp));
  llvm::SetVector<Operation *> work;
  auto addUsers = [&](Operation *op) {
    for (Operation *user : op->getUsers())
      work.insert(user);
  };
  addUsers(exp);
  for (unsigned i = 0; i < work.size(); ++i) {
    Operation *op = work[i];
    if (op->getNumResults() == 1 && roundsToHalf(op))
      continue;
    auto reduce = dyn_cast<train::ReduceOp>(op);
    if (reduce && isOfLargest && reduce.getInput() == exp.getResult() &&
        reduce.getKind() == train::ReduceKind::Sum)
      continue;
    bool keepsError = op->hasTrait<OpTrait::Elementwise>() && !reduce;
    if (!keepsError)
      return false;
    addUsers(op);
  }
  return true;
}
