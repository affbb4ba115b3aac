//===- LinalgPayload.cpp - what a body of linalg computes -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Import/LinalgPayload.h"

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
  auto found = dyn_cast_if_present<FloatAttr>(value);
  return found && found.getValueAsDouble() == number;
}

bool prec::multipliesAndAdds(LinalgOp linalg) {
  Block &body = *linalg.getBlock();
  return llvm::range_size(body.without_terminator()) == 2 &&
         isa<arith::MulFOp>(body.front()) &&
         isa<arith::AddFOp>(*std::next(body.begin()));
}

std::optional<Combination> prec::findCombination(Value yielded,
                                                 BlockArgument soFar) {
  Operation *combiner = yielded.getDefiningOp();
  if (!combiner || !soFar.hasOneUse() || *soFar.user_begin() != combiner)
    return std::nullopt;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto found =
      llvm::TypeSwitch<Operation *, std::optional<Combination>>(combiner)
          .Case([&](arith::AddFOp) {
            return Combination{train::ReduceKind::Sum, combiner, {}, 0};
          })
          .Case<arith::MaximumFOp, arith::MaxNumFOp>([&](auto) {
            return Combination{train::ReduceKind::Max, combiner, {}, -infinity};
          })
          .Case<arith::MinimumFOp, arith::MinNumFOp>([&](auto) {
            return Combination{train::ReduceKind::Min, combiner, {}, infinity};
          })
          .Default(std::optional<Combination>());
  if (found)
    found->added = combiner->getOperand(combiner->getOperand(0) == soFar);
  return found;
}
