//===- ErrorBound.cpp - how far two targets may differ --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the results of two targets with a bound for each element. A value
// may differ by its bound plus one ulp of its format, because either may round
// to the other side. The bound follows from the length of the sums and the
// accumulator: f32 sums lose a unit for each addition, FP8 sums more for each
// instruction. For narrow formats the number of elements that differ at all is
// checked as well: each flips with the probability bound / ulp, and more than
// six standard deviations over the expected number is a fault that no single
// element shows.
//
//===----------------------------------------------------------------------===//

#include "ErrorBound.h"

#include "CommandRules.h"
#include "DTypeLayout.h"
#include "FloatConvert.h"
#include "RowNorms.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace prec::rt;

/// Of other dtypes as of f32, in which they are computed.
static const FloatLayout &layoutOf(DType dtype) {
  const FloatLayout *layout = findLayout(dtype);
  return layout ? *layout : kF32;
}

static int mantissaBits(DType dtype) {
  return dtype == DType::f8E8M0FNU ? 0 : layoutOf(dtype).mantissaBits;
}

static int minExponent(DType dtype) { return layoutOf(dtype).minExponent(); }

double prec::rt::unitRoundoff(DType dtype) {
  return std::ldexp(1.0, -mantissaBits(dtype) - 1);
}

double prec::rt::spacing(DType dtype, float value) {
  // By bits: this runs once an element.
  int exponent = static_cast<int>(bitsOf(value) >> 23 & 0xff) - 127;
  exponent = exponent == 128 ? 127 : std::max(exponent, minExponent(dtype));
  uint64_t bits = static_cast<uint64_t>(exponent - mantissaBits(dtype) + 1023)
                  << 52;
  double result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

double prec::rt::accumulationError(int64_t accumulation,
                                   Accumulator accumulator, bool fp8) {
  constexpr double instruction = 32, promotion = 128, fp8Truncation = 0x1p-13;
  double chain = static_cast<double>(accumulation);
  // One target to nearest, the other truncating: 1 + 2 units.
  double f32 = 3 * f32Error;
  if (!fp8 || accumulator == Accumulator::full)
    return chain * f32;
  if (accumulator == Accumulator::fast)
    return chain * f32Error +
           (std::ceil(chain / instruction) + 1) * fp8Truncation;
  return chain * f32Error + std::ceil(chain / promotion) * f32 +
         (std::min(std::ceil(chain / instruction), promotion / instruction) +
          1) *
             fp8Truncation;
}

std::vector<double> prec::rt::errorBound(const Manifest &manifest,
                                         const Command &command, int output,
                                         const OperandValues &values,
                                         ThreadPool &pool) {
  return boundCommand({manifest, command, output, values, pool});
}

/// Elements [begin, end) of compareValues; `agrees` is left to the caller.
static Agreement compareRange(DType dtype, const std::vector<double> &bound,
                              const std::vector<float> &reference,
                              const std::vector<float> &other, int64_t begin,
                              int64_t end) {
  Agreement result;
  bool narrow = dtype != DType::f32;
  for (int64_t i = begin; i < end; ++i) {
    float a = reference[i], b = other[i];
    double ulp = spacing(dtype, std::max(std::abs(a), std::abs(b)));
    if (narrow && std::isfinite(a))
      result.expectedFlips += std::min(1.0, bound[i] / ulp);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    result.flips += narrow;
    double difference = std::abs(static_cast<double>(a) - b);
    double limit = bound[i] > 0 ? bound[i] + ulp : 0;
    double ratio = std::isfinite(difference) && limit > 0
                       ? difference / limit
                       : std::numeric_limits<double>::infinity();
    if (std::isfinite(difference))
      result.maxDifference = std::max(result.maxDifference, difference);
    if (ratio > result.maxRatio) {
      result.maxRatio = ratio;
      result.worst = i;
      result.reference = a;
      result.other = b;
    }
  }
  return result;
}

Agreement prec::rt::compareValues(DType dtype, const std::vector<double> &bound,
                                  const std::vector<float> &reference,
                                  const std::vector<float> &other,
                                  bool countFlips, ThreadPool &pool) {
  constexpr int64_t range = 1 << 16;
  int64_t count = reference.size();
  std::vector<Agreement> parts((count + range - 1) / range);
  pool.parallelFor(count, range, [&](int64_t begin, int64_t end, unsigned) {
    parts[begin / range] =
        compareRange(dtype, bound, reference, other, begin, end);
  });
  Agreement result;
  for (const Agreement &part : parts) {
    result.flips += part.flips;
    result.expectedFlips += part.expectedFlips;
    result.maxDifference = std::max(result.maxDifference, part.maxDifference);
    if (part.maxRatio > result.maxRatio) {
      result.maxRatio = part.maxRatio;
      result.worst = part.worst;
      result.reference = part.reference;
      result.other = part.other;
    }
  }
  // Six standard deviations of as many independent flips.
  double mostFlips =
      result.expectedFlips + 6 * std::sqrt(result.expectedFlips) + 3;
  bool rounded = countFlips && dtype != DType::f32;
  result.agrees =
      result.maxRatio <= 1 && (!rounded || result.flips <= mostFlips);
  return result;
}

template <typename T>
static Agreement compareAs(const std::vector<char> &reference,
                           const std::vector<char> &other) {
  Agreement result;
  for (size_t i = 0; i < reference.size() / sizeof(T); ++i) {
    T a, b;
    memcpy(&a, reference.data() + i * sizeof(T), sizeof(T));
    memcpy(&b, other.data() + i * sizeof(T), sizeof(T));
    if (a == b)
      continue;
    double left = static_cast<double>(a), right = static_cast<double>(b);
    result.maxDifference =
        std::max(result.maxDifference, std::abs(left - right));
    ++result.flips;
    if (!result.agrees)
      continue;
    result.agrees = false;
    result.maxRatio = std::numeric_limits<double>::infinity();
    result.worst = static_cast<int64_t>(i);
    result.reference = left;
    result.other = right;
  }
  return result;
}

Agreement prec::rt::compareIntegers(DType dtype,
                                    const std::vector<char> &reference,
                                    const std::vector<char> &other) {
  switch (byteSize(dtype)) {
  case 1:
    return compareAs<int8_t>(reference, other);
  case 4:
    return compareAs<int32_t>(reference, other);
  default:
    return compareAs<int64_t>(reference, other);
  }
}
