//===- AccumulationTest.cpp - Hopper's FP8 accumulator --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Numerics/Accumulation.h"

#include "prec/Numerics/Random.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include "gtest/gtest.h"

#include <cmath>
#include <vector>

using namespace prec;
using llvm::StringRef;

namespace {

struct Vector {
  const char *aFormat, *a, *bFormat, *b;
  uint32_t before, after;
};

constexpr Vector kVectors[] = {
#include "MmaSimVectors.inc"
};

const FloatFormat &get(StringRef name) { return *findFloatFormat(name); }

double decode(const FloatFormat &format, uint8_t code) {
  int mantissa = code & ((1 << format.mantissaBits) - 1);
  int exponent = (code & 0x7f) >> format.mantissaBits;
  double significand =
      exponent ? mantissa + (1 << format.mantissaBits) : mantissa;
  double value = std::ldexp(significand, std::max(exponent, 1) - 1 +
                                             format.getMinExponent() -
                                             format.mantissaBits);
  return code & 0x80 ? -value : value;
}

std::vector<double> decodeAll(const FloatFormat &format, StringRef codes) {
  std::vector<double> values;
  for (char code : llvm::fromHex(codes))
    values.push_back(decode(format, static_cast<uint8_t>(code)));
  return values;
}

TEST(Accumulation, AgreesWithMmaSim) {
  for (const Vector &v : kVectors) {
    const FloatFormat &aFormat = get(v.aFormat), &bFormat = get(v.bFormat);
    double sum =
        addProducts(kHopperFast, aFormat, decodeAll(aFormat, v.a), bFormat,
                    decodeAll(bFormat, v.b), llvm::bit_cast<float>(v.before));
    EXPECT_EQ(llvm::bit_cast<uint32_t>(static_cast<float>(sum)) & 0x7fffffff,
              v.after & 0x7fffffff)
        << v.a << " " << v.b;
    // A cancelled sum has no sign that matters.
    EXPECT_TRUE(sum == 0 || std::signbit(sum) == (v.after >> 31 != 0));
  }
}

/// SageAttention2: with no products, an accumulator of up to 13 fraction bits
/// comes back, longer ones lose their last bits.
TEST(Accumulation, KeepsThirteenFractionBits) {
  const FloatFormat &e4m3 = get("e4m3");
  std::vector<double> zeros(32, 0.0);
  auto pass = [&](double sum) {
    return addProducts(kHopperFast, e4m3, zeros, e4m3, zeros, sum);
  };
  EXPECT_EQ(pass(1 + 0x1p-13), 1 + 0x1p-13);
  EXPECT_EQ(pass(1 + 0x1p-14), 1);
  EXPECT_EQ(pass(-1 - 0x1p-13 - 0x1p-14), -1 - 0x1p-13);
}

/// What promotion is for: 448 * 448 makes every later product of 1 vanish,
/// unless the sum starts again.
TEST(Accumulation, PromotionStopsSwamping) {
  const FloatFormat &e4m3 = get("e4m3");
  std::vector<double> a(4096, 1.0), b(4096, 1.0);
  a[0] = b[0] = 448;
  EXPECT_EQ(accumulate(kHopperFast, e4m3, a, e4m3, b), 448 * 448);
  EXPECT_EQ(accumulate(kHopperPromoted, e4m3, a, e4m3, b),
            448 * 448 + (4096 - 128));
}

TEST(Accumulation, TakesLengthsThatAreNoMultiples) {
  const FloatFormat &e4m3 = get("e4m3");
  for (int64_t k : {0, 1, 31, 33, 127, 129, 300}) {
    std::vector<double> ones(k, 1.0);
    for (const Fp8Accumulator &mode : {kHopperFast, kHopperPromoted})
      EXPECT_EQ(accumulate(mode, e4m3, ones, e4m3, ones), k);
  }
}

/// The bound holds for random factors of every kind, and for the worst case
/// that it was derived from it is not far off.
TEST(Accumulation, BoundHolds) {
  Random random(11);
  for (StringRef aName : {"e4m3", "e5m2"})
    for (const Fp8Accumulator &mode : {kHopperFast, kHopperPromoted})
      for (int64_t k : {16, 32, 200, 1024, 4096})
        for (double spread : {0.0, 1.0, 4.0})
          for (bool positive : {false, true}) {
            const FloatFormat &aFormat = get(aName), &bFormat = get("e4m3");
            std::vector<double> a(k), b(k);
            double sum = 0, magnitude = 0;
            double largestA = aFormat.getMinNormal(),
                   largestB = bFormat.getMinNormal();
            for (int64_t i = 0; i < k; ++i) {
              auto draw = [&](const FloatFormat &format) {
                double x =
                    random.getNormal() * std::exp2(spread * random.getNormal());
                return format.round(positive ? std::abs(x) : x);
              };
              a[i] = draw(aFormat);
              b[i] = draw(bFormat);
              sum += a[i] * b[i];
              magnitude += std::abs(a[i] * b[i]);
              largestA = std::max(largestA, std::abs(a[i]));
              largestB = std::max(largestB, std::abs(b[i]));
            }
            AccumulationBound bound = getAccumulationBound(mode, k);
            double error =
                std::abs(accumulate(mode, aFormat, a, bFormat, b) - sum);
            EXPECT_LE(error, bound.perSum * magnitude +
                                 bound.perLargest * largestA * largestB);
          }
}

TEST(Accumulation, BoundIsReachedWithinAFactor) {
  // Every product is just below a unit of the sum that stands already.
  const FloatFormat &e4m3 = get("e4m3");
  constexpr int64_t kLength = 4096;
  std::vector<double> a(kLength, 1.0), b(kLength, 0x1.ep-6);
  a[0] = b[0] = 16; // 256: one unit is 2^-5
  double magnitude = 256 + (kLength - 1) * 0x1.ep-6;
  double error = magnitude - accumulate(kHopperFast, e4m3, a, e4m3, b);
  AccumulationBound bound = getAccumulationBound(kHopperFast, kLength);
  double limit = bound.perSum * magnitude + bound.perLargest * 256;
  EXPECT_EQ(error, (kLength - 1) * 0x1.ep-6);
  EXPECT_LE(error, limit);
  EXPECT_GT(error, limit / 8);
}

AccumulationError measure(const Fp8Accumulator &mode, int64_t k, double mean) {
  const FloatFormat &e4m3 = get("e4m3");
  return measureAccumulationError(mode, e4m3, e4m3, k, 64, mean);
}

/// DeepSeek-V3, section 3.3.2: for two random matrices with K = 4096 the tensor
/// cores' accumulation alone errs by nearly 2 %. That lies between factors of
/// mean zero, whose sums stay small, and factors that do not cancel.
TEST(Accumulation, TwoPercentAtK4096) {
  EXPECT_LT(measure(kHopperFast, 4096, 0).largest, 0.01);
  EXPECT_GT(measure(kHopperFast, 4096, 1).largest, 0.02);
  EXPECT_LT(measure(kHopperFast, 4096, 1).largest, 0.06);
}

/// The table of docs/Bounds.md: the fast sum gets worse with K, the promoted
/// one does not.
TEST(Accumulation, GrowsWithKUnlessPromoted) {
  for (double mean : {0.0, 1.0}) {
    double shortest = measure(kHopperFast, 128, mean).rms, last = shortest;
    for (int64_t k : {512, 1024, 4096, 16384}) {
      AccumulationError fast = measure(kHopperFast, k, mean);
      AccumulationError promoted = measure(kHopperPromoted, k, mean);
      EXPECT_GT(fast.rms, 1.2 * last) << k;
      EXPECT_LT(promoted.rms, 1.2 * shortest) << k;
      EXPECT_LT(promoted.rms, 5e-4) << k;
      last = fast.rms;
    }
  }
}

/// What is not simulated must bound what would be: from sums of 65536 products
/// to those of a million.
TEST(Accumulation, ExtrapolationBoundsTheSimulation) {
  constexpr int64_t kFrom = 1 << 16;
  const FloatFormat &e4m3 = get("e4m3"), &e5m2 = get("e5m2");
  const Fp8Accumulator adaPromoted{16, 13, kPromotionInterval};
  for (const Fp8Accumulator &mode :
       {kHopperFast, kHopperPromoted, kAdaFast, adaPromoted, kBlackwell})
    for (const FloatFormat *other : {&e4m3, &e5m2}) {
      auto simulate = [&](int64_t k) {
        return measureAccumulationError(mode, e4m3, *other, k, 2, 1).rms;
      };
      double from = simulate(kFrom), last = from;
      for (int64_t k : {kFrom + 32, 2 * kFrom, 5 * kFrom, 16 * kFrom}) {
        double bound = extrapolateAccumulationError(mode, from, kFrom, k);
        EXPECT_GE(bound, simulate(k)) << mode.products << " " << k;
        EXPECT_GE(bound, last) << k;
        EXPECT_LE(bound, 1) << k;
        last = bound;
      }
    }
}

/// The real length counts: a million products are off by more than 65536, and
/// longer sums by more still.
TEST(Accumulation, EstimatesGrowBeyondTheSimulation) {
  const FloatFormat &e4m3 = get("e4m3");
  double last = 0;
  for (int64_t k : {int64_t(1) << 16, int64_t(1) << 18, int64_t(1) << 20,
                    int64_t(1) << 22, int64_t(1) << 40}) {
    AccumulationEstimate estimate =
        estimateAccumulationError(kHopperFast, e4m3, e4m3, k);
    EXPECT_EQ(estimate.isSimulated, k <= int64_t(1) << 20);
    EXPECT_GT(estimate.error, last) << k;
    EXPECT_LE(estimate.error, 1);
    last = estimate.error;
  }
  EXPECT_GT(last, 0.9);
  EXPECT_LT(
      estimateAccumulationError(kHopperPromoted, e4m3, e4m3, 1 << 22).error,
      3e-3);
}

/// The same unit, filled half as much: more instructions, more cuts. Blackwell
/// is nearly FP32.
TEST(Accumulation, OtherGenerations) {
  const FloatFormat &e4m3 = get("e4m3");
  auto estimate = [&](const Fp8Accumulator &mode) {
    return estimateAccumulationError(mode, e4m3, e4m3, 16384).error;
  };
  EXPECT_GT(estimate(kAdaFast), 0.5 * estimate(kHopperFast));
  EXPECT_LT(estimate(kAdaFast), 2 * estimate(kHopperFast));
  EXPECT_LT(estimate(kBlackwell), 1e-3 * estimate(kHopperFast));
}

} // namespace
