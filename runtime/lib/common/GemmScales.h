//===- GemmScales.h - inverse scales of a gemm's operand --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_GEMMSCALES_H
#define PREC_RT_COMMON_GEMMSCALES_H

#include "Manifest.h"
#include "prec-rt/format.h"

namespace prec::rt {

/// Inverse scales of a line of a tile, and of a tile.
inline constexpr int64_t kScaleInvLine =
    PREC_SCALE_INV_TILE / PREC_SCALE_INV_STRIDE * PREC_SCALE_INV_GROUP;
inline constexpr int64_t kScaleInvsOfTile =
    PREC_SCALE_INV_TILE * PREC_SCALE_INV_GROUP;

/// Which elements of an operand [rows, k] share an inverse scale: blocks of
/// `height` rows and `depth` consecutive k, the last ones of a column or row
/// shorter.
struct ScaleGranularity {
  ScaleLayout layout;
  int64_t height, depth;
  /// Inverse scales from a block to the next; in tiles from a tile to the next.
  int64_t rowStep, depthStep;

  int64_t indexOf(int64_t row, int64_t k) const {
    int64_t r = row / height, c = k / depth;
    if (layout != ScaleLayout::Tiled)
      return r * rowStep + c * depthStep;
    // Line r % 32 of a tile holds the blocks of rows that are 32 apart.
    constexpr int64_t lines = PREC_SCALE_INV_STRIDE, line = kScaleInvLine;
    return r / PREC_SCALE_INV_TILE * rowStep +
           c / PREC_SCALE_INV_GROUP * depthStep + r % lines * line +
           r % PREC_SCALE_INV_TILE / lines * PREC_SCALE_INV_GROUP +
           c % PREC_SCALE_INV_GROUP;
  }
};

/// What a scaling is to an operand [rows, k].
ScaleGranularity granularityOf(Scaling scaling, int64_t rows, int64_t k);

/// The dtype and the shape of the inverse scales of an operand [rows, k].
DType scaleInvDType(Scaling scaling);
std::vector<int64_t> scaleInvShape(Scaling scaling, int64_t rows, int64_t k);

/// Whether f32 inverse scales of rows or blocks multiply sums.
inline bool hasFineSums(const Gemm &gemm) {
  auto isFine = [](Scaling scaling) {
    return traitsOf(scaling).isFine() && !traitsOf(scaling).isMicro();
  };
  return isFine(gemm.scalingA) || isFine(gemm.scalingB);
}
/// Whether there are inverse scales of rows or blocks, in any format.
inline bool isFinelyScaled(const Gemm &gemm) {
  return traitsOf(gemm.scalingA).isFine() || traitsOf(gemm.scalingB).isFine();
}
/// Whether the inverse scales of a gemm are of a few elements, in formats in
/// which an element times its inverse scale is exact in f32.
inline bool isMicroscaled(const Gemm &gemm) {
  return traitsOf(gemm.scalingA).isMicro();
}

/// The format of a bias of a gemm with that D: cuBLASLt adds biases in D's, but
/// to f32 products of scaled operands in bf16.
DType biasType(DType d, bool isScaled);

} // namespace prec::rt

#endif // PREC_RT_COMMON_GEMMSCALES_H
