//===- Random.h - repeatable random numbers ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_NUMERICS_RANDOM_H
#define PREC_NUMERICS_RANDOM_H

#include <cmath>
#include <cstdint>

namespace prec {

/// SplitMix64: the same numbers on every platform, which the distributions of
/// the standard library do not promise.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t getBits() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In [0, 1).
  double getUniform() { return static_cast<double>(getBits() >> 11) * 0x1p-53; }
  /// Mean 0, deviation 1 (Box and Muller).
  double getNormal() {
    constexpr double kTwoPi = 6.283185307179586;
    double radius = std::sqrt(-2 * std::log(1 - getUniform()));
    return radius * std::cos(kTwoPi * getUniform());
  }

private:
  uint64_t state;
};

} // namespace prec

#endif // PREC_NUMERICS_RANDOM_H
