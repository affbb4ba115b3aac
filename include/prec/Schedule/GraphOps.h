//===- GraphOps.h - which operations of the graph they were -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_SCHEDULE_GRAPHOPS_H
#define PREC_SCHEDULE_GRAPHOPS_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/Operation.h"

namespace prec {

/// The operations of the graph that a kernel's operations were made from, each
/// once, in their order. What moves, widens or narrows values counts only where
/// nothing else is computed.
SmallVector<StringRef> getGraphOps(ArrayRef<Operation *> operations);

} // namespace prec

#endif // PREC_SCHEDULE_GRAPHOPS_H
