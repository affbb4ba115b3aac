//===- ConvShape.h - sizes of a convolution ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_CONVSHAPE_H
#define PREC_RT_COMMON_CONVSHAPE_H

#include "Manifest.h"

#include <array>

namespace prec::rt {

/// Three numbers, of which a convolution over fewer dimensions has 1 or 0 in
/// front.
using Spatial = std::array<int64_t, 3>;

/// The sizes of a command that was checked, as one over three dimensions.
struct ConvShape {
  int64_t batch, channels, outputs, groups;
  Spatial sizes{1, 1, 1}, kernel{1, 1, 1}, positions{1, 1, 1};
  Spatial strides{1, 1, 1}, low{0, 0, 0}, high{0, 0, 0}, dilations{1, 1, 1};

  ConvShape(const Manifest &manifest, const Conv &conv);

  int64_t groupChannels() const { return channels / groups; }
  int64_t groupOutputs() const { return outputs / groups; }
  int64_t places() const { return productOf(kernel); }
  int64_t allPositions() const { return batch * productOf(positions); }
  int64_t allSizes() const { return batch * productOf(sizes); }
  double flops() const {
    return 2.0 * static_cast<double>(allPositions()) *
           static_cast<double>(outputs) *
           static_cast<double>(places() * groupChannels());
  }

  static int64_t productOf(const Spatial &of) { return of[0] * of[1] * of[2]; }
  /// The coordinates of element `index` of a box.
  static Spatial split(int64_t index, const Spatial &box) {
    return {index / (box[1] * box[2]), index / box[2] % box[1], index % box[2]};
  }
  static int64_t join(const Spatial &at, const Spatial &box) {
    return (at[0] * box[1] + at[1]) * box[2] + at[2];
  }

  /// The element of the input that a window reads at a place; -1 in the
  /// padding.
  int64_t inputAt(const Spatial &position, const Spatial &place) const {
    Spatial at;
    for (size_t d = 0; d < 3; ++d) {
      at[d] = position[d] * strides[d] + place[d] * dilations[d] - low[d];
      if (at[d] < 0 || at[d] >= sizes[d])
        return -1;
    }
    return join(at, sizes);
  }
  /// The window that reads an element of the input at a place; -1 if none does.
  int64_t outputAt(const Spatial &element, const Spatial &place) const {
    Spatial at;
    for (size_t d = 0; d < 3; ++d) {
      const int64_t first = element[d] + low[d] - place[d] * dilations[d];
      at[d] = first / strides[d];
      if (first < 0 || first % strides[d] || at[d] >= positions[d])
        return -1;
    }
    return join(at, positions);
  }
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_CONVSHAPE_H
