//===- Intervals.h - where FP8 wins -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_POLICY_INTERVALS_H
#define PREC_POLICY_INTERVALS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace prec {

/// A measured time and by how much another measurement may differ, in
/// microseconds.
struct Time {
  double us = 0, noise = 0;
};

/// Several measurements of the same thing: their mean; the noise is the largest
/// of any, or half the distance between the extremes if that is more.
Time combineTimes(llvm::ArrayRef<Time> times);

/// What one token count was measured to take in both precisions.
struct TokenTimes {
  int64_t tokens = 0;
  Time bf16, fp8;

  double getSpeedup() const { return bf16.us / fp8.us; }
  /// The speedup if noise fell the worst way for FP8.
  double getSafeSpeedup() const;
};

/// A longest run of measured token counts with one outcome.
struct SpeedupInterval {
  int64_t first, last;
  bool wins;
  /// Speedups at `first`, and the lowest of the run.
  double firstSpeedup, lowestSpeedup;
};

/// Runs in the order of tokens, which must ascend. FP8 wins where its safe
/// speedup exceeds `threshold`.
std::vector<SpeedupInterval> getIntervals(llvm::ArrayRef<TokenTimes> points,
                                          double threshold);

/// The verdict for a token count that may not be measured: below the smallest
/// BF16, between two neighbors FP8 only if it wins at both, beyond the largest
/// as there.
bool winsAt(llvm::ArrayRef<SpeedupInterval> intervals, int64_t tokens);

struct SafeThreshold {
  /// From here on FP8 wins everywhere it was measured; none if it loses at the
  /// largest count.
  std::optional<int64_t> minTokens;
  double speedup = 0;
  /// Wins that one threshold cannot express, below it or in front of a loss.
  std::vector<SpeedupInterval> givenUp;
};
SafeThreshold getSafeThreshold(llvm::ArrayRef<SpeedupInterval> intervals);

/// "wins at 1024 to 2048, loses at 4096".
std::string printIntervals(llvm::ArrayRef<SpeedupInterval> intervals);

} // namespace prec

#endif // PREC_POLICY_INTERVALS_H
