//===- ConvShape.cpp - sizes of a convolution -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ConvShape.h"

#include <algorithm>

using namespace prec::rt;

/// The last elements of three.
static void fill(Spatial &target, const std::vector<int64_t> &source,
                 size_t first, size_t count) {
  std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(first), count,
              target.end() - static_cast<std::ptrdiff_t>(count));
}

ConvShape::ConvShape(const Manifest &manifest, const Conv &conv) {
  auto shape = [&](int index) -> const std::vector<int64_t> & {
    return manifest.buffers[static_cast<size_t>(index)].shape;
  };
  const std::vector<int64_t> &x = shape(conv.x), &w = shape(conv.w),
                             &y = shape(conv.y);
  const size_t rank = x.size() - 2;
  batch = x.front();
  channels = x.back();
  outputs = w.front();
  groups = conv.groups;
  fill(sizes, x, 1, rank);
  fill(kernel, w, 1, rank);
  fill(positions, y, 1, rank);
  fill(strides, conv.strides, 0, rank);
  fill(low, conv.low, 0, rank);
  fill(high, conv.high, 0, rank);
  fill(dilations, conv.dilations, 0, rank);
}
