//===- LinalgPayload.h - what a body of linalg computes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_IMPORT_LINALGPAYLOAD_H
#define PREC_LIB_IMPORT_LINALGPAYLOAD_H

#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace prec {

/// Whether all elements that a result starts from are `number`.
bool startsFrom(Value init, double number);

/// The payload of a product of floats, and nothing else.
bool multipliesAndAdds(mlir::linalg::LinalgOp linalg);

/// What a loop that reduces does with what it has so far.
struct Combination {
  train::ReduceKind kind;
  Operation *combiner;
  Value added;
  /// What changes nothing.
  double neutral;
};

/// None where the payload does anything but add to `soFar`, or take the larger
/// or smaller of both.
std::optional<Combination> findCombination(Value yielded, BlockArgument soFar);

} // namespace prec

#endif // PREC_LIB_IMPORT_LINALGPAYLOAD_H
