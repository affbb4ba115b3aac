//===- RowFlow.h - which rows of operands rows of a result need -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_ROWS_ROWFLOW_H
#define PREC_LIB_SCHEDULE_ROWS_ROWFLOW_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace prec {

/// What the equal parts that a dimension is cut into are to one operation.
struct RowFlow {
  /// Of the result, which has as many parts; of none if each part of the
  /// operands gives one term of the whole result.
  std::optional<int64_t> resultDim;
  /// Of every operand; of none where each part needs all of it.
  SmallVector<std::optional<int64_t>, 4> operandDims;
};

/// What a part of a result needs that is cut along `dim` into `parts`. Nothing
/// if a part needs more than that of an operand, or if `op` is unknown.
std::optional<RowFlow> getRowFlow(Operation *op, int64_t dim, int64_t parts);

/// What `reader` does with parts of its operand, cut along `dim`. Nothing if it
/// needs all of the operand at once.
std::optional<RowFlow> followRows(OpOperand &reader, int64_t dim,
                                  int64_t parts);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_ROWS_ROWFLOW_H
