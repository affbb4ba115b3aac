//===- SoftmaxTest.cpp - probabilities and logits in narrow formats -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Numerics/Bounds.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace prec;

namespace {

const FloatFormat &get(const char *name) { return *findFloatFormat(name); }

TEST(Softmax, LargestGapIsWhereTheTailIsLost) {
  for (const FloatFormat &format : getFloatFormats()) {
    double gap = getLargestSoftmaxGap(format);
    EXPECT_FALSE(getSoftmaxTail(format, gap - 1e-6).isLost);
    EXPECT_TRUE(getSoftmaxTail(format, gap + 1e-6).isLost);
  }
  EXPECT_NEAR(getLargestSoftmaxGap(get("e4m3")), 6.93, 0.01);
  EXPECT_NEAR(getLargestSoftmaxGap(get("e5m2")), 11.78, 0.01);
  EXPECT_NEAR(getLargestSoftmaxGap(get("f16")), 17.33, 0.01);
  EXPECT_NEAR(getLargestSoftmaxGap(get("bf16")), 92.9, 0.1);
  EXPECT_NEAR(getLargestSoftmaxGap(get("f32")), 103.97, 0.01);
}

/// The tail keeps its magnitude in BF16, to its unit roundoff.
TEST(Softmax, Bf16KeepsTheTail) {
  for (double gap : {15.0, 30.0, 60.0}) {
    SoftmaxTail tail = getSoftmaxTail(get("bf16"), gap);
    EXPECT_FALSE(tail.isLost);
    EXPECT_NEAR(tail.stored / tail.probability, 1, 0x1p-8);
  }
}

TEST(Softmax, LogitsOfThirtyAreOffByAUnitInE4M3) {
  LogitRange e4m3 = getLogitRange(get("e4m3"), 30);
  EXPECT_FALSE(e4m3.overflows);
  EXPECT_EQ(e4m3.error, 1);
  EXPECT_NEAR(e4m3.probabilityFactor, 2.718, 0.001);
  LogitRange bf16 = getLogitRange(get("bf16"), 30);
  EXPECT_EQ(bf16.error, 0x1p-4);
  EXPECT_NEAR(bf16.probabilityFactor, 1.064, 0.001);
  EXPECT_TRUE(getLogitRange(get("e4m3"), 449).overflows);
  EXPECT_FALSE(getLogitRange(get("bf16"), 449).overflows);
}

} // namespace
