//===- HeadProduct.cpp - products of one head's matrices ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HeadProduct.h"

#include "FloatConvert.h"

#include <algorithm>
#include <climits>

using namespace prec::rt;

int64_t HeadProduct::scratch(int64_t extent, int64_t k) {
  return std::max(extent * k,
                  panelExtent(extent, pairPanelColumns) * pairsAlong(k));
}

/// The source as f32, with rows as sgemm takes them: none in another.
static MatrixSource widen(const MatrixSource &source, float *scratch) {
  const int64_t rows = source.isKContiguous ? source.extent : source.k,
                columns = source.isKContiguous ? source.k : source.extent;
  if (source.dtype == DType::f32 && source.stride >= columns &&
      source.stride <= INT_MAX)
    return source;
  if (source.stride == columns)
    toFloat(source.dtype, source.data, scratch, rows * columns);
  else
    for (int64_t row = 0; row < rows; ++row)
      toFloat(source.dtype,
              source.data + row * source.stride * byteSize(source.dtype),
              scratch + row * columns, columns);
  return {DType::f32,           reinterpret_cast<const char *>(scratch),
          source.isKContiguous, columns,
          source.extent,        source.k};
}

static const Bf16Pair *pack(const MatrixSource &source, int64_t width,
                            float *scratch) {
  auto *panels = reinterpret_cast<Bf16Pair *>(scratch);
  for (int64_t first = 0; first < source.extent; first += packedAtOnce)
    source.packPairs(first, width, panels + first * pairsAlong(source.k));
  return panels;
}

HeadProduct::Left HeadProduct::left(const MatrixSource &source,
                                    float *scratch) const {
  if (!usesPairs)
    return {{}, widen(source, scratch)};
  if (source.isReadInPlace())
    return {PairRows::inPlace(source), source};
  return {PairRows::packed(pack(source, pairPanelRows, scratch), source.k),
          source};
}

HeadProduct::Right HeadProduct::right(const MatrixSource &source,
                                      float *scratch) const {
  if (!usesPairs)
    return {nullptr, widen(source, scratch)};
  return {pack(source, pairPanelColumns, scratch), source};
}

void HeadProduct::multiply(const Left &a, const Right &b, int64_t rows,
                           int64_t columns, int64_t k, bool adds,
                           float *sum) const {
  if (usesPairs)
    multiplyPairs(a.pairs, b.pairs, pairPanelColumns * pairsAlong(b.floats.k),
                  rows, columns, pairsAlong(k), adds, sum, columns);
  else
    blas.sgemm(!a.floats.isKContiguous, b.floats.isKContiguous, rows, columns,
               k, 1, reinterpret_cast<const float *>(a.floats.data),
               a.floats.stride, reinterpret_cast<const float *>(b.floats.data),
               b.floats.stride, adds ? 1 : 0, sum, columns);
}
