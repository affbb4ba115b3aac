//===- TokenLookup.cpp - what rows of experts are looked up of ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Train/TokenLookup.h"

#include "prec/Dialect/Prec/Decisions.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;
using namespace prec::train;

TokenLookup prec::train::findTokens(GatherOp lookup) {
  auto ofRanks = lookup.getTable().getDefiningOp<tensor::CollapseShapeOp>();
  auto exchange =
      ofRanks ? ofRanks.getSrc().getDefiningOp<ExchangeOp>() : ExchangeOp();
  if (!exchange || exchange.getKind() != ExchangeKind::AllGather)
    return {lookup.getTable(), ExchangeOp()};
  return {exchange.getInput(), exchange};
}

SmallVector<GatherOp> prec::train::findQuantizedLookups(ExchangeOp exchange) {
  SmallVector<GatherOp> lookups;
  for (Operation *view : exchange.getResult().getUsers())
    for (Operation *user : view->getUsers())
      if (auto lookup = dyn_cast<GatherOp>(user))
        if (lookup->hasAttr(kQuantizedTokens) &&
            findTokens(lookup).exchange == exchange)
          lookups.push_back(lookup);
  return lookups;
}
