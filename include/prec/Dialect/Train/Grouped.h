//===- Grouped.h - sizes of a grouped product -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_GROUPED_H
#define PREC_DIALECT_TRAIN_GROUPED_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

namespace prec::train {

/// A grouped product or its gradient: `rows` [R, K] and `others` [R, N] of
/// groups that end at `ends` [G], and `matrices` [G, K, N], or [G, N, K] where
/// they are transposed. Two are operands and one is the result.
struct Grouped {
  RankedTensorType rows, matrices, others, ends;
  bool isTransposed;
};

/// Reports sizes that do not fit.
LogicalResult verifyGrouped(Operation *op, const Grouped &of);

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_GROUPED_H
