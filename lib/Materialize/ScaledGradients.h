//===- ScaledGradients.h - what scales with the loss ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_SCALEDGRADIENTS_H
#define PREC_LIB_MATERIALIZE_SCALEDGRADIENTS_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace prec {

/// Whether `op` is the optimizer's, which reads gradients as they are.
bool isOptimizer(Operation *op);

/// What a step computes from the gradient of its loss.
struct ScaledGradients {
  /// Where the gradient of a loss comes in.
  SmallVector<train::CrossEntropyGradOp> seeds;
  /// What is proportional to it, up to the optimizer.
  llvm::SetVector<Value> values;
};

/// Fails, at the operation, where a gradient goes through something that is not
/// linear in it: it cannot be scaled and unscaled then.
FailureOr<ScaledGradients> findScaledGradients(mlir::func::FuncOp step);

/// Zero, which scales with everything.
bool isZeroTensor(Value value);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_SCALEDGRADIENTS_H
