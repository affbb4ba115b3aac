//===- EmitErrors.h - errors of readers as diagnostics ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_TARGET_EMITERRORS_H
#define PREC_TARGET_EMITERRORS_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"

namespace prec {

/// A diagnostic for each error: at its place in the file that it is about, or
/// at `elsewhere`, behind `prefix`, if it names none.
LogicalResult emitErrors(Location elsewhere, llvm::Error error,
                         llvm::StringRef prefix = "");

} // namespace prec

#endif // PREC_TARGET_EMITERRORS_H
