//===- Diagnostics.h - diagnostics for users of a tool ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_PIPELINES_DIAGNOSTICS_H
#define PREC_PIPELINES_DIAGNOSTICS_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/Diagnostics.h"

namespace prec {

/// While it lives, prints every diagnostic of a context on one line,
/// `PLACE: error: message`. The place is file, line and column, or the name of
/// the framework's module where an operation carries that. A note has a line
/// of its own if it points at another place.
class OneLineDiagnostics : public ScopedDiagnosticHandler {
public:
  OneLineDiagnostics(MLIRContext *context, raw_ostream &os);
};

} // namespace prec

#endif // PREC_PIPELINES_DIAGNOSTICS_H
