//===- RowNorms.h - norms that bounds are made of ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_ROWNORMS_H
#define PREC_RT_COMMON_ROWNORMS_H

#include <cstdint>
#include <functional>
#include <vector>

namespace prec::rt {

/// Of one f32 addition to nearest.
inline constexpr double f32Error = 0x1p-24;

/// 2-norms of the rows (or columns) of a stored matrix, whose elements have
/// inverse scales if there are any.
std::vector<double>
norms(const float *matrix, int64_t rows, int64_t columns, bool ofColumns,
      const std::function<double(int64_t row, int64_t k)> &scaleInv = nullptr);

} // namespace prec::rt

#endif // PREC_RT_COMMON_ROWNORMS_H
