//===- TensorConvert.h - host arrays between dtypes -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_TENSORCONVERT_H
#define PREC_RT_COMMON_TENSORCONVERT_H

#include "Manifest.h"

namespace prec::rt {

/// Whether every value of `from` is a value of `to`.
bool alwaysExact(DType from, DType to);

/// Converts `count` elements; fails at the first value that `to` cannot hold,
/// naming its position (counted from `base`). Floats convert to floats,
/// integers to integers. `target` may be null: then only checks.
Status convertExactly(DType from, const void *source, DType to, void *target,
                      int64_t count, int64_t base = 0);

/// Floats to nearest, ties to even.
void convertRounded(DType from, const void *source, DType to, void *target,
                    int64_t count);

} // namespace prec::rt

#endif // PREC_RT_COMMON_TENSORCONVERT_H
