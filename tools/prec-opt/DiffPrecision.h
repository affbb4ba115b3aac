//===- DiffPrecision.h - what differs between two assignments ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_TOOLS_PRECOPT_DIFFPRECISION_H
#define PREC_TOOLS_PRECOPT_DIFFPRECISION_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/DialectRegistry.h"

namespace prec {

/// Compares tagged graphs or precision maps (named *.json) and writes what
/// differs as text, as JSON to an output named *.json, or both as a page to one
/// named *.html. Reads a command line of its own (DiffPrecisionOptions).
/// Returns what the process does: 0 if nothing differs, 1 if something does, 2
/// if that cannot be told.
int diffPrecision(int argc, char **argv, const DialectRegistry &registry);

} // namespace prec

#endif // PREC_TOOLS_PRECOPT_DIFFPRECISION_H
