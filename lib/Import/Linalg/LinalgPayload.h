//===- LinalgPayload.h - what a body of linalg computes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_IMPORT_LINALG_LINALGPAYLOAD_H
#define PREC_LIB_IMPORT_LINALG_LINALGPAYLOAD_H

#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace prec {

class LinalgConverter;

/// Whether all elements that a result starts from are `number`.
bool startsFrom(Value init, double number);

/// The payload of a product of floats, and nothing else: both inputs, which it
/// may widen, are multiplied and added to what there is.
bool multipliesAndAdds(mlir::linalg::LinalgOp linalg);

/// An operand of such a product as the payload multiplies it.
Value widen(OpOperand &operand, mlir::linalg::LinalgOp linalg,
            LinalgConverter &c);

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

#endif // PREC_LIB_IMPORT_LINALG_LINALGPAYLOAD_H
