//===- scalings.h - what shares a scale -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of scalings.def, and the sizes that follow from them. Compiler and
// runtime ask here what a scaling is; neither guesses it from a shape, which
// may be that of two scalings.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_SCALINGS_H
#define PREC_RT_SCALINGS_H

#include "prec-rt/format.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

namespace prec {

enum class Scaling : uint32_t {
#define PREC_SCALING(Symbol, ...) Symbol,
#include "prec-rt/scalings.def"
};

enum class ScalingFamily {
  None,
  /// One scale of the tensor.
  Tensor,
  /// One of each row.
  Row,
  /// f32 ones of blocks.
  Block,
  /// Ones of few bits, of blocks of a few elements: an element times its
  /// inverse scale is exact in f32.
  Micro
};

/// Formats of scaled elements.
enum class ScaledOperands { Wide, Fp8, Fp4 };

/// Formats of inverse scales.
enum class ScaleFormat { F32, F8E8M0FNU, F8E4M3FN };

/// How the inverse scales of a matrix of blocks [r, c] lie in memory (cuBLASLt,
/// "Scaling factors layouts").
enum class ScaleLayout {
  /// Row by row; where a block is all of a row, [r].
  AsScales,
  /// [c, r].
  Transposed,
  /// Row by row, each row filled up to a multiple of PREC_SCALE_INV_GROUP.
  Grouped,
  /// In tiles of PREC_SCALE_INV_TILE rows and PREC_SCALE_INV_GROUP columns.
  Tiled
};

struct ScalingTraits {
  std::string_view name;
  ScalingFamily family;
  /// Of the elements that share a scale; 0: all of them.
  int64_t rows, columns;
  ScaledOperands operands;
  ScaleFormat format;
  ScaleLayout layout;
  /// Whether a scale of the whole tensor is around these.
  bool hasTensorScale;
  /// Products that are added up before the sum is scaled; 0: all of them.
  int64_t sum;

  constexpr bool isTensor() const { return family == ScalingFamily::Tensor; }
  constexpr bool isMicro() const { return family == ScalingFamily::Micro; }
  /// Whether scales are of rows or blocks, which only a matrix has.
  constexpr bool isFine() const {
    return family == ScalingFamily::Row || family == ScalingFamily::Block ||
           family == ScalingFamily::Micro;
  }
  /// Whether a matrix and its transpose have the same scales.
  constexpr bool isSymmetric() const { return rows == columns; }

  /// The shape of the scales of an operand: [], [R], or a matrix of blocks.
  std::vector<int64_t> scaleShape(int64_t operandRows, int64_t k) const {
    if (!isFine())
      return {};
    if (columns == 0)
      return {divide(operandRows, rows)};
    return {divide(operandRows, rows), divide(k, columns)};
  }
  /// The shape of the inverse scales of scales of that shape.
  std::vector<int64_t> scaleInvShape(const std::vector<int64_t> &scales) const {
    if (scales.size() != 2)
      return scales;
    switch (layout) {
    case ScaleLayout::AsScales:
      return scales;
    case ScaleLayout::Transposed:
      return {scales[1], scales[0]};
    case ScaleLayout::Grouped:
      return {scales[0], divide(scales[1], PREC_SCALE_INV_GROUP),
              PREC_SCALE_INV_GROUP};
    case ScaleLayout::Tiled:
      return {divide(scales[0], PREC_SCALE_INV_TILE),
              divide(scales[1], PREC_SCALE_INV_GROUP), PREC_SCALE_INV_STRIDE,
              PREC_SCALE_INV_TILE / PREC_SCALE_INV_STRIDE *
                  PREC_SCALE_INV_GROUP};
    }
    return {};
  }

  /// Parts of `size` elements, the last of which may be shorter; 0: all.
  static constexpr int64_t divide(int64_t size, int64_t part) {
    return part == 0 ? 1 : (size + part - 1) / part;
  }
};

inline constexpr ScalingTraits kScalings[] = {
#define PREC_SCALING(Symbol, name, family, rows, columns, operands, format,    \
                     layout, hasTensorScale, sum)                              \
  {#name,                                                                      \
   ScalingFamily::family,                                                      \
   rows,                                                                       \
   columns,                                                                    \
   ScaledOperands::operands,                                                   \
   ScaleFormat::format,                                                        \
   ScaleLayout::layout,                                                        \
   (hasTensorScale) != 0,                                                      \
   sum},
#include "prec-rt/scalings.def"
};

constexpr const ScalingTraits &traitsOf(Scaling scaling) {
  return kScalings[static_cast<size_t>(scaling)];
}

/// As many rows as hold any `groups` groups that have so many rows together if
/// each begins at a multiple of PREC_GROUP_ALIGNMENT.
constexpr int64_t alignedRows(int64_t rows, int64_t groups) {
  const int64_t begun = groups < rows ? groups : rows;
  return (rows + begun * (PREC_GROUP_ALIGNMENT - 1)) / PREC_GROUP_ALIGNMENT *
         PREC_GROUP_ALIGNMENT;
}

} // namespace prec

#endif // PREC_RT_SCALINGS_H
