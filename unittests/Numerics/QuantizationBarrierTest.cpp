//===- QuantizationBarrierTest.cpp - small updates, with real rounding ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates below a format's ulp: plain rounding, stochastic rounding and the
// precision-aware search for a learning rate.
//
//===----------------------------------------------------------------------===//
#include "prec/Numerics/Bounds.h"

#include "prec/Numerics/Random.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include "gtest/gtest.h"

#include <cmath>
#include <vector>

using namespace prec;

namespace {

const FloatFormat &get(const char *name) { return *findFloatFormat(name); }

/// "The update vanishes entirely."
TEST(QuantizationBarrier, TheExampleOfThreeQuarters) {
  const FloatFormat &e4m3 = get("e4m3");
  EXPECT_EQ(e4m3.round(0.75), 0.75);
  EXPECT_EQ(e4m3.round(0.8125), 0.8125);
  EXPECT_EQ(e4m3.getUlp(0.75), 0.0625);
  EXPECT_EQ(e4m3.round(0.75 + 0.03), 0.75);
  EXPECT_EQ(e4m3.round(0.75 + 0.032), 0.8125);
  EXPECT_FALSE(getUpdateSurvival(e4m3, 0.75, 0.03).survives);
}

/// A tensor of parameters in a format and a full-precision update.
struct Experiment {
  explicit Experiment(const char *name) : format(get(name)) {
    Random random(0);
    for (int i = 0; i < 1 << 16; ++i) {
      params.push_back(format.round(random.getNormal()));
      update.push_back(random.getNormal());
    }
  }

  /// Norm of the change that `apply` makes, relative to that of the update in
  /// full precision.
  double getMagnitude(double rate,
                      llvm::function_ref<double(double)> round) const {
    double changed = 0, wanted = 0;
    for (size_t i = 0; i < params.size(); ++i) {
      double change = round(params[i] + rate * update[i]) - params[i];
      changed += change * change;
      wanted += rate * update[i] * rate * update[i];
    }
    return std::sqrt(changed / wanted);
  }
  double getNaive(double rate) const {
    return getMagnitude(rate, [&](double x) { return format.round(x); });
  }

  const FloatFormat &format;
  std::vector<double> params, update;
};

/// "Naive addition zeros out rapidly": once all updates are far below half a
/// ulp. Just above, plain rounding exaggerates: the few that land move by
/// a whole ulp.
TEST(QuantizationBarrier, NaiveAdditionZeroesOut) {
  for (const char *name : {"e4m3", "f16", "bf16"}) {
    Experiment experiment(name);
    double u = experiment.format.getUnitRoundoff();
    EXPECT_NEAR(experiment.getNaive(16 * u), 1, 0.05) << name;
    EXPECT_LT(experiment.getNaive(u / 256), 0.5) << name;
    EXPECT_GT(experiment.getNaive(u / 4), experiment.getNaive(u / 256));
  }
}

/// What the bound says of the parameter is what rounding does to it.
TEST(QuantizationBarrier, MovedFractionFollowsTheBound) {
  Experiment experiment("bf16");
  for (double rate : {1e-2, 1e-3, 1e-4, 1e-5}) {
    int moved = 0;
    double expected = 0;
    for (size_t i = 0; i < experiment.params.size(); ++i) {
      double step = rate * experiment.update[i];
      moved += experiment.format.round(experiment.params[i] + step) !=
               experiment.params[i];
      expected += getMovedFraction(experiment.format, 1, step);
    }
    EXPECT_NEAR(moved / expected, 1, 0.1) << rate;
  }
}

/// Stochastic rounding moves the tensor by the update on average, at any rate;
/// what grows as the rate falls is the noise around it.
TEST(QuantizationBarrier, StochasticRoundingKeepsTheMean) {
  Experiment experiment("bf16");
  Random random(9);
  double lastNoise = 0;
  for (double rate : {1e-2, 1e-3, 1e-4}) {
    double along = 0, wanted = 0;
    double magnitude = experiment.getMagnitude(rate, [&](double x) {
      return experiment.format.roundStochastically(x, random.getUniform());
    });
    Random again(9);
    for (size_t i = 0; i < experiment.params.size(); ++i) {
      double step = rate * experiment.update[i];
      double change = experiment.format.roundStochastically(
                          experiment.params[i] + step, again.getUniform()) -
                      experiment.params[i];
      along += change * step;
      wanted += step * step;
    }
    // Four deviations of the projection onto the update.
    EXPECT_NEAR(along / wanted, 1,
                4 * magnitude / std::sqrt(double(experiment.params.size())));
    EXPECT_GT(magnitude, lastNoise);
    lastNoise = magnitude;
  }
}

/// The search of the article, as it stands there: a factor for the update
/// whose effect has norm `rate` times that of the update, squared norms on both
/// sides.
double searchFactor(const Experiment &experiment, double rate) {
  double norm = 0;
  for (double step : experiment.update)
    norm += step * step;
  double low = 0, high = 1, factor = 0;
  for (int i = 0; i < 32; ++i) {
    factor = (low + high) / 2;
    double actual = 0;
    for (size_t j = 0; j < experiment.params.size(); ++j) {
      double change = experiment.format.round(experiment.params[j] +
                                              factor * experiment.update[j]) -
                      experiment.params[j];
      actual += change * change;
    }
    if (std::abs(actual - rate * norm) < 1e-2 * rate * norm)
      break;
    (actual < rate * norm ? low : high) = factor;
  }
  return factor;
}

/// It compares squared norms with the rate itself, so what it finds is the root
/// of the rate: a step 1000 times too large at a rate of 1e-6.
TEST(QuantizationBarrier, TheSearchFindsTheRootOfTheRate) {
  Experiment experiment("f32");
  for (double rate : {1e-2, 1e-4, 1e-6})
    EXPECT_NEAR(searchFactor(experiment, rate) / std::sqrt(rate), 1, 0.01);
  // With the rate squared it finds the rate.
  EXPECT_NEAR(searchFactor(experiment, 1e-6) / 1e-3, 1, 0.01);
}

/// With that mended it keeps the norm where plain rounding loses it, by moving
/// few weights far: the direction is gone.
TEST(QuantizationBarrier, TheSearchKeepsTheNormButNotTheDirection) {
  Experiment experiment("bf16");
  constexpr double kRate = 1e-5;
  double factor = searchFactor(experiment, kRate * kRate);
  double changed = 0, wanted = 0, along = 0;
  for (size_t i = 0; i < experiment.params.size(); ++i) {
    double change = experiment.format.round(experiment.params[i] +
                                            factor * experiment.update[i]) -
                    experiment.params[i];
    double step = kRate * experiment.update[i];
    changed += change * change;
    wanted += step * step;
    along += change * step;
  }
  EXPECT_NEAR(std::sqrt(changed / wanted), 1, 0.1);
  double cosine = along / std::sqrt(changed * wanted);
  EXPECT_LT(cosine, 0.3);
  EXPECT_GT(cosine, 0);
}

} // namespace
