//===- PrecLinearity.h - what prec operations are linear in -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_DIALECT_PREC_PRECLINEARITY_H
#define PREC_LIB_DIALECT_PREC_PRECLINEARITY_H

#include "prec/Support/LLVM.h"

namespace prec {

/// Attaches the LinearOpInterface to operations that are linear in something.
void attachPrecLinearity(MLIRContext *context);

} // namespace prec

#endif // PREC_LIB_DIALECT_PREC_PRECLINEARITY_H
