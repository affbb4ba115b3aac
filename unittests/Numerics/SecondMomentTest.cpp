//===- SecondMomentTest.cpp - Adam's moments in narrow formats ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Numerics/Bounds.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace prec;

namespace {

const FloatFormat &get(const char *name) { return *findFloatFormat(name); }

/// The bound against a real loop: from zero, under a constant gradient.
TEST(SecondMoment, UnderflowIsWhatTheLoopDoes) {
  for (const FloatFormat &format : getFloatFormats())
    for (double gradient : {1e-22, 1e-12, 1e-6, 3e-4, 1e-2, 1.0})
      for (double beta2 : {0.95, 0.999}) {
        AdamInputs in;
        in.beta2 = beta2;
        in.gradient = gradient;
        for (int step = 0; step < 100; ++step)
          in.secondMoment = getAdamStep(in, format).secondMoment;
        EXPECT_EQ(
            in.secondMoment == 0,
            getSecondMomentUnderflow(format, beta2, gradient, 1e-8).isLost)
            << format.name.str() << " " << gradient;
      }
}

/// Formats by what the smallest gradient is that leaves a trace in v.
TEST(SecondMoment, SmallestGradients) {
  auto isLost = [](const char *name, double gradient, double scale = 1) {
    return getSecondMomentUnderflow(get(name), 0.95, gradient, 1e-8, scale)
        .isLost;
  };
  EXPECT_TRUE(isLost("e4m3", 0.1));
  EXPECT_FALSE(isLost("e4m3", 0.2));
  EXPECT_TRUE(isLost("f16", 7e-4));
  EXPECT_FALSE(isLost("f16", 8e-4));
  EXPECT_FALSE(isLost("bf16", 1e-18));
  EXPECT_TRUE(isLost("bf16", 1e-20));
  // A block of moments scaled to its amax of 1e-7 holds what 3e-4 adds.
  EXPECT_FALSE(isLost("e4m3", 3e-4, 1e-7 / 448));
}

TEST(SecondMoment, ALostMomentMakesTheStepExplode) {
  SecondMomentUnderflow underflow =
      getSecondMomentUnderflow(get("e4m3"), 0.95, 3e-4, 1e-8);
  EXPECT_TRUE(underflow.isLost);
  EXPECT_NEAR(underflow.growth, 3e4, 10);
  EXPECT_DOUBLE_EQ(underflow.smallest, 0x1p-9);
}

/// Brute force over every significand.
TEST(SecondMoment, DecaysUnlessItsUlpIsTooWide) {
  for (const char *name : {"bf16", "f16", "e5m2", "e4m3"})
    for (double beta2 : {0.9, 0.95, 0.99, 0.995, 0.998, 0.999, 0.9999}) {
      const FloatFormat &format = get(name);
      bool decays = true;
      for (int i = 0; i < 1 << format.mantissaBits; ++i) {
        double v = 1 + i * format.getUlp(1);
        decays &= format.round(beta2 * v) < v;
      }
      EXPECT_EQ(doesMomentDecay(format, beta2), decays) << name << " " << beta2;
    }
  // BF16 moments need beta2 below 0.9961: DeepSeek-V3's 0.95 is, PyTorch's
  // default of 0.999 is not.
  EXPECT_TRUE(doesMomentDecay(get("bf16"), 0.95));
  EXPECT_FALSE(doesMomentDecay(get("bf16"), 0.999));
}

/// A BF16 second moment with beta2 = 0.999 never forgets a spike.
TEST(SecondMoment, Bf16NeverForgetsASpike) {
  auto run = [](const char *name, double beta2) {
    AdamInputs in;
    in.beta2 = beta2;
    in.secondMoment = 1;
    in.gradient = 1e-4;
    for (int step = 0; step < 20000; ++step)
      in.secondMoment = getAdamStep(in, get(name)).secondMoment;
    return in.secondMoment;
  };
  EXPECT_EQ(run("bf16", 0.999), 1);
  EXPECT_LT(run("f32", 0.999), 2e-8);
  EXPECT_LT(run("bf16", 0.95), 2e-8);
}

} // namespace
