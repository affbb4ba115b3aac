//===- Slice.h - this rank's part of a tensor -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor that is divided among ranks along a dimension is, in memory, runs of
// elements at equal distances: of each index in front of that dimension one. A
// run is one piece or, where each of several parts of the dimension is divided,
// a piece of each.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_SLICE_H
#define PREC_RT_COMMON_SLICE_H

#include "Manifest.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace prec::rt {

/// In elements.
struct Slice {
  /// Consecutive elements of a run, and where they are behind its first in the
  /// whole tensor.
  struct Piece {
    int64_t length = 0;
    int64_t start = 0;
  };

  int64_t runs = 1;
  int64_t length = 0;          ///< of a run
  int64_t stride = 0;          ///< in the whole tensor, from a run to the next
  std::vector<Piece> pieces{}; ///< of every run

  /// Of a tensor that is not divided.
  static Slice all(int64_t elements) {
    return {1, elements, elements, {{elements, 0}}};
  }
  int64_t elements() const { return runs * length; }
  /// Where an element of the slice is in the whole tensor.
  int64_t wholeOf(int64_t element) const {
    int64_t inside = element % length;
    return element / length * stride + placeOf(inside).start + inside;
  }

  /// Calls visit(element, whole, count) for each part of a run among the
  /// `count` elements from `begin` on, until one fails.
  template <typename Visit>
  Status visit(int64_t begin, int64_t count, Visit visit) const {
    while (count > 0) {
      int64_t some = std::min(count, placeOf(begin % length).length);
      PREC_RT_RETURN_IF_ERROR(visit(begin, wholeOf(begin), some));
      begin += some;
      count -= some;
    }
    return {};
  }

private:
  /// What is left of the piece that an element of a run is in; added to the
  /// element's number, `start` is its place.
  Piece placeOf(int64_t element) const {
    int64_t end = 0;
    for (const Piece &piece : pieces) {
      int64_t begin = end;
      end += piece.length;
      if (element < end)
        return {end - element, piece.start - begin};
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

/// Puts all elements of a slice, of `size` bytes each, to their places in the
/// whole tensor.
inline void placeSlice(const Slice &slice, const char *source, int64_t size,
                       char *whole) {
  (void)slice.visit(0, slice.elements(),
                    [&](int64_t element, int64_t at, int64_t some) {
                      memcpy(whole + at * size, source + element * size,
                             static_cast<size_t>(some * size));
                      return Status();
                    });
}

/// What a rank has of a binding's tensor: of one that is not divided all.
inline Slice sliceOf(const Manifest &manifest, const Binding &binding,
                     int rank) {
  const Buffer &buffer = manifest.buffers[static_cast<size_t>(binding.buffer)];
  if (!binding.shard || buffer.elements() == 0)
    return Slice::all(buffer.elements());
  const auto dim = static_cast<size_t>(binding.shard->dim);
  const RankGroup group = manifest.groupOf(binding.shard->axis, rank);
  Slice slice;
  for (size_t i = 0; i < dim; ++i)
    slice.runs *= buffer.shape[i];
  slice.length = buffer.elements() / slice.runs;
  slice.stride = slice.length * group.size;
  const int64_t behind = slice.length / buffer.shape[dim];
  std::vector<int64_t> parts = binding.shard->parts;
  if (parts.empty())
    parts = {buffer.shape[dim] * group.size};
  int64_t start = 0;
  for (int64_t part : parts) {
    const int64_t own = part / group.size * behind;
    slice.pieces.push_back({own, start + own * group.own});
    start += part * behind;
  }
  return slice;
}

} // namespace prec::rt

#endif // PREC_RT_COMMON_SLICE_H
