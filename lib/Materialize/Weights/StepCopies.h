//===- StepCopies.h - work weights that a step keeps ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_WEIGHTS_STEPCOPIES_H
#define PREC_LIB_MATERIALIZE_WEIGHTS_STEPCOPIES_H

#include "prec/Support/LLVM.h"

#include "Materialize/Weights/SplitParameter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// Makes the copies arguments of `step`, behind those it has, lets their uses
/// read them, and returns what they are after the update of their masters.
LogicalResult addStepCopies(mlir::func::FuncOp step,
                            ArrayRef<SplitParameter> parameters);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_WEIGHTS_STEPCOPIES_H
