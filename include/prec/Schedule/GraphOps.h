//===- GraphOps.h - which operation of the graph it was ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_SCHEDULE_GRAPHOPS_H
#define PREC_SCHEDULE_GRAPHOPS_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/Operation.h"

namespace prec {

/// The location of a primitive of `composite`: that of the composite, and
/// inside of it the composite's name, for `getGraphOp`.
Location getPrimitiveLoc(Operation *composite);

/// The operation of the graph that `op` was made from, or its own: "rms_norm",
/// "addf".
StringRef getGraphOp(Operation *op);

} // namespace prec

#endif // PREC_SCHEDULE_GRAPHOPS_H
