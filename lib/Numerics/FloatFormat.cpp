//===- FloatFormat.cpp - what a narrow float format can hold --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Numerics/FloatFormat.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace prec;

static constexpr FloatFormat kFormats[] = {
    {"f32", 8, 23, 0x1.fffffep127, true, true},
    {"bf16", 8, 7, 0x1.fep127, true, true},
    {"f16", 5, 10, 65504, true, true},
    {"e5m2", 5, 2, 57344, true, true},
    {"e4m3", 4, 3, 448, false, true},
    {"e2m1", 2, 1, 6, false, false},
};

llvm::ArrayRef<FloatFormat> prec::getFloatFormats() { return kFormats; }

const FloatFormat *prec::findFloatFormat(llvm::StringRef name) {
  for (const FloatFormat &format : kFormats)
    if (format.name == name)
      return &format;
  return nullptr;
}

double FloatFormat::getMinNormal() const {
  return std::ldexp(1.0, getMinExponent());
}

double FloatFormat::getMinSubnormal() const {
  return std::ldexp(1.0, getMinExponent() - mantissaBits);
}

double FloatFormat::getUnitRoundoff() const {
  return std::ldexp(1.0, -mantissaBits - 1);
}

double FloatFormat::getUlp(double value) const {
  int exponent = getMinExponent();
  if (value != 0 && std::isfinite(value))
    exponent = std::max(exponent, std::ilogb(value));
  return std::ldexp(1.0, exponent - mantissaBits);
}

double FloatFormat::round(double value, Overflow overflow) const {
  if (std::isnan(value))
    return value;
  double ulp = getUlp(value);
  // A power of two divides exactly, so only nearbyint rounds.
  double rounded =
      std::isinf(value) ? value : std::nearbyint(value / ulp) * ulp;
  if (std::abs(rounded) <= maxFinite)
    return rounded;
  if (overflow == Overflow::Special && hasInfinity)
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  if (overflow == Overflow::Special && hasNan)
    return std::numeric_limits<double>::quiet_NaN();
  return std::copysign(maxFinite, value);
}

double FloatFormat::roundStochastically(double value, double random) const {
  if (!std::isfinite(value))
    return round(value);
  double ulp = getUlp(value);
  double scaled = value / ulp, lower = std::floor(scaled);
  double rounded = (lower + (random < scaled - lower ? 1 : 0)) * ulp;
  return std::clamp(rounded, -maxFinite, maxFinite);
}
