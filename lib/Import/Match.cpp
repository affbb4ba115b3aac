//===- Match.cpp - small questions about graphs ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small questions about a graph that the Raise files share: what is behind
// reshapes and broadcasts, which number a constant repeats, what is squared,
// whether the two halves of a last dimension are equal. `Halves` makes the
// first half of such a value, once for each: it goes back through elementwise
// operations to the concatenation that doubled it, and falls back to a slice.
// eraseDeadFrom erases an operation that nothing reads, and then its producers,
// as long as nothing reads them either.
//
//===----------------------------------------------------------------------===//
#include "Import/Match.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/Slices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace prec;

Value prec::skipLayout(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isReshape(op) && !isa<train::BroadcastOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

SmallVector<Value> prec::getLayoutChain(Value value) {
  SmallVector<Value> chain{value};
  while (Operation *op = chain.back().getDefiningOp()) {
    if (!isReshape(op) && !isa<train::BroadcastOp>(op))
      break;
    chain.push_back(op->getOperand(0));
  }
  return chain;
}

std::optional<double> prec::getSplat(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(skipLayout(value), m_Constant(&elements)) ||
      !elements.isSplat())
    return std::nullopt;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().convertToDouble();
  if (elements.getElementType().isInteger(1))
    return elements.getSplatValue<bool>();
  if (isa<IntegerType>(elements.getElementType()))
    return static_cast<double>(elements.getSplatValue<APInt>().getSExtValue());
  return std::nullopt;
}

Value prec::getSquared(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isReshape(op)) {
      value = op->getOperand(0);
    } else if (auto mul = dyn_cast<arith::MulFOp>(op)) {
      if (mul.getLhs() == mul.getRhs())
        return mul.getLhs();
      if (getSplat(mul.getRhs()))
        value = mul.getLhs();
      else if (getSplat(mul.getLhs()))
        value = mul.getRhs();
      else
        return {};
    } else if (auto div = dyn_cast<arith::DivFOp>(op);
               div && getSplat(div.getRhs())) {
      value = div.getLhs();
    } else if (auto pow = dyn_cast<math::PowFOp>(op);
               pow && getSplat(pow.getRhs()) == 2.0) {
      return pow.getLhs();
    } else {
      return {};
    }
  }
  return {};
}

bool prec::reducesLastDim(train::ReduceOp op) {
  return op.getDims().size() == 1 &&
         op.getDims()[0] ==
             cast<RankedTensorType>(op.getInput().getType()).getRank() - 1;
}

Value prec::reshape(OpBuilder &builder, Location loc, Value value,
                    ArrayRef<int64_t> shape) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from.getShape() == shape)
    return value;
  auto to = RankedTensorType::get(shape, from.getElementType());
  if (auto groups = getReassociationIndicesForReshape(from, to)) {
    if (from.getRank() > to.getRank())
      return tensor::CollapseShapeOp::create(builder, loc, to, value, *groups);
    return tensor::ExpandShapeOp::create(builder, loc, to, value, *groups);
  }
  value = reshape(builder, loc, value, {from.getNumElements()});
  return reshape(builder, loc, value, shape);
}

namespace {

bool isElementwise(Operation *op) {
  return op->getNumResults() == 1 && OpTrait::hasElementwiseMappableTraits(op);
}

/// The operand that carries the halves: the others are splats.
OpOperand *getVaryingOperand(Operation *op) {
  OpOperand *varying = nullptr;
  for (OpOperand &operand : op->getOpOperands()) {
    if (getSplat(operand.get()))
      continue;
    if (varying)
      return nullptr;
    varying = &operand;
  }
  return varying;
}

bool isLastDimConcat(tensor::ConcatOp op) {
  return op.getInputs().size() == 2 && op.getInputs()[0] == op.getInputs()[1] &&
         static_cast<int64_t>(op.getDim()) == op.getResultType().getRank() - 1;
}

/// A reshape that leaves the last dimension as it is.
bool keepsLastDim(Operation *op) {
  if (!isReshape(op))
    return false;
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  return from.getRank() && to.getRank() &&
         from.getShape().back() == to.getShape().back();
}

} // namespace

bool prec::hasEqualHalves(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto concat = dyn_cast<tensor::ConcatOp>(op))
      return isLastDimConcat(concat);
    OpOperand *next = nullptr;
    if (keepsLastDim(op))
      next = &op->getOpOperand(0);
    else if (isElementwise(op))
      next = getVaryingOperand(op);
    if (!next)
      return false;
    value = next->get();
  }
  return false;
}

Value Halves::get(Value value) {
  // Inserted through `known` only at the end: the recursion may rehash it.
  if (Value half = known.lookup(value))
    return half;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() /= 2;
  RankedTensorType halfType = type.clone(shape);
  Location loc = value.getLoc();
  KeepOrder order;
  OpBuilder builder(value.getContext(), &order);
  builder.setInsertionPointAfterValue(value);
  Operation *op = value.getDefiningOp();
  Value half;
  if (op && hasEqualHalves(value)) {
    if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
      half = concat.getInputs()[0];
    } else if (keepsLastDim(op)) {
      half = reshape(builder, loc, get(op->getOperand(0)), shape);
    } else {
      OpOperand *varying = getVaryingOperand(op);
      SmallVector<Value> operands;
      for (OpOperand &operand : op->getOpOperands())
        operands.push_back(&operand == varying
                               ? get(operand.get())
                               : arith::ConstantOp::create(
                                     builder, loc,
                                     DenseElementsAttr::get(
                                         halfType, static_cast<float>(*getSplat(
                                                       operand.get())))));
      Operation *made = builder.create(loc, op->getName().getIdentifier(),
                                       operands, {halfType}, op->getAttrs());
      half = made->getResult(0);
    }
  } else {
    half = train::createSlice(builder, loc, halfType, value);
  }
  known[value] = half;
  return half;
}

void prec::eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void prec::eraseDeadFrom(Operation *op) {
  SmallVector<Operation *> worklist{op};
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    if (!isOpTriviallyDead(next))
      continue;
    // An operation that reads one value twice must come up once.
    llvm::SmallSetVector<Operation *, 4> producers;
    for (Value operand : next->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        producers.insert(producer);
    llvm::erase(worklist, next);
    next->erase();
    for (Operation *producer : producers)
      if (!llvm::is_contained(worklist, producer))
        worklist.push_back(producer);
  }
}
