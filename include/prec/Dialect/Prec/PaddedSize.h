//===- PaddedSize.h - sizes that zeros make larger --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigning permits what materializing can pad, so both ask here.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_DIALECT_PREC_PADDEDSIZE_H
#define PREC_DIALECT_PREC_PADDEDSIZE_H

#include "prec/Support/LLVM.h"

#include "llvm/Support/MathExtras.h"

#include <cstdint>

namespace prec {

/// No more than a part in so many of a size is added to it.
inline constexpr int64_t kMostPadded = 32;

/// Of products that read FP8: rows of 16 bytes, or better what kernels that
/// quantize and transpose pass over in whole tiles.
inline constexpr int64_t kNarrowMultiples[] = {128, 16};

/// The size of a product that reads FP8 instead of `size`; the same where it is
/// a multiple of 16, or where too much had to be added.
inline int64_t getPaddedSize(int64_t size) {
  if (size <= 0 || size % 16 == 0)
    return size;
  for (int64_t multiple : kNarrowMultiples) {
    int64_t padded = llvm::alignTo(size, multiple);
    if ((padded - size) * kMostPadded <= size)
      return padded;
  }
  return size;
}

} // namespace prec

#endif // PREC_DIALECT_PREC_PADDEDSIZE_H
