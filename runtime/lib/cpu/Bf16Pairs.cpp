//===- Bf16Pairs.cpp - products of pairs of bf16 --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls of BF16 by the AVX-512 instruction vdpbf16ps, which multiplies pairs
// of neighbors along k. Operands are packed into panels: A in rows, B in
// columns, with the two elements of a pair in one 32-bit word, so that the
// inner loop loads contiguous words. FP8 is converted to BF16 on the way, which
// is exact. A tile of the result stays in registers while k advances; a block
// of 128 pairs of a panel of B stays in the first cache while all rows of A
// pass. Rows, columns and an odd k that fill no panel are padded with zeros.
// The order of sums depends on the shape only.
//
//===----------------------------------------------------------------------===//

#include "Bf16Pairs.h"

#include "FloatConvert.h"

#include <algorithm>

#ifdef __x86_64__
#include <immintrin.h>
#endif

using namespace prec::rt;

bool prec::rt::multipliesBf16Pairs() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

bool prec::rt::isWithinBf16(DType dtype) {
  return dtype == DType::bf16 || dtype == DType::f8E4M3FN ||
         dtype == DType::f8E5M2;
}

namespace {

/// Elements along k that are converted at once.
constexpr int64_t chunkAlongK = 256;

/// Elements as bf16: in place, or in `buffer`.
const uint16_t *asBf16(DType dtype, const char *source, int64_t count,
                       uint16_t *buffer) {
  if (dtype == DType::bf16)
    return reinterpret_cast<const uint16_t *>(source);
  float values[chunkAlongK];
  toFloat(dtype, source, values, count);
  for (int64_t i = 0; i < count; ++i)
    buffer[i] = bitsOf(values[i]) >> 16;
  return buffer;
}

void interleave(const uint16_t *first, const uint16_t *second, int64_t count,
                Bf16Pair *pairs) {
  for (int64_t i = 0; i < count; ++i)
    pairs[i] = first[i] | static_cast<uint32_t>(second[i]) << 16;
}

#ifdef __x86_64__
/// Pairs 0 to 7 of eight rows: those of all rows at one k side by side.
__attribute__((target("avx2"))) void transpose8x8(const uint16_t *const rows[],
                                                  int64_t first,
                                                  Bf16Pair *pairs,
                                                  int64_t width) {
  __m256i in[8], halves[8], quarters[8];
#pragma GCC unroll 8
  for (int64_t i = 0; i < 8; ++i)
    in[i] = _mm256_loadu_si256(
        reinterpret_cast<const __m256i *>(rows[i] + 2 * first));
#pragma GCC unroll 4
  for (int64_t i = 0; i < 8; i += 2) {
    halves[i] = _mm256_unpacklo_epi32(in[i], in[i + 1]);
    halves[i + 1] = _mm256_unpackhi_epi32(in[i], in[i + 1]);
  }
#pragma GCC unroll 2
  for (int64_t i = 0; i < 8; i += 4)
#pragma GCC unroll 2
    for (int64_t j = 0; j < 2; ++j) {
      quarters[i + 2 * j] =
          _mm256_unpacklo_epi64(halves[i + j], halves[i + j + 2]);
      quarters[i + 2 * j + 1] =
          _mm256_unpackhi_epi64(halves[i + j], halves[i + j + 2]);
    }
#pragma GCC unroll 8
  for (int64_t i = 0; i < 8; ++i)
    _mm256_storeu_si256(
        reinterpret_cast<__m256i *>(pairs + i * width),
        i < 4 ? _mm256_permute2x128_si256(quarters[i], quarters[i + 4], 0x20)
              : _mm256_permute2x128_si256(quarters[i - 4], quarters[i], 0x31));
}
#endif

/// Pair `i` of each row, side by side.
void gatherPairs(const uint16_t *const rows[], int64_t width, int64_t count,
                 Bf16Pair *pairs) {
  int64_t i = 0;
#ifdef __x86_64__
  for (; i + 8 <= count; i += 8)
    for (int64_t row = 0; row < width; row += 8)
      transpose8x8(rows + row, i, pairs + i * width + row, width);
#endif
  for (; i < count; ++i)
    for (int64_t row = 0; row < width; ++row)
      memcpy(&pairs[i * width + row], rows[row] + 2 * i, sizeof(Bf16Pair));
}

void packAlongK(const MatrixSource &source, int64_t first, int64_t width,
                Bf16Pair *panel) {
  static constexpr uint16_t zeros[chunkAlongK] = {};
  const int64_t size = byteSize(source.dtype);
  uint16_t buffers[packedAtOnce][chunkAlongK];
  const uint16_t *rows[packedAtOnce];
  for (int64_t k = 0; k < source.k; k += chunkAlongK) {
    int64_t count = std::min(chunkAlongK, source.k - k);
    for (int64_t row = 0; row < width; ++row)
      rows[row] =
          first + row < source.extent
              ? asBf16(source.dtype,
                       source.data + ((first + row) * source.stride + k) * size,
                       count, buffers[row])
              : zeros;
    Bf16Pair *pairs = panel + k / 2 * width;
    gatherPairs(rows, width, count / 2, pairs);
    if (count % 2 != 0)
      for (int64_t row = 0; row < width; ++row)
        pairs[count / 2 * width + row] = rows[row][count - 1];
  }
}

/// All panels of packedAtOnce elements, so that a line is read once.
void packAcrossK(const MatrixSource &source, int64_t first, int64_t width,
                 Bf16Pair *panels) {
  static constexpr uint16_t zeros[packedAtOnce] = {};
  const int64_t count = std::min(packedAtOnce, source.extent - first);
  const int64_t size = byteSize(source.dtype);
  const int64_t panelPairs = pairsAlong(source.k) * width;
  uint16_t buffers[2][chunkAlongK];
  auto rowAt = [&](int64_t k) {
    return k < source.k
               ? asBf16(source.dtype,
                        source.data + (k * source.stride + first) * size, count,
                        buffers[k % 2])
               : zeros;
  };
  for (int64_t k = 0; k < source.k; k += 2) {
    const uint16_t *even = rowAt(k), *odd = rowAt(k + 1);
    Bf16Pair *pairs = panels + k / 2 * width;
    for (int64_t i = 0; i < count; i += width, pairs += panelPairs)
      if (count - i >= width) {
        interleave(even + i, odd + i, width, pairs);
      } else {
        interleave(even + i, odd + i, count - i, pairs);
        std::fill(pairs + (count - i), pairs + width, 0);
      }
  }
}

#ifdef __x86_64__
/// One tile of the sum, all of it in registers.
__attribute__((target("avx512f,avx512bf16"))) void
multiplyTile(const PairRows &a, const Bf16Pair *b, int64_t pairs, bool adds,
             float *sum, int64_t stride) {
  constexpr int64_t lanes = 16;
  static_assert(pairPanelColumns == 2 * lanes);
  __m512 sums[pairPanelRows][2];
#pragma GCC unroll 8
  for (int64_t i = 0; i < pairPanelRows; ++i)
    for (int64_t j = 0; j < 2; ++j)
      sums[i][j] = adds ? _mm512_loadu_ps(sum + i * stride + j * lanes)
                        : _mm512_setzero_ps();
  const char *atK = a.data;
  for (int64_t k = 0; k < pairs; ++k, atK += a.kBytes) {
    auto low = (__m512bh)_mm512_loadu_si512(b + k * pairPanelColumns);
    auto high = (__m512bh)_mm512_loadu_si512(b + k * pairPanelColumns + lanes);
#pragma GCC unroll 8
    for (int64_t i = 0; i < pairPanelRows; ++i) {
      int pair;
      memcpy(&pair, atK + i * a.rowBytes, sizeof pair);
      auto row = (__m512bh)_mm512_set1_epi32(pair);
      sums[i][0] = _mm512_dpbf16_ps(sums[i][0], row, low);
      sums[i][1] = _mm512_dpbf16_ps(sums[i][1], row, high);
    }
  }
#pragma GCC unroll 8
  for (int64_t i = 0; i < pairPanelRows; ++i)
    for (int64_t j = 0; j < 2; ++j)
      _mm512_storeu_ps(sum + i * stride + j * lanes, sums[i][j]);
}
#else
void multiplyTile(const PairRows &, const Bf16Pair *, int64_t, bool, float *,
                  int64_t) {
  __builtin_unreachable(); // see multipliesBf16Pairs
}
#endif

/// A tile of which the sum has but some rows and columns.
void multiplyPart(const PairRows &a, const Bf16Pair *b, int64_t pairs,
                  bool adds, int64_t rows, int64_t columns, float *sum,
                  int64_t stride) {
  float tile[pairPanelRows * pairPanelColumns] = {};
  for (int64_t i = 0; adds && i < rows; ++i)
    std::copy_n(sum + i * stride, columns, tile + i * pairPanelColumns);
  multiplyTile(a, b, pairs, adds, tile, pairPanelColumns);
  for (int64_t i = 0; i < rows; ++i)
    std::copy_n(tile + i * pairPanelColumns, columns, sum + i * stride);
}

} // namespace

