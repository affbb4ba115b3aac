//===- TrainLookups.cpp - what train operations look up -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Train/Train.h"

using namespace mlir;
using namespace prec::train;

#include "prec/Dialect/Train/LookupOpInterface.cpp.inc"

static int64_t getRows(Value table) {
  return cast<RankedTensorType>(table.getType()).getDimSize(0);
}

template <typename OpTy> static Lookup getTableLookup(OpTy op) {
  return {&op.getIdsMutable(), getRows(op.getTable()), std::nullopt,
          op.getTable(), /*reads=*/true};
}

Lookup GatherOp::getLookup() { return getTableLookup(*this); }
Lookup EmbeddingOp::getLookup() { return getTableLookup(*this); }

Lookup ScatterAddOp::getLookup() {
  return {&getIdsMutable(), getRows(getInit()), std::nullopt, getInit()};
}

Lookup EmbeddingGradOp::getLookup() {
  return {&getIdsMutable(), getRows(getGradTable())};
}

template <typename OpTy> static Lookup getLabelLookup(OpTy op) {
  auto logits = cast<RankedTensorType>(op.getLogits().getType());
  return {&op.getLabelsMutable(), logits.getShape().back(),
          static_cast<int32_t>(op.getIgnoreIndex())};
}

Lookup CrossEntropyOp::getLookup() { return getLabelLookup(*this); }
Lookup CrossEntropyGradOp::getLookup() { return getLabelLookup(*this); }
