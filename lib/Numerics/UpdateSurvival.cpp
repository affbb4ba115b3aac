//===- UpdateSurvival.cpp - do updates reach a master weight? -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Numerics/Bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace prec;

UpdateSurvival prec::getUpdateSurvival(const FloatFormat &format, double weight,
                                       double update) {
  double halfUlp = format.getUlp(weight) / 2;
  double ratio = std::abs(update) / halfUlp;
  return {halfUlp, ratio, ratio >= 1};
}

double prec::getLargestMovedWeight(const FloatFormat &format, double update) {
  update = std::abs(update);
  if (update < format.getMinSubnormal() / 2)
    return 0;
  // Half an ulp of the binade [2^e, 2^(e+1)) is 2^(e - mantissaBits - 1).
  int exponent = std::ilogb(update) + format.mantissaBits + 1;
  double end = std::ldexp(1.0, exponent + 1);
  return end > format.maxFinite ? std::numeric_limits<double>::infinity() : end;
}

double prec::getMovedFraction(const FloatFormat &format, double weightRms,
                              double update) {
  double largest = getLargestMovedWeight(format, update);
  if (std::isinf(largest))
    return 1;
  if (weightRms == 0)
    return largest > 0 ? 1 : 0;
  return std::erf(largest / (weightRms * std::sqrt(2.0)));
}

double prec::getLargestAdamStep(double learningRate, double beta1,
                                double beta2) {
  return learningRate * std::max(1.0, (1 - beta1) / std::sqrt(1 - beta2));
}
