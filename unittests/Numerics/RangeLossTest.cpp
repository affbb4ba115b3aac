//===- RangeLossTest.cpp - what scaled tensors lose at both ends ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Numerics/Bounds.h"

#include "prec/Numerics/Random.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace prec;

namespace {

const FloatFormat &get(const char *name) { return *findFloatFormat(name); }

TEST(RangeLoss, ScaleMapsAmaxToTheLargestValue) {
  EXPECT_EQ(getScale(get("e4m3"), 2), 224);
  EXPECT_EQ(getScale(get("e4m3"), 2, /*margin=*/1), 112);
  EXPECT_EQ(getScale(get("e5m2"), 57344), 1);
  // A zero tensor: the guard keeps the scale finite.
  EXPECT_DOUBLE_EQ(getScale(get("e4m3"), 0), 448e12);
  EXPECT_EQ(get("e4m3").round(0 * getScale(get("e4m3"), 0)), 0);
}

/// Fractions of normally distributed values against rounding them.
TEST(RangeLoss, IsWhatRoundingDoes) {
  constexpr int kValues = 200000;
  Random random(5);
  for (const char *name : {"e4m3", "e5m2", "f16"})
    for (double scale : {0x1p-12, 0x1p-6, 1.0, 100.0, 1000.0}) {
      const FloatFormat &format = get(name);
      int under = 0, over = 0;
      for (int i = 0; i < kValues; ++i) {
        double value = 0.5 * random.getNormal() * scale;
        under += format.round(value) == 0;
        over += std::abs(value) > format.maxFinite;
      }
      RangeLoss loss = getRangeLoss(format, 0.5, scale);
      auto check = [&](double expected, int count) {
        double deviation = std::sqrt(expected * (1 - expected) / kValues);
        EXPECT_NEAR(expected, double(count) / kValues, 5 * deviation + 1e-9)
            << name << " " << scale;
      };
      check(loss.underflow, under);
      check(loss.overflow, over);
    }
  EXPECT_EQ(getRangeLoss(get("e4m3"), 0, 1).underflow, 0);
}

/// Delayed scaling: a tensor that doubled since its amax was taken.
TEST(RangeLoss, AStaleScaleOverflows) {
  const FloatFormat &e4m3 = get("e4m3");
  double scale = getScale(e4m3, 4.5);
  EXPECT_LT(getRangeLoss(e4m3, 1, scale).overflow, 1e-5);
  EXPECT_NEAR(getRangeLoss(e4m3, 2, scale).overflow, 0.0244, 0.0001);
  EXPECT_LT(getRangeLoss(e4m3, 2, getScale(e4m3, 4.5, 1)).overflow, 1e-5);
}

/// Expected SQNR against a real tensor: normal values are near it, too.
TEST(RangeLoss, SqnrFollowsTheMantissa) {
  Random random(6);
  for (const char *name : {"bf16", "f16", "e4m3", "e5m2"}) {
    const FloatFormat &format = get(name);
    double scale = getScale(format, 8);
    double signal = 0, noise = 0;
    for (int i = 0; i < 200000; ++i) {
      double value = random.getNormal() * scale;
      double error = format.round(value) - value;
      signal += value * value;
      noise += error * error;
    }
    EXPECT_NEAR(10 * std::log10(signal / noise), getExpectedSqnr(format), 1)
        << name;
  }
  EXPECT_NEAR(getExpectedSqnr(get("e4m3")), 32.2, 0.1);
  EXPECT_NEAR(getExpectedSqnr(get("e5m2")), 26.2, 0.1);
}

} // namespace
