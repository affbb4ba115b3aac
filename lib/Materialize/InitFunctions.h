//===- InitFunctions.h - what makes work copies before a step ---*- C++ -*-===//
#ifndef PREC_LIB_MATERIALIZE_INITFUNCTIONS_H
#define PREC_LIB_MATERIALIZE_INITFUNCTIONS_H

#include "SplitParameter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::prec {

/// Adds @init, which makes the copies of those that are not staged from their
/// masters.
void createInit(func::FuncOp step, ArrayRef<SplitParameter> parameters);

/// Adds @restore, which makes the copies that earlier steps' amaxes scaled from
/// a saved state.
void createRestore(func::FuncOp step, ArrayRef<SplitParameter> parameters);

} // namespace mlir::prec

#endif // PREC_LIB_MATERIALIZE_INITFUNCTIONS_H
