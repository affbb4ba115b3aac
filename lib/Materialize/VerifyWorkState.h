//===- VerifyWorkState.h - who reads and makes work weights -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_VERIFYWORKSTATE_H
#define PREC_LIB_MATERIALIZE_VERIFYWORKSTATE_H

#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// Checks that work weights and scales of `step` are read, and made by
/// `makers`; `restore` may be null.
LogicalResult verifyWorkState(mlir::func::FuncOp step,
                              ArrayRef<mlir::func::FuncOp> makers,
                              mlir::func::FuncOp restore);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_VERIFYWORKSTATE_H
