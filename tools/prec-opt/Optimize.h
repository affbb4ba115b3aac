//===- Optimize.h - passes over a file --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_TOOLS_PRECOPT_OPTIMIZE_H
#define PREC_TOOLS_PRECOPT_OPTIMIZE_H

#include "prec/Support/LLVM.h"

#include "Options.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"

namespace prec {

/// Runs the passes of the command line, as mlir-opt does; problems are printed.
LogicalResult optimize(StringRef output, const PrecOptOptions &options,
                       DialectRegistry &registry);

} // namespace prec

#endif // PREC_TOOLS_PRECOPT_OPTIMIZE_H
