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
/// a matrix of each group.
struct GroupedShape {
  int64_t rows, inner, outer, groups;
  bool isGradient;

  GroupedShape(const Manifest &manifest, const Grouped &grouped) {
    auto shapeOf = [&](int buffer) -> const std::vector<int64_t> & {
      return manifest.buffers[static_cast<size_t>(buffer)].shape;
    };
    isGradient = shapeOf(grouped.b).size() == 2;
    rows = shapeOf(grouped.a)[0];
    inner = shapeOf(grouped.a)[1];
    outer = shapeOf(isGradient ? grouped.b : grouped.d)[1];
    groups = shapeOf(grouped.ends)[0];
  }
};

/// The rows [first, last) of each group. Row r is of the first group whose end
/// is above r; so groups follow one another, and any ends have a meaning.
class GroupRanges {
public:
  GroupRanges(const int32_t *ends, int64_t groups, int64_t rows) {
    ranges.reserve(static_cast<size_t>(groups));
    int64_t first = 0;
    for (int64_t group = 0; group < groups; ++group) {
      const int64_t last =
          std::clamp(static_cast<int64_t>(ends[group]), first, rows);
      ranges.emplace_back(first, last);
      first = last;
    }
  }

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
