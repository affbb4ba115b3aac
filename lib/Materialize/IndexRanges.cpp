//===- IndexRanges.cpp - where the indices of a step may lie --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the range of integer values, to know which indices can lie outside of a
// table. isWithin goes back from the indices: through operations that move or
// choose elements to constants, which are checked here, and to inputs that only
// the caller writes, which it can check; for anything computed in between the
// range is inferred. Ranges are inferred once a value, from those of its
// operands, by MLIR's interface for integer ranges and a few rules of our own
// (gather, iota, reduce, abs). What is not known has the full range.
//
//===----------------------------------------------------------------------===//
#include "Materialize/IndexRanges.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/IndexCheck.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;

static unsigned getWidth(Value value) {
  return ConstantIntRanges::getStorageBitwidth(value.getType());
}

static ConstantIntRanges getBounds(int64_t low, int64_t high, unsigned width) {
  if (!llvm::isIntN(width, low) || !llvm::isIntN(width, high))
    return ConstantIntRanges::maxRange(width);
  return ConstantIntRanges::fromSigned(APInt(width, low, /*isSigned=*/true),
                                       APInt(width, high, /*isSigned=*/true));
}

std::optional<int64_t> IndexRanges::getNumber(BlockArgument argument,
                                              StringRef name) {
  if (argument.getOwner()->getParentOp() != step)
    return std::nullopt;
  auto number =
      step.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), name);
  return number ? std::optional(number.getInt()) : std::nullopt;
}

/// Whether nobody but who feeds the step writes it.
static bool isFed(func::FuncOp step, BlockArgument argument) {
  if (argument.getOwner()->getParentOp() != step)
    return false;
  for (unsigned i = 0; i < step.getNumResults(); ++i) {
    auto to = step.getResultAttrOfType<IntegerAttr>(i, train::kDonatedTo);
    if (to && to.getInt() == argument.getArgNumber())
      return false;
  }
  auto role = step.getArgAttrOfType<train::RoleAttr>(argument.getArgNumber(),
                                                     train::kRole);
  return role && (role.getValue() == train::Role::Batch ||
                  role.getValue() == train::Role::Buffer);
}

bool IndexRanges::isWithin(Value ids, int64_t rows,
                           std::optional<int64_t> ignored,
                           llvm::SetVector<BlockArgument> &sources) {
  if (auto argument = dyn_cast<BlockArgument>(ids)) {
    if (!isFed(step, argument))
      return false;
    sources.insert(argument);
    return true;
  }
  Operation *op = ids.getDefiningOp();
  DenseIntElementsAttr elements;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
  if (elements)
    return llvm::all_of(elements.getValues<APInt>(), [&](const APInt &element) {
      int64_t id = element.getSExtValue();
      return id == ignored || (id >= 0 && id < rows);
    });
  bool isChoice = isa<arith::SelectOp>(op);
  if (movesElements(op) || isChoice)
    return llvm::all_of(op->getOperands().drop_front(isChoice ? 1 : 0),
                        [&](Value operand) {
                          return isWithin(operand, rows, ignored, sources);
                        });
  ConstantIntRanges range = getRange(ids);
  return !range.smin().isNegative() && range.smax().slt(rows);
}

ConstantIntRanges IndexRanges::getRange(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  ConstantIntRanges range = infer(value);
  known.try_emplace(value, range);
  return range;
}

ConstantIntRanges IndexRanges::infer(Value value) {
  unsigned width = getWidth(value);
  ConstantIntRanges all = ConstantIntRanges::maxRange(width);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner()->getParentOp() == step)
      if (auto range = step.getArgAttrOfType<DenseI64ArrayAttr>(
              argument.getArgNumber(), train::kRange))
        return getBounds(range[0], range[1], width);
    std::optional<int64_t> size = getNumber(argument, train::kVocabulary);
    if (!size || !isFed(step, argument))
      return all;
    int64_t ignored = getNumber(argument, train::kIgnoreIndex).value_or(0);
    return getBounds(std::min<int64_t>(0, ignored),
                     std::max(*size - 1, ignored), width);
  }
  Operation *op = value.getDefiningOp();
  auto join = [&](ValueRange operands) {
    ConstantIntRanges joined = getRange(operands.front());
    for (Value operand : operands.drop_front())
      joined = joined.rangeUnion(getRange(operand));
    return joined;
  };
  if (movesElements(op))
    return join(op->getOperands());
  if (isa<arith::SelectOp>(op))
    return join(op->getOperands().drop_front());
  if (auto gather = dyn_cast<train::GatherOp>(op))
    return getRange(gather.getTable());
  if (auto iota = dyn_cast<train::IotaOp>(op)) {
    auto type = cast<RankedTensorType>(iota.getResult().getType());
    return getBounds(
        0, std::max<int64_t>(type.getDimSize(iota.getDim()), 1) - 1, width);
  }
  if (auto reduce = dyn_cast<train::ReduceOp>(op))
    return reduce.getKind() == train::ReduceKind::Sum
               ? all
               : getRange(reduce.getInput());
  if (auto magnitude = dyn_cast<math::AbsIOp>(op)) {
    ConstantIntRanges of = getRange(magnitude.getOperand());
    // That of the least number is itself.
    if (of.smin().isMinSignedValue())
      return all;
    APInt low = of.smin().abs(), high = of.smax().abs();
    bool hasZero = !of.smin().isStrictlyPositive() && !of.smax().isNegative();
    APInt least = hasZero ? APInt(width, 0) : llvm::APIntOps::smin(low, high);
    return ConstantIntRanges::fromSigned(least,
                                         llvm::APIntOps::smax(low, high));
  }
  auto inferable = dyn_cast<InferIntRangeInterface>(op);
  if (!inferable)
    return all;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getRange(operand));
  ConstantIntRanges result = all;
  inferable.inferResultRanges(operands,
                              [&](Value of, const ConstantIntRanges &range) {
                                if (of == value)
                                  result = range;
                              });
  return result;
}
