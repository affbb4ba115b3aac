//===- Slice.h - this rank's part of a tensor -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor that is divided among ranks along a dimension is, in memory, runs of
// elements at equal distances: of each index in front of that dimension one.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_SLICE_H
#define PREC_RT_COMMON_SLICE_H

#include "Manifest.h"

#include <algorithm>
#include <cstring>

namespace prec::rt {

/// In elements.
struct Slice {
  int64_t runs = 1;
  int64_t length = 0; ///< of a run
  int64_t stride = 0; ///< in the whole tensor, from a run to the next
  int64_t first = 0;  ///< of the whole tensor

  int64_t elements() const { return runs * length; }
  /// Where an element of the slice is in the whole tensor.
  int64_t wholeOf(int64_t element) const {
    return first + element / length * stride + element % length;
  }

  /// Calls visit(element, whole, count) for each part of a run among the
  /// `count` elements from `begin` on, until one fails.
  template <typename Visit>
  Status visit(int64_t begin, int64_t count, Visit visit) const {
    while (count > 0) {
      int64_t some = std::min(count, length - begin % length);
      PREC_RT_RETURN_IF_ERROR(visit(begin, wholeOf(begin), some));
      begin += some;
      count -= some;
    }
    return {};
  }
};

/// The slice of a whole tensor in memory, of elements of `size` bytes: `count`
/// elements from `begin` on.
inline void copySlice(const Slice &slice, const char *whole, int64_t size,
                      int64_t begin, int64_t count, char *target) {
  (void)slice.visit(
      begin, count, [&](int64_t element, int64_t at, int64_t some) {
        memcpy(target + (element - begin) * size, whole + at * size,
               static_cast<size_t>(some * size));
        return Status();
      });
}

/// What a rank has of a binding's tensor: of one that is not divided all.
inline Slice sliceOf(const Manifest &manifest, const Binding &binding,
                     int rank) {
  const Buffer &buffer = manifest.buffers[static_cast<size_t>(binding.buffer)];
  Slice slice;
  slice.length = slice.stride = buffer.elements();
  if (!binding.shard || slice.length == 0)
    return slice;
  for (int64_t dim = 0; dim < binding.shard->dim; ++dim)
    slice.runs *= buffer.shape[static_cast<size_t>(dim)];
  slice.length /= slice.runs;
  const RankGroup group = manifest.groupOf(binding.shard->axis, rank);
  slice.stride = slice.length * group.size;
  slice.first = slice.length * group.own;
  return slice;
}

} // namespace prec::rt

#endif // PREC_RT_COMMON_SLICE_H
