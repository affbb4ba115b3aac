//===- GroupRanges.h - which rows are of which group ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_GROUPRANGES_H
#define PREC_RT_COMMON_GROUPRANGES_H

#include "Manifest.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace prec::rt {

/// Sizes of a grouped product: a [rows, inner], and b a matrix of each group
/// [inner, outer] with d [rows, outer], or of a gradient b [rows, outer] with d
/// a matrix of each group. Scaled operands of a gradient are transposed,
/// a [inner, rows] and b [outer, rows], and their rows aligned.
struct GroupedShape {
  int64_t rows, inner, outer, groups;
  bool isGradient, isScaled;

  GroupedShape(const Manifest &manifest, const Grouped &grouped) {
    auto shapeOf = [&](int buffer) -> const std::vector<int64_t> & {
      return manifest.buffers[static_cast<size_t>(buffer)].shape;
    };
    isGradient = shapeOf(grouped.b).size() == 2;
    isScaled = grouped.scaleA.has_value();
    const bool isTransposed = isGradient && isScaled;
    rows = shapeOf(grouped.a)[isTransposed ? 1 : 0];
    inner = shapeOf(grouped.a)[isTransposed ? 0 : 1];
    outer = shapeOf(isGradient ? grouped.b : grouped.d)[isTransposed ? 0 : 1];
    groups = shapeOf(grouped.ends)[0];
  }
};

/// The rows [first, last) of each group. Row r is of the first group whose end
/// is above r; so groups follow one another, and any ends have a meaning.
/// Aligned ones each begin at a multiple of `alignment`.
class GroupRanges {
public:
  GroupRanges(const int32_t *ends, int64_t groups, int64_t rows,
              int64_t alignment = 1) {
    ranges.reserve(static_cast<size_t>(groups));
    int64_t first = 0, place = 0;
    for (int64_t group = 0; group < groups; ++group) {
      const int64_t last =
          std::clamp(static_cast<int64_t>(ends[group]), first, rows);
      const int64_t end = std::min(place + last - first, rows);
      ranges.emplace_back(std::min(place, rows), end);
      place = (end + alignment - 1) / alignment * alignment;
      first = last;
    }
  }
  /// As an operand of `shape` has them.
  GroupRanges(const int32_t *ends, const GroupedShape &shape)
      : GroupRanges(ends, shape.groups, shape.rows,
                    shape.isGradient && shape.isScaled ? PREC_GROUP_ALIGNMENT
                                                       : 1) {}

  std::pair<int64_t, int64_t> of(int64_t group) const {
    return ranges[static_cast<size_t>(group)];
  }
  /// Of the last group: rows behind are of none.
  int64_t end() const { return ranges.empty() ? 0 : ranges.back().second; }

private:
  std::vector<std::pair<int64_t, int64_t>> ranges;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_GROUPRANGES_H
