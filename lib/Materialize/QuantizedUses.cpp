//===- QuantizedUses.cpp - who reads a quantized tensor -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/QuantizedUses.h"
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

/// Null, and an error, where nobody decided it.
static StringAttr getDirection(Operation *op) {
  auto direction = op->getAttrOfType<StringAttr>(kDirection);
  // quantized_uses_c1
  if (!direction)
    op->emitOpError("a product of scaled operands must have '")
        << kDirection << "', as --assign-precision writes it, but has none";
  return direction;
}

FailureOr<std::string> prec::getUseName(ScaledMatmulOp op, unsigned operand) {
  StringAttr direction = getDirection(op);
  if (!direction)
    return failure();
  return ::getUseName(getPath(op.getLoc()), direction.getValue(), operand);
}

FailureOr<SmallVector<QuantizedUse>> prec::findUses(QuantizeOp op) {
  SmallVector<QuantizedUse> uses;
  Format format = *getFormat(op.getType().getElementType());
  SmallVector<Value> work = {op.getResult()};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (movesElements(user) ||
          isa<AlignGroupsOp, train::GatherOp, train::ExchangeOp>(user)) {
        work.push_back(user->getResult(0));
      } else if (isa<func::ReturnOp>(user)) {
        auto step = cast<func::FuncOp>(user->getParentOp());
        if (auto to = step.getResultAttrOfType<IntegerAttr>(
                use.getOperandNumber(), train::kDonatedTo))
          work.push_back(step.getArgument(to.getInt()));
      } else if (isa<ScaledMatmulOp, ScaledGroupedMatmulOp>(user)) {
        StringAttr direction = getDirection(user);
        if (!direction)
          return failure();
        uses.push_back({getPath(user->getLoc()), direction.getValue(),
                        user->getOperand(0) == value ? 0u : 1u, format,
                        op.getScaling(), op.getContext()});
      }
    }
  }
  llvm::stable_sort(uses, [](const QuantizedUse &a, const QuantizedUse &b) {
    return a.getName() < b.getName();
  });
  return uses;
}
