//===- InitFunctions.h - what makes work weights before a step --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_WEIGHTS_INITFUNCTIONS_H
#define PREC_LIB_MATERIALIZE_WEIGHTS_INITFUNCTIONS_H

#include "prec/Support/LLVM.h"

#include "Materialize/Weights/SplitParameter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// Adds @init, which makes the copies of those that are not staged from their
/// masters.
void createInit(mlir::func::FuncOp step, ArrayRef<SplitParameter> parameters);

/// Adds @restore, which makes the copies that earlier steps' amaxes scaled from
/// a saved state.
void createRestore(mlir::func::FuncOp step,
                   ArrayRef<SplitParameter> parameters);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_WEIGHTS_INITFUNCTIONS_H
