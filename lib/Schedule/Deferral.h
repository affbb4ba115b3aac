//===- Deferral.h - transposed copies that can wait -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transposed FP8 copy of an activation is read by the backward alone, which
// keeps what it is computed from as well: it need not exist before it is read.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_SCHEDULE_DEFERRAL_H
#define PREC_LIB_SCHEDULE_DEFERRAL_H

#include "prec/Dialect/Train/Train.h"
#include "Schedule/OperationOrder.h"
#include "prec/Support/LLVM.h"

#include <optional>

namespace prec {

/// How a transposition can wait for the backward.
struct Deferral {
  /// What it is computed by, itself last: element by element, from `leaves`.
  SmallVector<Operation *> chain;
  /// Values that the backward keeps anyway.
  SmallVector<Value> leaves;
  /// The transposition that the backward makes of what it computes from the
  /// same elements, so that one kernel reads them for both. Null if there is
  /// none: then the copy is made where it is first read.
  Operation *companion = nullptr;
};

/// Nothing if `op` is not of the forward or what is recomputed, if the forward
/// reads it, if it needs something that nobody keeps, or if it would read too
/// much for that alone.
std::optional<Deferral> findDeferral(train::TransposeOp op,
                                     const OperationOrder &order);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_DEFERRAL_H
