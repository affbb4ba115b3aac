//===- InPlace.h - which results may overwrite which operands ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_MEMORY_INPLACE_H
#define PREC_LIB_SCHEDULE_MEMORY_INPLACE_H

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Support/LLVM.h"

#include <optional>

namespace prec {

/// Operand of `op` (a prec_sched operation) whose bytes result `result` may
/// overwrite while it is computed: the `init` of a gemm, or what a dispatch
/// declares in its `inplace`, provided that
/// - no other operand reads the same bytes,
/// - every element of it is read only for the same element of the results, or
///   in a reduction of its own row or column, so that no element is overwritten
///   before it is read. A scatter-add may overwrite its init.
/// - the result has no columns of groups of rows, which are written early.
std::optional<unsigned> getOverwritableOperand(Operation *op, unsigned result);

/// Whether a dispatch by elements or rows that does not declare it may
/// overwrite `input` with `result`, which has the same type.
bool couldOverwrite(OpResult result, unsigned input);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_MEMORY_INPLACE_H
