//===- RowExponentials.h - a largest element and sums -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest element of a long row and the sum of its exponentials in one pass
// over memory (online softmax: Milakov and Gimelshein, 2018). A thread keeps
// the largest element m so far and s, the sum of exp(x - m). When an element is
// larger than m, s is multiplied by exp(m - new m) first. In the end threads,
// warps and blocks combine their pairs (m, s) in the same way. Example for a
// row 1, 3, 2:
//
//   (1, 1) -> (3, exp(-2) + 1) -> (3, exp(-2) + 1 + exp(-1))
//
// Other sums over the same row join the pass. The start is the lowest finite
// number instead of -infinity, so that a row which begins with -infinity does
// not compute infinity minus infinity; a row of nothing else gets -infinity
// back.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_ROWEXPONENTIALS_H
#define PREC_LIB_CODEGEN_GPU_ROWEXPONENTIALS_H

#include "Codegen/Gpu/LongLines.h"

namespace prec {

/// A row's largest element, and sums: first that of exp(element - largest),
/// then what else shares the pass.
struct Exponentials {
  train::ReduceOp largest;
  SmallVector<train::ReduceOp> sums;
};

/// The exponentials that one pass over a line too long to hold can sum.
std::optional<Exponentials> findExponentials(const RowFrame &frame,
                                             const ReductionLevels &reductions);

/// Sums exponentials of differences from the largest element so far, and makes
/// up for each new one.
LogicalResult reduceExponentials(RowFrame &frame, LongLines &lines,
                                 Exponentials exponentials);

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_ROWEXPONENTIALS_H
