//===- GemmScales.h - inverse scales of a gemm's operand --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_GEMMSCALES_H
#define PREC_RT_COMMON_GEMMSCALES_H

#include "Manifest.h"

namespace prec::rt {

/// What shares an inverse scale. Blocks are 1x128, 128x128, and 1x32 or 1x16
/// elements.
enum class ScaledPart {
  tensor,
  row,
  rowBlock,
  squareBlock,
  mxBlock,
  nvfp4Block
};

/// Which elements of an operand [rows, k] share an inverse scale: blocks of
/// `height` rows and `depth` consecutive k, the last ones of a column or row
/// shorter.
struct ScaleGranularity {
  ScaledPart part;
  int64_t height, depth;
  /// Inverse scales from a block to the next; of 1x32 and 1x16 elements from a
  /// tile to the next.
  int64_t rowStep, depthStep;

  bool isMicro() const {
    return part == ScaledPart::mxBlock || part == ScaledPart::nvfp4Block;
  }
  int64_t indexOf(int64_t row, int64_t k) const {
    int64_t r = row / height, c = k / depth;
    if (!isMicro())
      return r * rowStep + c * depthStep;
    return r / 128 * rowStep + c / 4 * depthStep + r % 32 * 16 +
           r % 128 / 32 * 4 + c % 4;
  }
};

/// The granularity that the shape of a buffer of inverse scales says; nothing
/// if no granularity of an operand [rows, k] has that shape.
///
///   one element, of rank 0 or 1         one inverse scale of the operand
///   [rows]                              one of a row
///   [ceil(k/128), rows]                 one of 1x128 elements
///   [ceil(rows/128), ceil(k/512), 4]    one of 128x128 elements
///   [ceil(rows/128), ceil(k/128), 32, 16] of f8E8M0FNU  one of 1x32 elements
///   [ceil(rows/128), ceil(k/64), 32, 16] of f8E4M3FN    one of 1x16 elements
///
/// The last two are tiles of 128 rows and 4 blocks, in cuBLASLt's order.
std::optional<ScaleGranularity> granularityOf(const Buffer &scaleInvs,
                                              int64_t rows, int64_t k);

/// What of operands a and b of a gemm of a verified manifest has an inverse
/// scale; nothing where there are none.
struct ScaledParts {
  std::optional<ScaledPart> a, b;

  /// Whether f32 inverse scales are of rows or blocks.
  bool areFine() const;
  /// Whether there are inverse scales of rows or blocks, in any format.
  bool areOfParts() const;
};
ScaledParts scaledParts(const Manifest &manifest, const Gemm &gemm);

/// Whether the inverse scales of a gemm are of 32 or 16 elements, in formats in
/// which an element times its inverse scale is exact in f32.
bool isMicroscaled(const Manifest &manifest, const Gemm &gemm);

/// The format of a bias of a gemm with that D: cuBLASLt adds biases in D's, but
/// to f32 products of scaled operands in bf16.
DType biasType(DType d, bool isScaled);

} // namespace prec::rt

#endif // PREC_RT_COMMON_GEMMSCALES_H