void MatrixSource::packPairs(int64_t first, int64_t width,
                             Bf16Pair *panels) const {
  if (!isKContiguous)
    return packAcrossK(*this, first, width, panels);
  const int64_t end = std::min(extent, first + packedAtOnce);
  for (; first < end; first += width, panels += pairsAlong(k) * width)
    packAlongK(*this, first, width, panels);
}

void prec::rt::multiplyPairs(const PairRows &a, const Bf16Pair *b,
                             int64_t strideB, int64_t rows, int64_t columns,
                             int64_t pairs, bool adds, float *sum,
                             int64_t stride) {
  // So many pairs of a panel of B stay in the first cache.
  constexpr int64_t depth = 128;
  for (int64_t k = 0; k < pairs; k += depth)
    for (int64_t column = 0; column < columns; column += pairPanelColumns)
      for (int64_t row = 0; row < rows; row += pairPanelRows) {
        PairRows panelA = a;
        panelA.data += row / pairPanelRows * a.panelBytes + k * a.kBytes;
        const Bf16Pair *panelB =
            b + column / pairPanelColumns * strideB + k * pairPanelColumns;
        const int64_t rowsLeft = std::min(pairPanelRows, rows - row),
                      columnsLeft =
                          std::min(pairPanelColumns, columns - column),
                      count = std::min(depth, pairs - k);
        float *tile = sum + row * stride + column;
        if (rowsLeft == pairPanelRows && columnsLeft == pairPanelColumns)
          multiplyTile(panelA, panelB, count, adds || k > 0, tile, stride);
        else
          multiplyPart(panelA, panelB, count, adds || k > 0, rowsLeft,
                       columnsLeft, tile, stride);
      }
}
