//===- RankGroup.h - ranks along one axis of a mesh -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_RANKGROUP_H
#define PREC_RT_COMMON_RANKGROUP_H

#include <cstdint>

namespace prec::rt {

/// The ranks that differ from one along one axis alone: `size` of them, from
/// `first` on, each `stride` behind the one before. `own` is that rank's place
/// among them.
struct RankGroup {
  int64_t first = 0, stride = 1, size = 1, own = 0;

  int64_t rankAt(int64_t place) const { return first + place * stride; }
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_RANKGROUP_H
