//===- FloatFormatTest.cpp - formats and rounding -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding itself is compared with ml_dtypes and PyTorch in test/Numerics.
//
//===----------------------------------------------------------------------===//
#include "prec/Numerics/FloatFormat.h"

#include "prec/Numerics/Random.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace prec;

namespace {

const FloatFormat &get(const char *name) { return *findFloatFormat(name); }

/// torch.finfo and ml_dtypes.finfo: bits, max, smallest normal, smallest
/// subnormal, eps.
TEST(FloatFormat, HasThePublishedLimits) {
  const std::tuple<const char *, int, double, double, double, double> rows[] = {
      {"f32", 32, 3.4028234663852886e38, 1.1754943508222875e-38,
       1.401298464324817e-45, 1.1920928955078125e-07},
      {"bf16", 16, 3.3895313892515355e38, 1.1754943508222875e-38,
       9.183549615799121e-41, 0.0078125},
      {"f16", 16, 65504, 6.103515625e-05, 5.960464477539063e-08, 0.0009765625},
      {"e5m2", 8, 57344, 6.103515625e-05, 1.52587890625e-05, 0.25},
      {"e4m3", 8, 448, 0.015625, 0.001953125, 0.125},
      {"e2m1", 4, 6, 1, 0.5, 0.5}};
  ASSERT_EQ(getFloatFormats().size(), std::size(rows));
  for (auto [name, bits, max, normal, subnormal, epsilon] : rows) {
    const FloatFormat &format = get(name);
    EXPECT_EQ(format.getBits(), bits) << name;
    EXPECT_EQ(format.maxFinite, max) << name;
    EXPECT_EQ(format.getMinNormal(), normal) << name;
    EXPECT_EQ(format.getMinSubnormal(), subnormal) << name;
    EXPECT_EQ(format.getUlp(1), epsilon) << name;
    EXPECT_EQ(format.getUnitRoundoff(), epsilon / 2) << name;
  }
  EXPECT_EQ(findFloatFormat("e3m4"), nullptr);
}

TEST(FloatFormat, UlpIsThatOfTheBinade) {
  const FloatFormat &e4m3 = get("e4m3");
  EXPECT_EQ(e4m3.getUlp(0.75), 0.0625);
  EXPECT_EQ(e4m3.getUlp(-0.75), 0.0625);
  EXPECT_EQ(e4m3.getUlp(448), 32);
  EXPECT_EQ(e4m3.getUlp(0), 0x1p-9);
  EXPECT_EQ(e4m3.getUlp(1e-5), 0x1p-9);
}

TEST(FloatFormat, StochasticRoundingIsUnbiased) {
  const FloatFormat &bf16 = get("bf16");
  Random random(3);
  constexpr double kValue = 1 + 0x1p-7 * 0.3;
  constexpr int kSamples = 100000;
  double sum = 0;
  for (int i = 0; i < kSamples; ++i) {
    double rounded = bf16.roundStochastically(kValue, random.getUniform());
    ASSERT_TRUE(rounded == 1 || rounded == 1 + 0x1p-7);
    sum += rounded;
  }
  // Five deviations of the mean of that many coins.
  double deviation = 0x1p-7 * std::sqrt(0.3 * 0.7 / kSamples);
  EXPECT_NEAR(sum / kSamples, kValue, 5 * deviation);
  EXPECT_EQ(bf16.roundStochastically(1.5, 0.999), 1.5);
  EXPECT_EQ(bf16.roundStochastically(-kValue, 0.31), -1);
  EXPECT_EQ(bf16.roundStochastically(-kValue, 0.71), -1 - 0x1p-7);
}

} // namespace
