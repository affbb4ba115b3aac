//===- UpdateSurvivalTest.cpp - do updates reach a master weight? ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Numerics/Bounds.h"

#include "prec/Numerics/Random.h"

#include "gtest/gtest.h"

#include <cmath>
#include <vector>

using namespace prec;

namespace {

/// The bound against rounding itself, for updates away from zero.
TEST(UpdateSurvival, IsWhatRoundingDoes) {
  Random random(1);
  for (const FloatFormat &format : getFloatFormats()) {
    int survived = 0;
    for (int i = 0; i < 20000; ++i) {
      double weight = format.round(random.getNormal());
      double update = std::copysign(format.getUlp(weight) *
                                        std::exp2(2 * random.getNormal() - 1),
                                    weight);
      UpdateSurvival survival = getUpdateSurvival(format, weight, update);
      bool moved = format.round(weight + update) != weight;
      // At exactly half an ulp an even weight stays.
      bool isDecided =
          survival.ratio != 1 && std::abs(weight) < format.maxFinite;
      ASSERT_TRUE(!isDecided || moved == survival.survives)
          << format.name.str() << " " << weight << " + " << update;
      survived += survival.survives;
    }
    EXPECT_GT(survived, 5000);
    EXPECT_LT(survived, 15000);
  }
}

/// Towards zero from a power of two the ulp is half as wide.
TEST(UpdateSurvival, IsEasierBelowAPowerOfTwo) {
  const FloatFormat &e4m3 = *findFloatFormat("e4m3");
  EXPECT_EQ(getUpdateSurvival(e4m3, 1, 0.05).halfUlp, 0.0625);
  EXPECT_FALSE(getUpdateSurvival(e4m3, 1, 0.05).survives);
  EXPECT_EQ(e4m3.round(1 + 0.05), 1);
  EXPECT_EQ(e4m3.round(1 - 0.05), 0.9375);
}

TEST(UpdateSurvival, LargestMovedWeightIsTheEndOfABinade) {
  const FloatFormat &bf16 = *findFloatFormat("bf16");
  for (double update : {1e-6, 3e-4, 0x1p-9, 0.7}) {
    double end = getLargestMovedWeight(bf16, update);
    double below = std::nextafter(end, 0);
    EXPECT_TRUE(getUpdateSurvival(bf16, below, update).survives);
    EXPECT_FALSE(getUpdateSurvival(bf16, end, update).survives);
  }
  EXPECT_EQ(getLargestMovedWeight(bf16, 1e-50), 0);
  EXPECT_TRUE(std::isinf(getLargestMovedWeight(*findFloatFormat("e4m3"), 20)));
}

/// The part of a Gaussian parameter that moves, against rounding it.
TEST(UpdateSurvival, MovedFractionIsWhatRoundingDoes) {
  constexpr int kWeights = 50000;
  Random random(2);
  for (const char *name : {"bf16", "f16", "e4m3"})
    for (double update : {1e-6, 1e-5, 1e-4, 1e-3}) {
      const FloatFormat &format = *findFloatFormat(name);
      int moved = 0;
      for (int i = 0; i < kWeights; ++i) {
        double weight = format.round(0.02 * random.getNormal());
        moved += format.round(weight + std::copysign(update, weight)) != weight;
      }
      // Three deviations of that many draws, and rounding of the weights to
      // the edges of binades.
      EXPECT_NEAR(getMovedFraction(format, 0.02, update),
                  double(moved) / kWeights, 0.01 + 2 * format.getUnitRoundoff())
          << name << " " << update;
    }
  EXPECT_EQ(getMovedFraction(*findFloatFormat("bf16"), 0, 1e-3), 1);
}

/// The table of docs/Bounds.md.
TEST(UpdateSurvival, MovedFractionsOfInitialWeights) {
  auto getPercent = [](const char *name, double update) {
    return std::lround(100 *
                       getMovedFraction(*findFloatFormat(name), 0.02, update));
  };
  EXPECT_EQ(getPercent("e4m3", 1e-3), 88);
  EXPECT_EQ(getPercent("e4m3", 3e-4), 0);
  EXPECT_EQ(getPercent("bf16", 3e-4), 100);
  EXPECT_EQ(getPercent("bf16", 1e-4), 88);
  EXPECT_EQ(getPercent("bf16", 1e-5), 15);
  EXPECT_EQ(getPercent("bf16", 1e-6), 2);
  EXPECT_EQ(getPercent("f16", 1e-6), 15);
  EXPECT_EQ(getPercent("f32", 1e-6), 100);
}

/// Adam with bias correction, as PyTorch runs it, on a gradient that is zero
/// but for one step, and on a constant one.
TEST(UpdateSurvival, AdamStepsStayBelowTheirBound) {
  for (auto [beta1, beta2] : {std::pair(0.9, 0.999), {0.9, 0.95}, {0.9, 0.99}})
    for (bool isSparse : {false, true}) {
      double m = 0, v = 0, largest = 0;
      constexpr int kSteps = 5000;
      for (int t = 1; t <= kSteps; ++t) {
        double g = isSparse ? (t == kSteps ? 1 : 0) : 1;
        m = beta1 * m + (1 - beta1) * g;
        v = beta2 * v + (1 - beta2) * g * g;
        double mHat = m / (1 - std::pow(beta1, t));
        double vHat = v / (1 - std::pow(beta2, t));
        largest = std::max(largest, 3e-4 * mHat / (std::sqrt(vHat) + 1e-8));
      }
      double bound = getLargestAdamStep(3e-4, beta1, beta2);
      EXPECT_LE(largest, bound * (1 + 1e-9));
      bool isTight = isSparse == ((1 - beta1) > std::sqrt(1 - beta2));
      EXPECT_TRUE(!isTight || largest > bound * 0.99);
    }
}

} // namespace
