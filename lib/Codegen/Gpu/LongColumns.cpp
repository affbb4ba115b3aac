//===- LongColumns.cpp - columns of long rows -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/LongColumns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace prec;

void LongColumns::startRow(Value group, Value index) {
  this->group = group;
  isFirst = k.lessThan(index, 1);
}

LogicalResult LongColumns::add(const Digit &column) {
  HeldRow *held = lines.findSums();
  Value element = held ? lines.elementOf(column) : Value();
  for (auto [i, op] : llvm::enumerate(shape.columnReductions)) {
    Value term = gpu.emitter.emitTerm(op, {frame.row, column});
    if (!term)
      return failure();
    unsigned result = shape.columnResults[i];
    Value sum =
        held ? held->loadSum(int64_t(i), element)
             : gpu.emitter.loadFrom(gpu.emitter.getResultPointer(result),
                                    getElementTypeOrSelf(op->getResult(0)),
                                    {groupAt(group), column});
    // Nobody has written there before the first row.
    train::ReduceKind kind = train::ReduceOp(op).getKind();
    Value none = neutralElement(k.here(), k.loc(), kind, sum.getType());
    sum = arith::SelectOp::create(k.here(), k.loc(), isFirst, none, sum);
    sum = combine(k.here(), k.loc(), kind, sum, term);
    if (held)
      held->storeSum(int64_t(i), element, sum);
    else if (failed(gpu.emitter.store(result, {groupAt(group), column}, sum)))
      return failure();
  }
  return success();
}

LogicalResult LongColumns::store(Value group) {
  HeldRow *held = lines.findSums();
  if (!held)
    return success();
  return lines.buildBehind(getExtent(), [&](const Digit &column) {
    Value element = lines.elementOf(column);
    for (auto [i, op] : llvm::enumerate(shape.columnReductions))
      gpu.emitter.bindReduction(op, {groupAt(group), column},
                                held->loadSum(int64_t(i), element));
    return gpu.emitter.emitResults(shape.columnResults,
                                   {groupAt(group), column});
  });
}
