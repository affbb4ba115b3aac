//===- Ranks.h - what ranks give each other ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_RANKS_H
#define PREC_DIALECT_TRAIN_RANKS_H

#include "prec/Dialect/Train/Train.h"

#include <string>

namespace prec::train {

/// Axes of a mesh: along one ranks have batches of their own, along the other
/// parts of the same layers.
constexpr StringLiteral kBatchAxis = "dp", kLayerAxis = "tp";

/// How many ranks there are along each axis of a mesh, in the order of names:
/// ranks that differ along the last axis alone have consecutive numbers.
struct Mesh {
  SmallVector<std::pair<std::string, int64_t>> axes;

  /// 1 of an axis that it does not have.
  int64_t getSize(StringRef axis) const;
};

/// Reads `dp=2,tp=2`. Fails, with an error that `emitError` begins, at axes
/// that are not known (dp: ranks have batches of their own; tp: they have parts
/// of layers), come twice, or have no ranks.
FailureOr<Mesh> parseMesh(StringRef text,
                          function_ref<InFlightDiagnostic()> emitError);

/// Checks the types of an exchange of this kind, whatever dialect it is of.
LogicalResult verifyExchange(Operation *op, ExchangeKind kind);

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_RANKS_H
