//===- PickedElement.cpp - an element of a row by its index ---------------===//
#include "PickedElement.h"

using namespace mlir;
using namespace mlir::prec;

LogicalResult prec::bindPicked(GpuKernel &gpu, train::ReduceOp op,
                               const PickedElement &found, const Digit &row) {
  KernelBuilder &k = gpu.kernel();
  int64_t extent = ReductionLevels::reducedOf(op);
  Value index = gpu.emitter.emit(found.index, row);
  if (!index)
    return failure();
  Expr at = Expr(k.here(), k.loc(), index).convert(k.indexType);
  Value floor = arith::MaxSIOp::create(k.here(), k.loc(), at, k.constant(0));
  Expr nearest(k.here(), k.loc(), k.min(floor, extent - 1));
  Value element =
      gpu.emitter.emit(found.element, {row, Digit{extent, nearest}});
  if (!element)
    return failure();
  Type type = cast<RankedTensorType>(found.element.getType()).getElementType();
  Expr value(k.here(), k.loc(),
             toAccumulator(k.here(), k.loc(), element, type, k.target));
  Expr sum = (nearest == at).select(value + 0.0, value.constant(0));
  gpu.emitter.bindReduction(op, row, sum);
  return success();
}
