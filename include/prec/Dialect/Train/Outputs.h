//===- Outputs.h - values that a step was asked for -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_OUTPUTS_H
#define PREC_DIALECT_TRAIN_OUTPUTS_H

#include "prec/Dialect/Train/IndexCheck.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec::train {

/// Whether a result of `step` is a value of the forward pass that was asked
/// for, such as logits: a metric that is no scalar. `eval` gives it, too.
inline bool isOutput(mlir::func::FuncOp step, unsigned result) {
  auto role = step.getResultAttrOfType<RoleAttr>(result, kRole);
  auto type =
      mlir::dyn_cast<mlir::RankedTensorType>(step.getResultTypes()[result]);
  return role && role.getValue() == Role::Metric && type && type.getRank() > 0;
}

/// Whether `eval` gives a result of `step`: the loss, outputs, and the checks
/// of indices.
inline bool isEvaluated(mlir::func::FuncOp step, unsigned result) {
  auto role = step.getResultAttrOfType<RoleAttr>(result, kRole);
  return (role && role.getValue() == Role::Loss) || isOutput(step, result) ||
         isIndexCheck(step, result);
}

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_OUTPUTS_H
