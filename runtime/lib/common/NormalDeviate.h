//===- NormalDeviate.h - reproducible normal deviates -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start values of random weights. Counter-based: the deviate of an element
// depends on (seed, index) only, so every device fills in any order and split.
// cuda/FillNormalPtx.h is the same function by hand.
//
// The sum of twelve 16-bit uniforms (Irwin-Hall) instead of Box-Muller, since
// integers and one fused multiply-add give equal bits everywhere, which the
// libraries' log and cos do not. Its variance is 1 - 2^-32, its tails end at
// six standard deviations.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_NORMALDEVIATE_H
#define PREC_RT_COMMON_NORMALDEVIATE_H

#include <cmath>
#include <cstdint>

namespace prec::rt {

/// Value number `counter` of the SplitMix64 sequence that starts at `seed`.
inline uint64_t splitMix64(uint64_t seed, uint64_t counter) {
  uint64_t z = seed + (counter + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Element `index` of a buffer of deviates with the given mean and deviation.
inline float normalDeviate(uint64_t seed, uint64_t index, float mean,
                           float stddev) {
  int32_t sum = -393210; // twelve times the mean of a 16-bit uniform
  for (uint64_t word = 0; word < 3; ++word) {
    uint64_t bits = splitMix64(seed, index * 3 + word);
    for (int part = 0; part < 4; ++part)
      sum += static_cast<int32_t>((bits >> (16 * part)) & 0xffff);
  }
  // |sum| < 2^24 and a power of two: exact. One rounding, in the fma.
  float deviate = static_cast<float>(sum) * (1.0f / 65536.0f);
  return std::fma(deviate, stddev, mean);
}

} // namespace prec::rt

#endif // PREC_RT_COMMON_NORMALDEVIATE_H
