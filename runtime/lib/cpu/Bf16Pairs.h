//===- Bf16Pairs.h - products of pairs of bf16 ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPUs with AVX512_BF16 multiply pairs of bf16 that follow each other along k
// and add both products to an f32. An operand is packed for that: panels of
// rows (of A) or columns (of B), in which the pairs of all of them at one k lie
// side by side.
//
// The instruction takes subnormal bf16 as zeros, and makes zeros of subnormal
// sums (Intel 64 and IA-32 Architectures Software Developer's Manual,
// VDPBF16PS).
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_CPU_BF16PAIRS_H
#define PREC_RT_CPU_BF16PAIRS_H

#include "Manifest.h"

#include <cstdint>

namespace prec::rt {

/// Two elements, the first in the low half.
using Bf16Pair = uint32_t;

/// Whether this CPU has the instruction, without which nothing here may be
/// packed or multiplied.
bool multipliesBf16Pairs();
/// Whether bf16 has all values of a format.
bool isWithinBf16(DType dtype);

/// Extents of a panel of A and of B.
constexpr int64_t pairPanelRows = 8, pairPanelColumns = 32;
/// Elements along the extent that are packed at once: in bf16 a line of the
/// cache.
constexpr int64_t packedAtOnce = 32;

inline int64_t pairsAlong(int64_t k) { return (k + 1) / 2; }
/// Elements that the panels of an operand have room for along `extent`.
inline int64_t panelExtent(int64_t extent, int64_t width) {
  return (extent + width - 1) / width * width;
}

/// An operand of a product in memory: `extent` rows of A or columns of B by k,
/// of which either follows each other.
struct MatrixSource {
  DType dtype; ///< of packPairs: within bf16, or f32 whose elements all are
  const char *data;
  bool isKContiguous;
  int64_t stride; ///< elements from a row of memory to the next
  int64_t extent, k;

  /// Whether A's pairs are in memory as a product reads them.
  bool isReadInPlace() const {
    return dtype == DType::bf16 && isKContiguous && k % 2 == 0 &&
           extent % pairPanelRows == 0;
  }

  /// Packs elements [first, first + packedAtOnce) of the extent, `first` being
  /// a multiple of packedAtOnce, into panels of `width`: [pairsAlong(k), width]
  /// each, zeros beyond the matrix.
  void packPairs(int64_t first, int64_t width, Bf16Pair *panels) const;
};

/// A of a product: pair `k` of row `row` of panel `panel` lies at
/// panel * panelBytes + row * rowBytes + k * kBytes.
struct PairRows {
  const char *data;
  int64_t panelBytes, rowBytes, kBytes;

  static PairRows inPlace(const MatrixSource &source) {
    const int64_t row = source.stride * byteSize(source.dtype);
    return {source.data, row * pairPanelRows, row, sizeof(Bf16Pair)};
  }
  static PairRows packed(const Bf16Pair *panels, int64_t k) {
    constexpr int64_t bytes = pairPanelRows * sizeof(Bf16Pair);
    return {reinterpret_cast<const char *>(panels), pairsAlong(k) * bytes,
            sizeof(Bf16Pair), bytes};
  }
};

/// sum [rows, columns] = A B, or += where `adds`; panels of `b` lie `strideB`
/// pairs apart, and `pairs` along k are taken of both.
void multiplyPairs(const PairRows &a, const Bf16Pair *b, int64_t strideB,
                   int64_t rows, int64_t columns, int64_t pairs, bool adds,
                   float *sum, int64_t stride);

} // namespace prec::rt

#endif // PREC_RT_CPU_BF16PAIRS_H
