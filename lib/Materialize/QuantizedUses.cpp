//===- QuantizedUses.cpp - who reads a quantized tensor -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/QuantizedUses.h"
#include "Materialize/ScaledGradients.h"
#include "prec/Assign/Classification.h"
#include "prec/Assign/Projection.h"
#include "prec/Dialect/Prec/Describe.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

static std::string getUseName(StringRef path, StringRef direction,
                              unsigned operand) {
  return (path + "/" + direction + "/" + Twine(operand)).str();
}

std::string QuantizedUse::getName() const {
  return ::getUseName(path, direction, operand);
}

DictionaryAttr QuantizedUse::getAttribute() const {
  Builder builder(context);
  auto text = [&](StringRef name, const Twine &value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  };
  return builder.getDictionaryAttr(
      {text("path", path), text("direction", direction),
       builder.getNamedAttr("operand", builder.getI64IntegerAttr(operand)),
       text("format", stringifyFormat(format)),
       text("scaling", stringifyScaling(scaling))});
}

/// Whether `value` is a work weight, or made of a parameter by moving its
/// elements.
static bool isOfWeight(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!movesElements(op) && !isCast(op) && !isa<QuantizeOp>(op))
      return false;
    value = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  auto step = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto role = step.getArgAttrOfType<train::RoleAttr>(argument.getArgNumber(),
                                                     train::kRole);
  return role && (role.getValue() == train::Role::WorkWeight ||
                  role.getValue() == train::Role::Parameter ||
                  role.getValue() == train::Role::FrozenParameter);
}

/// Whether an update reads `value` as it is or behind elementwise arithmetic.
static bool isWeightGradient(Value value) {
  SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i)
    for (Operation *user : reached[i].getUsers()) {
      if (isOptimizer(user) || isa<func::ReturnOp>(user))
        return true;
      if (user->hasTrait<OpTrait::Elementwise>() || movesElements(user))
        reached.insert(user->getResult(0));
    }
  return false;
}

/// As --prec-classify finds it before the tags are gone.
static Direction getDirection(ScaledMatmulOp op) {
  if (train::getPhase(op) != train::Phase::Backward)
    return Direction::Fprop;
  bool readsWeight = isOfWeight(op.getLhs()) || isOfWeight(op.getRhs());
  return !readsWeight && isWeightGradient(op.getResult()) ? Direction::Wgrad
                                                          : Direction::Dgrad;
}

std::string prec::getUseName(ScaledMatmulOp op, unsigned operand) {
  return ::getUseName(getPath(op.getLoc()),
                      stringifyDirection(getDirection(op)), operand);
}

Scaling prec::getScaling(QuantizeOp op) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Value scale = op.getScale();
  if (scale.getDefiningOp<BlockScaleOp>())
    return isa<Float4E2M1FNType>(op.getType().getElementType())
               ? Scaling::Nvfp4
               : Scaling::Mx1x32;
  for (Scaling fine :
       {Scaling::Row, Scaling::Block1x128, Scaling::Block128x128})
    if (cast<RankedTensorType>(scale.getType()).getRank() > 0 &&
        getScaleType(type, fine) == scale.getType())
      return fine;
  while (Operation *source = scale.getDefiningOp()) {
    if (isa<HistoryScaleOp>(source))
      return Scaling::TensorDelayed;
    if (!movesElements(source))
      break;
    scale = source->getOperand(0);
  }
  return Scaling::TensorCurrent;
}

SmallVector<QuantizedUse> prec::findUses(QuantizeOp op) {
  SmallVector<QuantizedUse> uses;
  Format format = *getFormat(op.getType().getElementType());
  Scaling scaling = getScaling(op);
  SmallVector<Value> work = {op.getResult()};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (movesElements(user)) {
        work.push_back(user->getResult(0));
      } else if (isa<func::ReturnOp>(user)) {
        auto step = cast<func::FuncOp>(user->getParentOp());
        if (auto to = step.getResultAttrOfType<IntegerAttr>(
                use.getOperandNumber(), train::kDonatedTo))
          work.push_back(step.getArgument(to.getInt()));
      } else if (auto matmul = dyn_cast<ScaledMatmulOp>(user)) {
        uses.push_back({getPath(matmul.getLoc()),
                        stringifyDirection(getDirection(matmul)),
                        matmul.getLhs() == value ? 0u : 1u, format, scaling,
                        op.getContext()});
      }
    }
  }
  llvm::stable_sort(uses, [](const QuantizedUse &a, const QuantizedUse &b) {
    return a.getName() < b.getName();
  });
  return uses;
}
