//===- LinalgPayload.cpp - what a body of linalg computes -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Import/Linalg/LinalgPayload.h"
#include "Import/Linalg/LinalgConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace prec;
using linalg::LinalgOp;

bool prec::startsFrom(Value init, double number) {
  Attribute value;
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    if (!matchPattern(fill.getInputs()[0], m_Constant(&value)))
      return false;
  } else if (DenseElementsAttr dense;
             matchPattern(init, m_Constant(&dense)) && dense.isSplat()) {
    value = dense.getSplatValue<Attribute>();
  }
  if (auto whole = dyn_cast_if_present<IntegerAttr>(value))
    return whole.getValue().getSExtValue() == number;
  auto found = dyn_cast_if_present<FloatAttr>(value);
  return found && found.getValueAsDouble() == number;
}

static Value skipExtensions(Value value) {
  while (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  return value;
}

/// The multiplication of such a payload; null of others.
static arith::MulFOp findMultiplication(LinalgOp linalg) {
  Block &body = *linalg.getBlock();
  if (linalg.getNumDpsInputs() != 2 || linalg.getNumDpsInits() != 1)
    return {};
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return {};
  BlockArgument soFar = body.getArgument(2);
  Value added = sum.getLhs() == soFar ? sum.getRhs() : sum.getLhs();
  auto product = added.getDefiningOp<arith::MulFOp>();
  if (!product || (sum.getLhs() != soFar && sum.getRhs() != soFar))
    return {};
  Value lhs = skipExtensions(product.getLhs());
  Value rhs = skipExtensions(product.getRhs());
  bool isInOrder = lhs == body.getArgument(0) && rhs == body.getArgument(1);
  bool isSwapped = lhs == body.getArgument(1) && rhs == body.getArgument(0);
  return isInOrder || isSwapped ? product : arith::MulFOp();
}

bool prec::multipliesAndAdds(LinalgOp linalg) {
  return static_cast<bool>(findMultiplication(linalg));
}

Value prec::widen(OpOperand &operand, LinalgOp linalg, LinalgConverter &c) {
  Value value = operand.get();
  Type element = findMultiplication(linalg).getType();
  if (linalgTypeOf(value).getElementType() == element)
    return value;
  return c.create<arith::ExtFOp>(linalgTypeOf(value).clone(element), value);
}

std::optional<Combination> prec::findCombination(Value yielded,
                                                 BlockArgument soFar) {
  Operation *combiner = yielded.getDefiningOp();
  if (!combiner || !soFar.hasOneUse() || *soFar.user_begin() != combiner)
    return std::nullopt;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto make = [&](train::ReduceKind kind, double neutral) {
    return Combination{kind, combiner, {}, neutral};
  };
  // The least and the largest i32 and i64 are numbers of f64, too, but for the
  // largest i64, which is then no neutral start.
  unsigned width = getStored(yielded.getType()).getIntOrFloatBitWidth();
  double least = -std::ldexp(1.0, int(width) - 1);
  auto found =
      llvm::TypeSwitch<Operation *, std::optional<Combination>>(combiner)
          .Case([&](arith::AddFOp) { return make(train::ReduceKind::Sum, 0); })
          .Case<arith::MaximumFOp, arith::MaxNumFOp>(
              [&](auto) { return make(train::ReduceKind::Max, -infinity); })
          .Case<arith::MinimumFOp, arith::MinNumFOp>(
              [&](auto) { return make(train::ReduceKind::Min, infinity); })
          .Case([&](arith::AddIOp) { return make(train::ReduceKind::Sum, 0); })
          .Case([&](arith::MaxSIOp) {
            return make(train::ReduceKind::Max, least);
          })
          .Case([&](arith::MinSIOp) {
            return make(train::ReduceKind::Min, -least - 1);
          })
          .Default(std::optional<Combination>());
  // One bit is signed where the larger is taken.
  if (found && width == 1)
    return std::nullopt;
  if (found)
    found->added = combiner->getOperand(combiner->getOperand(0) == soFar);
  return found;
}
