//===- PickedElement.cpp - an element of a row by its index ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizes a sum that picks one element of a row, sum(position == index ? x :
// 0), as a cross entropy does with the logit of the label, and reads that
// element instead of summing. Outside of the row the sum is 0: the index is
// clamped for the read, and the value is dropped. x + 0 is what the sum would
// give, also for -0.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/PickedElement.h"
#include "Codegen/DispatchShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace prec;

std::optional<PickedElement> prec::findPicked(train::ReduceOp op) {
  int64_t last = cast<RankedTensorType>(op.getInput().getType()).getRank() - 1;
  auto select = op.getInput().getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpIOp>()
                        : arith::CmpIOp();
  if (op.getKind() != train::ReduceKind::Sum ||
      op.getDims() != ArrayRef<int64_t>{last} || !compare ||
      compare.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
    return std::nullopt;
  for (auto [x, y] : {std::pair(compare.getLhs(), compare.getRhs()),
                      std::pair(compare.getRhs(), compare.getLhs())}) {
    auto position = x.getDefiningOp<train::IotaOp>();
    auto index = y.getDefiningOp<train::BroadcastOp>();
    // An index for each row, as wide as positions are on the device.
    bool isOfRow = index && !llvm::is_contained(index.getDims(), last) &&
                   elementsOf(index.getInput()) == elementsOf(op.getResult()) &&
                   getElementTypeOrSelf(index.getInput()).isInteger(32);
    if (position && isOfRow && int64_t(position.getDim()) == last)
      return PickedElement{select.getTrueValue(), index.getInput()};
  }
  return std::nullopt;
}

LogicalResult prec::bindPicked(GpuKernel &gpu, train::ReduceOp op,
                               const PickedElement &found, const Digit &row) {
  KernelBuilder &k = gpu.kernel();
  int64_t extent = ReductionLevels::reducedOf(op);
  Value index = gpu.emitter.emit(found.index, row);
  if (!index)
    return failure();
  Expr at = Expr(k.moveHere(), k.loc(), index).convert(k.indexType);
  Value floor = arith::MaxSIOp::create(k.here(), k.loc(), at, k.constant(0));
  Value inRange = k.min(floor, extent - 1);
  Expr nearest(k.moveHere(), k.loc(), inRange);
  Value element =
      gpu.emitter.emit(found.element, {row, Digit{extent, nearest}});
  if (!element)
    return failure();
  Type type = cast<RankedTensorType>(found.element.getType()).getElementType();
  Value wide = toAccumulator(k.here(), k.loc(), element, type, k.target);
  Expr value(k.moveHere(), k.loc(), wide);
  Expr sum = (nearest == at).select(value + 0.0, value.constant(0));
  gpu.emitter.bindReduction(op, row, sum);
  return success();
}
