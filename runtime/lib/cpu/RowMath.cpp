//===- RowMath.cpp - softmax over rows of f32 -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RowMath.h"

#include "FloatConvert.h"
#include "Multiversion.h"

#include <limits>

using namespace prec::rt;

static constexpr int lanes = 16;

PREC_RT_MULTIVERSION
float prec::rt::rowMax(const float *row, int64_t count) {
  float partial[lanes];
  for (float &value : partial)
    value = -std::numeric_limits<float>::infinity();
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int lane = 0; lane < lanes; ++lane)
      partial[lane] =
          row[i + lane] > partial[lane] ? row[i + lane] : partial[lane];
  for (; i < count; ++i)
    partial[0] = row[i] > partial[0] ? row[i] : partial[0];
  for (int lane = 1; lane < lanes; ++lane)
    partial[0] = partial[lane] > partial[0] ? partial[lane] : partial[0];
  return partial[0];
}

static inline float sumOf(const float (&partial)[lanes]) {
  float sum = 0;
  for (float value : partial)
    sum += value;
  return sum;
}

PREC_RT_MULTIVERSION
float prec::rt::rowDot(const float *a, const float *b, int64_t count) {
  float partial[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int lane = 0; lane < lanes; ++lane)
      partial[lane] += a[i + lane] * b[i + lane];
  for (; i < count; ++i)
    partial[0] += a[i] * b[i];
  return sumOf(partial);
}

/// exp(x) = 2^n * exp(r), |r| <= ln2/2, with the Taylor polynomial to r^7/7!
/// (remainder below 2^-27). Below -87.3, where the result would be subnormal,
/// gives zero; above 88.7 infinity; NaN stays.
static inline float expOne(float x) {
  constexpr float log2e = 1.44269504f, ln2High = 0.693359375f,
                  ln2Low = -2.12194440e-4f, roundMagic = 12582912.0f;
  float clamped = x < -87.3f ? -87.3f : x;
  clamped = clamped > 88.7f ? 88.7f : clamped;
  float shifted = clamped * log2e + roundMagic;
  float n = shifted - roundMagic;
  float r = (clamped - n * ln2High) - n * ln2Low;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  // Two factors, as 2^128 alone is no f32.
  int32_t exponent = static_cast<int32_t>(bitsOf(shifted) - 0x4b400000u);
  int32_t half = exponent >> 1;
  float result = p * floatOf(static_cast<uint32_t>(half + 127) << 23) *
                 floatOf(static_cast<uint32_t>(exponent - half + 127) << 23);
  result = x < -87.3f ? 0.0f : result;
  result = x > 88.7f ? std::numeric_limits<float>::infinity() : result;
  return x != x ? x : result;
}

PREC_RT_MULTIVERSION
float prec::rt::rowExp(float *row, float shift, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    row[i] = expOne(row[i] - shift);
  float partial[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int lane = 0; lane < lanes; ++lane)
      partial[lane] += row[i + lane];
  for (; i < count; ++i)
    partial[0] += row[i];
  return sumOf(partial);
}

PREC_RT_MULTIVERSION
void prec::rt::rowScale(float *row, float factor, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    row[i] *= factor;
}

PREC_RT_MULTIVERSION
void prec::rt::rowSoftmaxGradient(const float *p, float *dp, float delta,
                                  float scale, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    dp[i] = p[i] * (dp[i] - delta) * scale;
}

PREC_RT_MULTIVERSION
void prec::rt::rowAdd(float *sum, const float *addend, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    sum[i] += addend[i];
}

PREC_RT_MULTIVERSION
void prec::rt::rowAddScaled(float *sum, const float *addend,
                            const float *columnFactors, float rowFactor,
                            int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    sum[i] += addend[i] * columnFactors[i] * rowFactor;
}
