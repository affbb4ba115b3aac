//===- Supported.h - decisions that can be materialized ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_SUPPORTED_H
#define PREC_LIB_MATERIALIZE_SUPPORTED_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/Operation.h"

namespace prec {

/// Checks that every tag in `root` is one that this phase can turn into
/// operations. Assignment knows more formats
/// and scalings than that; the error names the one at fault, so that nothing
/// falls back silently.
LogicalResult verifyMaterializable(Operation *root);

/// Whether an operation of another compiler's dialect says by interfaces what
/// all later phases ask: what it computes (PrecisionOpInterface) and how to
/// write it as primitives (DecomposeOpInterface).
bool isDescribed(Operation *op);
/// Whether such an operation computes in f32, element by element or by sums.
bool isDescribedArithmetic(Operation *op);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_SUPPORTED_H
