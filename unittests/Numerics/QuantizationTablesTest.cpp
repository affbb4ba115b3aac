//===- QuantizationTablesTest.cpp - published tables, with real rounding --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables and claims of "Understanding Mixed-Precision Training".
//
//===----------------------------------------------------------------------===//
#include "prec/Numerics/Accumulation.h"
#include "prec/Numerics/Bounds.h"

#include "prec/Numerics/Random.h"

#include "gtest/gtest.h"

#include <cmath>
#include <vector>

using namespace prec;

namespace {

const FloatFormat &get(const char *name) { return *findFloatFormat(name); }

/// "Step size of 0.125 compared to FP16 (0.000976562) or BF16 (0.0078125)."
TEST(QuantizationTables, StepSizes) {
  EXPECT_EQ(get("e4m3").getUlp(1), 0.125);
  EXPECT_NEAR(get("f16").getUlp(1), 0.000976562, 1e-9);
  EXPECT_EQ(get("bf16").getUlp(1), 0.0078125);
}

/// The table "loss of precision", to the digits it prints.
TEST(QuantizationTables, LossOfPrecision) {
  const double inputs[] = {-1.51039, 0.412776, -0.348471, -1.17588};
  const double bf16[] = {-1.50781, 0.412109, -0.347656, -1.17969};
  const double f16[] = {-1.51074, 0.412842, -0.348389, -1.17578};
  const double e4m3[] = {-1.5, 0.40625, -0.34375, -1.125};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(get("bf16").round(inputs[i]), bf16[i], 1e-5);
    EXPECT_NEAR(get("f16").round(inputs[i]), f16[i], 1e-5);
    EXPECT_EQ(get("e4m3").round(inputs[i]), e4m3[i]);
  }
}

/// The table "overflow". NaN as there; conversions that saturate, which GPUs
/// and current PyTorch have, give 448.
TEST(QuantizationTables, OverflowTable) {
  const FloatFormat &e4m3 = get("e4m3");
  EXPECT_TRUE(std::isnan(e4m3.round(2438.37, Overflow::Special)));
  EXPECT_EQ(e4m3.round(-440.6, Overflow::Special), -448);
  EXPECT_TRUE(std::isnan(e4m3.round(857.116, Overflow::Special)));
  EXPECT_EQ(e4m3.round(129.765, Overflow::Special), 128);
  EXPECT_EQ(e4m3.round(2438.37), 448);
}

/// The table "underflow".
TEST(QuantizationTables, UnderflowTable) {
  const FloatFormat &e4m3 = get("e4m3");
  EXPECT_EQ(e4m3.round(0.000719602), 0);
  EXPECT_EQ(e4m3.round(-0.000107368), 0);
  EXPECT_TRUE(std::signbit(e4m3.round(-0.000107368)));
  EXPECT_EQ(e4m3.round(0.000573265), 0);
  EXPECT_NEAR(e4m3.round(0.00208493), 0.00195312, 1e-8);
}

/// "Near a weight of 5 an update smaller than the step is as good as none":
/// smaller than half the step.
TEST(QuantizationTables, UpdatesOfAWeightOfFive) {
  const FloatFormat &e4m3 = get("e4m3");
  EXPECT_EQ(e4m3.getUlp(5), 0.5);
  EXPECT_EQ(e4m3.round(5 + 0.24), 5);
  EXPECT_EQ(e4m3.round(5 + 0.26), 5.5);
}

/// FP16 gradients: what loss scaling brings back.
TEST(QuantizationTables, LossScaling) {
  const FloatFormat &f16 = get("f16");
  constexpr double kGradient = 1e-8, kScale = 64;
  EXPECT_EQ(f16.round(kGradient), 0);
  double unscaled = f16.round(kGradient * kScale) / kScale;
  EXPECT_NEAR(unscaled, kGradient, 0.1 * kGradient);
}

/// "Accumulating FP8 products into FP16 buffers can already introduce up to 2 %
/// error": DeepSeek-V3's figure is about the tensor cores' accumulator at
/// K = 4096 (AccumulationTest). A real FP16 sum of that many products is off by
/// less for factors of mean zero, and by more for positive ones.
TEST(QuantizationTables, AccumulationInF16) {
  const FloatFormat &e4m3 = get("e4m3"), &f16 = get("f16");
  Random random(4);
  auto getError = [&](const FloatFormat &format, bool positive) {
    double error = 0, size = 0;
    for (int sample = 0; sample < 64; ++sample) {
      double sum = 0, exact = 0;
      for (int i = 0; i < 4096; ++i) {
        double a = e4m3.round(random.getNormal()),
               b = e4m3.round(random.getNormal());
        double product = positive ? std::abs(a * b) : a * b;
        exact += product;
        sum = format.round(sum + product);
      }
      error += (sum - exact) * (sum - exact);
      size += exact * exact;
    }
    return std::sqrt(error / size);
  };
  EXPECT_NEAR(getError(f16, false), 0.009, 0.006);
  EXPECT_GT(getError(f16, true), 0.005);
  EXPECT_GT(getError(e4m3, true), 0.9) << "a sum in E4M3 stops growing at once";
  EXPECT_LT(getError(get("f32"), false), 1e-5);
}

