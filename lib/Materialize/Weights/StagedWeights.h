//===- StagedWeights.h - weights that only their copies keep ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_WEIGHTS_STAGEDWEIGHTS_H
#define PREC_LIB_MATERIALIZE_WEIGHTS_STAGEDWEIGHTS_H

#include "prec/Support/LLVM.h"

#include "Materialize/Weights/WorkWeights.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// A frozen parameter of a step that reads nothing but work weights of it.
struct StagedWeight {
  BlockArgument argument;
  StringAttr path;
  ArrayRef<WorkSlot> slots;
  const ScaleRule &rule;
};

/// Adds the function that makes the copies from the weight as it is, which is
/// its only argument.
void createLoader(mlir::func::FuncOp step, const StagedWeight &weight);

/// Whether `function` is one that createLoader made.
bool isLoader(mlir::func::FuncOp function);

/// Takes arguments from `step` that nothing uses but casts without a use.
LogicalResult eraseUnread(mlir::func::FuncOp step,
                          ArrayRef<BlockArgument> arguments);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_WEIGHTS_STAGEDWEIGHTS_H
