//===- RangeLoss.cpp - what scaled tensors lose at both ends --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Numerics/Bounds.h"

#include <algorithm>
#include <cmath>

using namespace prec;

double prec::getScale(const FloatFormat &format, double amax, double margin,
                      double epsilon) {
  return format.maxFinite / std::max(amax, epsilon) * std::exp2(-margin);
}

RangeLoss prec::getRangeLoss(const FloatFormat &format, double rms,
                             double scale) {
  if (rms == 0)
    return {0, 0};
  double deviation = rms * scale * std::sqrt(2.0);
  return {std::erf(format.getMinSubnormal() / 2 / deviation),
          std::erfc(format.maxFinite / deviation)};
}

double prec::getExpectedSqnr(const FloatFormat &format) {
  // Uniform logarithms: the mean square over a binade [1, 2) is 3 / (2 ln 2);
  // the noise's is ulp^2 / 12.
  double signal = 3 / (2 * std::log(2.0));
  double ulp = 2 * format.getUnitRoundoff();
  return 10 * std::log10(signal * 12 / (ulp * ulp));
}
