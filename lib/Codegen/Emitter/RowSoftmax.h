//===- RowSoftmax.h - exponentials of rows ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a row's largest element is taken from all of them, exponentials are of
// zero or less and their sum is one or more: cheaper instructions suffice.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_EMITTER_ROWSOFTMAX_H
#define PREC_LIB_CODEGEN_EMITTER_ROWSOFTMAX_H

#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace prec {

/// The reduction to the largest element of a row that `exp` takes from its
/// elements, which leaves nothing above zero; null for other exponentials.
train::ReduceOp findLargestOf(mlir::math::ExpOp exp);

/// Whether nothing above zero is left for `exp` to be taken of: the largest
/// element of a row is taken from its elements, or the logarithm of the sum of
/// their exponentials, which is no less.
bool isOfNonPositive(mlir::math::ExpOp exp);

/// Whether exponentials are divided by the sum of them in their row, after the
/// row's largest element was taken from its elements: by one or more.
bool isShareOfRow(mlir::arith::DivFOp division);

/// Whether an error of 2^-17 of an exponential vanishes in the results: all
/// that is computed from it is rounded to 16 bits or fewer, or it is summed up
/// with that of the row's largest element, which is one.
bool canBeCoarse(mlir::math::ExpOp exp);

} // namespace prec

#endif // PREC_LIB_CODEGEN_EMITTER_ROWSOFTMAX_H
