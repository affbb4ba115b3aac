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

/// Indices are of all ranks' rows, where a rank has a slice of them.
template <typename OpTy> static Lookup getWhole(OpTy op, Lookup lookup) {
  lookup.rows *= op.getRanks().value_or(1);
  return lookup;
}

Lookup GatherOp::getLookup() { return getTableLookup(*this); }
Lookup EmbeddingOp::getLookup() {
  return getWhole(*this, getTableLookup(*this));
}

Lookup ScatterAddOp::getLookup() {
  return {&getIdsMutable(), getRows(getInit()), std::nullopt, getInit()};
}

Lookup EmbeddingGradOp::getLookup() {
  return getWhole(*this, {&getIdsMutable(), getRows(getGradTable())});
}

template <typename OpTy> static Lookup getLabelLookup(OpTy op) {
  auto logits = cast<RankedTensorType>(op.getLogits().getType());
  return getWhole(op, {&op.getLabelsMutable(), logits.getShape().back(),
                       static_cast<int32_t>(op.getIgnoreIndex())});
}

Lookup CrossEntropyOp::getLookup() { return getLabelLookup(*this); }
Lookup CrossEntropyGradOp::getLookup() { return getLabelLookup(*this); }
