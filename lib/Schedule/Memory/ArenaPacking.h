//===- ArenaPacking.h - offsets for values by their lifetimes ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithm of --prec-plan-memory on plain intervals, without IR.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_SCHEDULE_MEMORY_ARENAPACKING_H
#define PREC_LIB_SCHEDULE_MEMORY_ARENAPACKING_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace prec {

/// Bytes that must stay untouched from step `first` to step `last`, inclusive:
/// a value that an operation reads is still there while its results are made.
struct LiveInterval {
  int64_t first, last;
  int64_t bytes;
};

struct ArenaPacking {
  std::vector<int64_t> offsets; ///< one an interval, multiples of the alignment
  int64_t size = 0;             ///< end of the furthest interval
};

/// Offsets such that intervals which share a step share no byte. Equal input
/// gives equal output. Takes O(n log n) steps for n intervals.
ArenaPacking packArena(llvm::ArrayRef<LiveInterval> intervals,
                       int64_t alignment);

/// Bytes live at each step below `steps`, each interval rounded up to the
/// alignment. Their maximum is a lower bound on the size of any packing.
std::vector<int64_t> getLiveBytes(llvm::ArrayRef<LiveInterval> intervals,
                                  int64_t steps, int64_t alignment);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_MEMORY_ARENAPACKING_H
