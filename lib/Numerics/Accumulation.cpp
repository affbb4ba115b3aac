//===- Accumulation.cpp - how matrix units add up FP8 ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of how matrix units add up FP8, and of what that loses. An
// instruction aligns the products and the sum to the largest exponent among
// them, drops bits below a fixed number of fraction bits, adds, and truncates
// the result. With promotion the sum is added to an FP32 sum after a number of
// products and begins anew. getAccumulationBound bounds the error for any data;
// measureAccumulationError simulates random data; for very long sums the
// simulated error is extrapolated, because the loss grows as the sum grows.
//
//===----------------------------------------------------------------------===//
#include "prec/Numerics/Accumulation.h"

#include "prec/Numerics/Random.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

using namespace prec;
using llvm::ArrayRef;

/// The exponent field of a value: that of the smallest normal for subnormals.
static int getExponent(double value, int minExponent) {
  return std::max(std::ilogb(value), minExponent);
}

/// Drops, towards zero, what is below 2^exponent.
static double truncate(double value, int exponent) {
  return std::ldexp(std::trunc(std::ldexp(value, -exponent)), exponent);
}

static constexpr int kFloatMinExponent = -126;

double prec::addProducts(const Fp8Accumulator &accumulator,
                         const FloatFormat &aFormat, ArrayRef<double> a,
                         const FloatFormat &bFormat, ArrayRef<double> b,
                         double sum) {
  // Exponents of products are sums of exponents, not those of the normalized
  // products, which may be one larger.
  constexpr int kNone = std::numeric_limits<int>::min();
  int largest = sum == 0 ? kNone : getExponent(sum, kFloatMinExponent);
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != 0 && b[i] != 0)
      largest =
          std::max(largest, getExponent(a[i], aFormat.getMinExponent()) +
                                getExponent(b[i], bFormat.getMinExponent()));
  if (largest == kNone)
    return 0;
  int unit = largest - accumulator.fractionBits;
  double result = truncate(sum, unit);
  for (size_t i = 0; i < a.size(); ++i)
    result += truncate(a[i] * b[i], unit);
  if (result == 0)
    return 0;
  return truncate(result, getExponent(result, kFloatMinExponent) -
                              accumulator.fractionBits);
}

double prec::accumulate(const Fp8Accumulator &accumulator,
                        const FloatFormat &aFormat, ArrayRef<double> a,
                        const FloatFormat &bFormat, ArrayRef<double> b) {
  assert(a.size() == b.size() && "factors must have one length");
  float promoted = 0;
  double sum = 0;
  size_t added = 0;
  while (!a.empty()) {
    size_t count = std::min<size_t>(accumulator.products, a.size());
    sum = addProducts(accumulator, aFormat, a.take_front(count), bFormat,
                      b.take_front(count), sum);
    a = a.drop_front(count);
    b = b.drop_front(count);
    added += count;
    if (accumulator.promotion != 0 &&
        added >= static_cast<size_t>(accumulator.promotion)) {
      promoted += static_cast<float>(sum);
      sum = 0;
      added = 0;
    }
  }
  return promoted + static_cast<float>(sum);
}

AccumulationBound prec::getAccumulationBound(const Fp8Accumulator &accumulator,
                                             int64_t k) {
  auto getInstructions = [&](int64_t products) {
    return (products + accumulator.products - 1) / accumulator.products;
  };
  double unit = std::ldexp(1.0, -accumulator.fractionBits);
  // Truncated terms of an instruction, and its truncated result.
  double terms = static_cast<double>(accumulator.products) + 1;
  if (accumulator.promotion == 0) {
    double instructions = static_cast<double>(getInstructions(k));
    return {instructions * (terms + 1) * unit, instructions * terms * unit};
  }
  // A chain's terms are relative to the sum of its own products; chains share
  // the whole sum.
  int64_t interval = getInstructions(accumulator.promotion);
  int64_t longest = std::min(interval, getInstructions(k));
  int64_t chains = (k + accumulator.promotion - 1) / accumulator.promotion;
  double inChain = static_cast<double>(longest) * (terms + 1) * unit;
  AccumulationBound promotions = getFloatAccumulationBound(chains);
  return {inChain + (1 + inChain) * promotions.perSum,
          static_cast<double>(getInstructions(k)) * terms * unit *
              (1 + promotions.perSum)};
}

AccumulationBound prec::getFloatAccumulationBound(int64_t k) {
  double error = static_cast<double>(k) * 0x1p-24;
  return {error / (1 - error), 0};
}

AccumulationError
prec::measureAccumulationError(const Fp8Accumulator &accumulator,
                               const FloatFormat &aFormat,
                               const FloatFormat &bFormat, int64_t k,
                               int64_t samples, double mean, uint64_t seed) {
  Random random(seed);
  std::vector<double> a(k), b(k);
  auto fill = [&](std::vector<double> &values, const FloatFormat &format) {
    double amax = 0;
    for (double &value : values) {
      value = mean + random.getNormal();
      amax = std::max(amax, std::abs(value));
    }
    for (double &value : values)
      value = format.round(value / amax * format.maxFinite);
  };
  double error = 0, largest = 0, size = 0;
  for (int64_t sample = 0; sample < samples; ++sample) {
    fill(a, aFormat);
    fill(b, bFormat);
    // A double's own rounding is far below what is measured.
    double exact = 0;
    for (int64_t i = 0; i < k; ++i)
      exact += a[i] * b[i];
    double difference =
        std::abs(accumulate(accumulator, aFormat, a, bFormat, b) - exact);
    error += difference * difference;
    largest = std::max(largest, difference);
    size += exact * exact;
  }
  return {std::sqrt(error / size),
          largest / std::sqrt(size / static_cast<double>(samples))};
}

double prec::extrapolateAccumulationError(const Fp8Accumulator &accumulator,
                                          double error, int64_t from,
                                          int64_t k) {
  if (k <= from)
    return error;
  double before = static_cast<double>(from), all = static_cast<double>(k);
  // Errors of short chains, all alike: other samples may be a little worse.
  constexpr double kSampling = 1.25;
  if (accumulator.promotion != 0)
    return kSampling * error +
           ((all - before) / static_cast<double>(accumulator.promotion) + 1) *
               0x1p-24;
  double kept = 1 - (1 - error) * before / all;
  // An instruction's products, its sum before and its sum after, each cut to a
  // unit of a sum that grows evenly.
  double products = static_cast<double>(accumulator.products);
  double units = (products + 2) * std::ldexp(1.0, -accumulator.fractionBits);
  double lost = error * before / all +
                units * (all * all - before * before) / (2 * products * all);
  return std::min(kept, lost);
}

AccumulationEstimate
prec::estimateAccumulationError(const Fp8Accumulator &accumulator,
                                const FloatFormat &aFormat,
                                const FloatFormat &bFormat, int64_t k) {
  // The longer the sums, the less do they differ.
  constexpr int64_t kLongest = 1 << 20, kMostSamples = 16;
  int64_t simulated = std::min(k, kLongest);
  int64_t samples = std::clamp<int64_t>(kLongest / simulated, 1, kMostSamples);
  double error = measureAccumulationError(accumulator, aFormat, bFormat,
                                          simulated, samples, /*mean=*/1)
                     .rms;
  return {extrapolateAccumulationError(accumulator, error, simulated, k),
          simulated == k};
}
