//===- RowSoftmax.cpp - exponentials of rows ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes exponentials of rows in a dispatch, so that cheaper instructions
// may be used. exp(x - max(x)), and exp(x - logsumexp(x)), have arguments that
// are not positive; so they cannot overflow. A division of such exponentials by
// their sum needs one reciprocal a row. canBeCoarse follows all uses of an
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

/// What is taken from elements for `exp`, the same for a whole row; null if
/// nothing is.
static train::BroadcastOp findSubtracted(math::ExpOp exp) {
  auto difference = exp.getOperand().getDefiningOp<arith::SubFOp>();
  return difference ? difference.getRhs().getDefiningOp<train::BroadcastOp>()
                    : train::BroadcastOp();
}

/// Whether a value for each row that `reduce` has is repeated where it was
/// reduced from.
static bool isBackAlong(train::BroadcastOp broadcast, train::ReduceOp reduce) {
  return llvm::none_of(reduce.getDims(), [&](int64_t dim) {
    return llvm::is_contained(broadcast.getDims(), dim);
  });
}

static Value minuendOf(math::ExpOp exp) {
  return exp.getOperand().getDefiningOp<arith::SubFOp>().getLhs();
}

train::ReduceOp prec::findLargestOf(math::ExpOp exp) {
  train::BroadcastOp subtracted = findSubtracted(exp);
  auto largest = subtracted
                     ? subtracted.getInput().getDefiningOp<train::ReduceOp>()
                     : train::ReduceOp();
  bool matches = largest && largest.getKind() == train::ReduceKind::Max &&
                 largest.getInput() == minuendOf(exp) &&
                 isBackAlong(subtracted, largest);
  return matches ? largest : train::ReduceOp();
}

/// Whether both are the same element in another format.
static bool isSameValue(Value a, Value b) {
  auto x = a.getDefiningOp<arith::ExtFOp>(),
       y = b.getDefiningOp<arith::ExtFOp>();
  return a == b || (x && y && x.getIn() == y.getIn());
}

/// The largest elements of rows in log(sum(exp(x - largest))) + largest.
static train::ReduceOp findLargestOfLogSum(Value value) {
  auto sum = value.getDefiningOp<arith::AddFOp>();
  auto log = sum ? sum.getLhs().getDefiningOp<math::LogOp>() : math::LogOp();
  auto reduce = log ? log.getOperand().getDefiningOp<train::ReduceOp>()
                    : train::ReduceOp();
  auto exp = reduce && reduce.getKind() == train::ReduceKind::Sum
                 ? reduce.getInput().getDefiningOp<math::ExpOp>()
                 : math::ExpOp();
  train::ReduceOp largest = exp ? findLargestOf(exp) : train::ReduceOp();
  return largest && largest.getResult() == sum.getRhs() &&
                 largest.getDims() == reduce.getDims()
             ? largest
             : train::ReduceOp();
}

bool prec::isOfNonPositive(math::ExpOp exp) {
  if (findLargestOf(exp))
    return true;
  train::BroadcastOp subtracted = findSubtracted(exp);
  auto largest = subtracted ? findLargestOfLogSum(subtracted.getInput())
                            : train::ReduceOp();
  return largest && isSameValue(largest.getInput(), minuendOf(exp)) &&
         isBackAlong(subtracted, largest);
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
