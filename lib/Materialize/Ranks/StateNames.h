//===- StateNames.h - what states are called in every function --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_RANKS_STATENAMES_H
#define PREC_LIB_MATERIALIZE_RANKS_STATENAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <utility>

namespace prec {

/// Path and slot of an argument or result: what a state is called, in every
/// function of a module.
using StateName = std::pair<mlir::StringRef, mlir::StringRef>;

StateName nameOfArgument(mlir::func::FuncOp function, unsigned index);
/// Of the state that a result replaces or makes.
StateName nameOfReturned(mlir::func::FuncOp function, unsigned index);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_RANKS_STATENAMES_H
