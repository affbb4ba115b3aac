//===- DecomposeFormula.cpp - updates by a formula ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The region of `prec_train.update` computes one element. Here each of its
// operations becomes the same operation on tensors: on scalars where it follows
// from scalars alone, else on tensors of the parameter's shape. Scalars are
// made once in a function for all updates that read the same hyperparameters;
// what no result needs is not made. The fusion later puts the primitives of an
// update into one kernel, as it does those of every other optimizer.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Decompose/DecomposeUpdate.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace prec;

namespace {

/// The primitives of one update.
class Formula {
public:
  Formula(train::UpdateOp op, FormulaDecomposer &shared, PrimitiveBuilder &b);

  Values decompose();

private:
  /// What stands for a value of the region.
  Value get(Value value);
  Value build(Operation *op);
  Value getArgument(unsigned number);
  /// For every element of the parameter.
  Value getElements(Value value);

  train::UpdateOp op;
  FormulaDecomposer &shared;
  PrimitiveBuilder &b;
  UpdateBuilder u;
  DenseMap<Value, Value> built;
};

} // namespace

Formula::Formula(train::UpdateOp op, FormulaDecomposer &shared,
                 PrimitiveBuilder &b)
    : op(op), shared(shared), b(b), u(op, b) {}

Value Formula::getArgument(unsigned number) {
  if (number == 0)
    return u.parameter;
  if (number == 1)
    return u.gradient;
  Value operand = op->getOperand(number);
  unsigned scalars = 2 + op.getStates().size() + op.getDirections().size();
  if (number < scalars)
    return b.toF32(operand);
  return shared.getScalar({operand.getAsOpaquePointer()},
                          [&] { return b.toF64(operand); });
}

Value Formula::getElements(Value value) {
  ArrayRef<int64_t> shape = shapeOf(op.getParameter());
  if (shapeOf(value) == shape)
    return value;
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) &&
      constant.getElementType().isF32())
    return b.splat(constant.getSplatValue<APFloat>().convertToDouble(), shape);
  return u.all(value);
}

Value Formula::build(Operation *inner) {
  if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
    double value = cast<FloatAttr>(constant.getValue()).getValueAsDouble();
    return constant.getType().isF64() ? b.scalarF64(value) : b.splat(value, {});
  }
  SmallVector<Value> operands;
  for (Value operand : inner->getOperands())
    operands.push_back(get(operand));
  bool isScalar = llvm::all_of(
      operands, [](Value operand) { return shapeOf(operand).empty(); });
  if (!isScalar) {
    for (Value &operand : operands)
      operand = getElements(operand);
    return b.createElementwise(inner, operands);
  }
  SmallVector<const void *, 8> key = {
      inner->getName().getAsOpaquePointer(),
      inner->getAttrDictionary().getAsOpaquePointer(),
      inner->getResult(0).getType().getAsOpaquePointer()};
  for (Value operand : operands)
    key.push_back(operand.getAsOpaquePointer());
  return shared.getScalar(key,
                          [&] { return b.createElementwise(inner, operands); });
}

Value Formula::get(Value value) {
  auto known = built.find(value);
  if (known != built.end())
    return known->second;
  Value made;
  if (auto argument = dyn_cast<BlockArgument>(value))
    made = getArgument(argument.getArgNumber());
  else
    made = build(value.getDefiningOp());
  built[value] = made;
  return made;
}

Values Formula::decompose() {
  Operation *yield = op.getFormula().front().getTerminator();
  SmallVector<StateUpdate> states;
  for (auto [index, state] : llvm::enumerate(op.getStates())) {
    Value taken = get(yield->getOperand(1 + index));
    if (!shapeOf(state).empty())
      taken = getElements(taken);
    states.push_back({taken, get(op.getFormula().getArgument(2 + index))});
  }
  Value parameter = getElements(get(yield->getOperand(0)));
  return u.finish(parameter, states, [&] {
    return getElements(get(yield->getOperands().back()));
  });
}

Value FormulaDecomposer::getScalar(ArrayRef<const void *> key,
                                   llvm::function_ref<Value()> make) {
  auto [entry, isNew] =
      scalars.try_emplace(SmallVector<const void *, 8>(key), Value());
  if (!isNew)
    return entry->second;
  Value made = make();
  entry->second = made;
  return made;
}

Values FormulaDecomposer::decompose(train::UpdateOp op, PrimitiveBuilder &b) {
  return Formula(op, *this, b).decompose();
}