double getSqnr(const std::vector<double> &values,
               llvm::function_ref<double(size_t)> quantized) {
  double signal = 0, noise = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    double error = quantized(i) - values[i];
    signal += values[i] * values[i];
    noise += error * error;
  }
  return 10 * std::log10(signal / noise);
}

double getAmax(llvm::ArrayRef<double> values) {
  double amax = 0;
  for (double value : values)
    amax = std::max(amax, std::abs(value));
  return amax;
}

/// "Dividing by the maximum rescales into the representable range": to
/// [-1, 1], which in a float format with subnormals wastes the upper half of
/// the range. Scaling to the format's largest value does not.
TEST(QuantizationTables, ScalingToOneWastesRange) {
  const FloatFormat &e4m3 = get("e4m3");
  Random random(8);
  std::vector<double> values(1 << 14);
  for (double &value : values)
    value = std::exp(2 * random.getNormal());
  double amax = getAmax(values);
  auto countLost = [&](double scale) {
    int lost = 0;
    for (double value : values)
      lost += e4m3.round(value * scale) == 0;
    return lost;
  };
  EXPECT_GT(countLost(1 / amax), 20 * countLost(getScale(e4m3, amax)));
}

/// "A single outlier forces all others into a smaller range": per tensor the
/// rest underflows, per block of 128 only the outlier's own block does.
TEST(QuantizationTables, BlocksConfineAnOutlier) {
  const FloatFormat &e4m3 = get("e4m3");
  constexpr size_t kBlock = 128;
  Random random(12);
  std::vector<double> values(64 * kBlock);
  for (double &value : values)
    value = 1e-3 * random.getNormal();
  std::vector<double> rest(values.begin() + kBlock, values.end());
  values[5] = 3000;
  auto quantize = [&](size_t i, size_t block) {
    size_t first = i / block * block;
    double scale = getScale(
        e4m3, getAmax(llvm::ArrayRef<double>(values).slice(first, block)));
    return e4m3.round(values[i] * scale) / scale;
  };
  double tensor = getSqnr(
      rest, [&](size_t i) { return quantize(i + kBlock, values.size()); });
  double blocks =
      getSqnr(rest, [&](size_t i) { return quantize(i + kBlock, kBlock); });
  EXPECT_LT(tensor, 5);
  EXPECT_NEAR(blocks, getExpectedSqnr(e4m3), 1.5);
}

struct ProductError {
  double scaled, plain;
};

/// Products of two vectors read in BF16, scaled by their maxima and not.
ProductError getProductError(size_t length, int samples) {
  const FloatFormat &bf16 = get("bf16");
  Random random(13);
  double scaledError = 0, plainError = 0, size = 0;
  std::vector<double> x(length), w(length);
  for (int sample = 0; sample < samples; ++sample) {
    for (size_t i = 0; i < length; ++i) {
      x[i] = random.getNormal();
      w[i] = random.getNormal();
    }
    double exact = 0, scaled = 0, plain = 0;
    double sx = 1 / getAmax(x), sw = 1 / getAmax(w);
    for (size_t i = 0; i < length; ++i) {
      exact += x[i] * w[i];
      scaled += bf16.round(x[i] * sx) * bf16.round(w[i] * sw);
      plain += bf16.round(x[i]) * bf16.round(w[i]);
    }
    scaled /= sx * sw;
    scaledError += (scaled - exact) * (scaled - exact);
    plainError += (plain - exact) * (plain - exact);
    size += exact * exact;
  }
  return {std::sqrt(scaledError / size), std::sqrt(plainError / size)};
}

/// "Error: 0.16 %" of one product of four elements is a usual draw. Scaling
/// helps there only because it makes the largest element exactly 1; for long
/// vectors it does nothing, BF16 has range enough.
TEST(QuantizationTables, ScaledProducts) {
  EXPECT_NEAR(getProductError(4, 20000).scaled, 0.0014, 0.0003);
  ProductError error = getProductError(1024, 500);
  EXPECT_NEAR(error.plain, 0.0023, 0.0004);
  EXPECT_NEAR(error.scaled / error.plain, 1, 0.15);
}

} // namespace
