//===- Shuffle.cpp - the order in which data is read ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of an epoch is a permutation that is computed place by place, so
// that no list of windows is kept and a training goes on from its place alone.
// A Feistel network permutes the numbers of 2h bits: of the halves (l, r) of a
// number each round makes (r, l ^ f(r)), which can be undone whatever f is, so
// no two numbers become one. h is the least with 4^h >= count. Where the result
// is no window it is permuted again: the walk along a cycle of the permutation
// ends at the next window on it, at the latest at the first one, and so windows
// are permuted, too. At least a quarter of all numbers are windows, so that
// takes fewer than four walks on average. f is SplitMix64 with a key of seed,
// epoch and round.
//
//===----------------------------------------------------------------------===//
#include "Shuffle.h"

#include "NormalDeviate.h"

using namespace prec::rt;

static constexpr int kShuffleRounds = 6;

int64_t prec::rt::windowAt(uint64_t seed, int64_t count, int64_t place) {
  uint64_t epoch = place / count, number = place % count;
  int half = 1;
  while (half < 31 && (uint64_t(1) << (2 * half)) < uint64_t(count))
    ++half;
  uint64_t mask = (uint64_t(1) << half) - 1;
  uint64_t key = splitMix64(seed, epoch);
  do {
    uint64_t left = number >> half, right = number & mask;
    for (int round = 0; round < kShuffleRounds; ++round) {
      uint64_t mixed =
          left ^ (splitMix64(splitMix64(key, round), right) & mask);
      left = right;
      right = mixed;
    }
    number = left << half | right;
  } while (number >= uint64_t(count));
  return static_cast<int64_t>(number);
}
