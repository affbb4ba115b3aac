//===- DividedNorm.cpp - norms of what ranks have slices of ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Import/DividedNorm.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace prec;

void prec::addUpNorm(train::GlobalNormOp norm, StringRef axis, int64_t ranks,
                     llvm::function_ref<bool(Value)> isSplit) {
  SmallVector<Value> slices, whole;
  for (Value input : norm.getInputs())
    (isSplit(input) ? slices : whole).push_back(input);
  if (slices.empty())
    return;
  OpBuilder builder(norm);
  auto own = train::GlobalNormOp::create(builder, norm.getLoc(), norm.getType(),
                                         slices,
                                         /*result_tags=*/nullptr,
                                         /*operand_tags=*/nullptr);
  train::copyProvenance(norm, own);
  Value all = train::ExchangeOp::create(
                  builder, norm.getLoc(),
                  cast<RankedTensorType>(norm.getType()).clone({ranks}),
                  train::ExchangeKind::AllGather, own.getResult(), axis)
                  .getResult();
  train::copyProvenance(norm, all.getDefiningOp());
  whole.push_back(all);
  norm.getInputsMutable().assign(whole);
}
