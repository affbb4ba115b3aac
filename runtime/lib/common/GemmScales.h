//===- GemmScales.h - factors of a gemm's operand ---------------*- C++ -*-===//
#ifndef PREC_RT_COMMON_GEMMSCALES_H
#define PREC_RT_COMMON_GEMMSCALES_H

#include "Manifest.h"

namespace prec::rt {

/// Which elements of an operand [rows, k] share a factor: blocks of `height`
/// rows and `depth` consecutive k, the last ones of a column or row shorter.
struct ScaleGranularity {
  int64_t height, depth;
  int64_t perRow; ///< factors of a row

  int64_t indexOf(int64_t row, int64_t k) const {
    return row / height * perRow + k / depth;
  }
};

/// The granularity that the shape of a buffer of factors says; nothing if no
/// granularity of an operand [rows, k] has that shape.
///
///   one element                       one factor of the operand
///   [rows]                            one of a row
///   [rows, ceil(k/128)]               one of 1x128 elements
///   [ceil(rows/128), ceil(k/128)]     one of 128x128 elements
std::optional<ScaleGranularity> granularityOf(const Buffer &factors,
                                              int64_t rows, int64_t k);

/// Whether a gemm of a verified manifest has factors of rows or blocks.
bool hasFineScales(const Manifest &manifest, const Gemm &gemm);

} // namespace prec::rt

#endif // PREC_RT_COMMON_GEMMSCALES_H
