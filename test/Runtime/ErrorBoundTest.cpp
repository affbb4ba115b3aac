//===- ErrorBoundTest.cpp - bounds hold, and are not slack ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConvShape.h"
#include "ErrorBound.h"
#include "FloatConvert.h"
#include "NormalDeviate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace prec::rt;

namespace {

std::vector<float> deviates(int64_t count, uint64_t seed) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = normalDeviate(seed, i, 0, 1);
  return values;
}

/// D = A B^T, [m,k] x [n,k], with buffers a = 0, b = 1, d = 2.
struct GemmCase {
  Manifest manifest;
  Command command;
  OperandValues values;

  GemmCase(int64_t m, int64_t n, int64_t k, DType operands, DType result,
           Accumulator accumulator = Accumulator::full) {
    manifest.buffers = {{Segment::workspace, 0, operands, {m, k}},
                        {Segment::workspace, 0, operands, {n, k}},
                        {Segment::workspace, 0, result, {m, n}}};
    command.kind = CommandKind::gemm;
    Gemm &gemm = command.gemm;
    gemm.m = m, gemm.n = n, gemm.k = k;
    gemm.a = 0, gemm.b = 1, gemm.d = 2;
    gemm.transposeB = true;
    gemm.strideA = m * k, gemm.strideB = n * k, gemm.strideD = m * n;
    gemm.accumulator = accumulator;
    command.accumulation = k;
    values.before[0] = deviates(m * k, 1);
    values.before[1] = deviates(n * k, 2);
    roundTo(operands, values.before[0].data(), m * k);
    roundTo(operands, values.before[1].data(), n * k);
    values.after[2] = multiply(k, [](float sum) { return sum; });
  }

  /// Sums in `chunk`s, each passed through `truncate` after every addition.
  template <typename Truncate>
  std::vector<float> multiply(int64_t chunk, Truncate truncate) {
    const Gemm &g = command.gemm;
    std::vector<float> d(g.m * g.n);
    for (int64_t i = 0; i < g.m; ++i)
      for (int64_t j = 0; j < g.n; ++j) {
        float total = 0;
        for (int64_t start = 0; start < g.k; start += chunk) {
          float sum = 0;
          for (int64_t l = start; l < std::min(g.k, start + chunk); ++l)
            sum = truncate(sum + values.before[0][i * g.k + l] *
                                     values.before[1][j * g.k + l]);
          total += sum;
        }
        d[i * g.n + j] = total;
      }
    roundTo(manifest.buffers[2].dtype, d.data(), d.size());
    return d;
  }

  Agreement compare(const std::vector<float> &other) {
    ThreadPool pool(2);
    return compareValues(manifest.buffers[2].dtype,
                         errorBound(manifest, command, 2, values, pool),
                         values.after[2], other, true, pool);
  }
};

float keepBits(float value, int bits) {
  return floatOf(bitsOf(value) & ~((1u << (23 - bits)) - 1));
}

TEST(ErrorBound, FormatsHaveTheirSpacing) {
  EXPECT_EQ(unitRoundoff(DType::f32), 0x1p-24);
  EXPECT_EQ(unitRoundoff(DType::bf16), 0x1p-8);
  EXPECT_EQ(unitRoundoff(DType::f8E4M3FN), 0x1p-4);
  EXPECT_EQ(spacing(DType::bf16, 1.5), 0x1p-7);
  EXPECT_EQ(spacing(DType::bf16, 2), 0x1p-6);
  EXPECT_EQ(spacing(DType::f8E4M3FN, 448), 32);
  EXPECT_EQ(spacing(DType::f8E4M3FN, 0), 0x1p-9);
  EXPECT_EQ(spacing(DType::f8E5M2, 0x1p-16), 0x1p-16);
  EXPECT_EQ(spacing(DType::f16, 0x1p-20), 0x1p-24);
}

TEST(ErrorBound, SpacingIsTheDistanceOfNeighboringCodes) {
  for (int code = 0; code < 0x7e; ++code) {
    float value = fromF8E4M3FN(code);
    EXPECT_EQ(spacing(DType::f8E4M3FN, value), fromF8E4M3FN(code + 1) - value);
  }
  for (int code = 0; code < 0x7b; ++code) {
    float value = fromF8E5M2(code);
    EXPECT_EQ(spacing(DType::f8E5M2, value), fromF8E5M2(code + 1) - value);
  }
}

TEST(ErrorBound, ABiasMayRoundTheSumToItsOwnUlp) {
  ThreadPool pool(2);
  GemmCase gemm(4, 6, 8, DType::bf16, DType::f32);
  auto bound = [&] {
    return errorBound(gemm.manifest, gemm.command, 2, gemm.values, pool);
  };
  const double plain = bound()[1];
  gemm.manifest.buffers.push_back({Segment::workspace, 0, DType::f32, {6}});
  gemm.command.gemm.bias = 3;
  gemm.values.before[3] = {0, 0x1p20f, 0, 0, 0, 0};
  EXPECT_LT(plain, 0x1p-4);
  for (int64_t row = 0; row < 4; ++row)
    EXPECT_GE(bound()[row * 6 + 1], 0x1p20 * 0x1p-24);
}

TEST(ErrorBound, AnotherOrderOfAdditionAgrees) {
  for (DType result : {DType::f32, DType::bf16, DType::f8E5M2}) {
    GemmCase gemm(24, 40, 500, DType::bf16, result);
    auto plain = [](float sum) { return sum; };
    for (int64_t chunk : {1, 7, 64, 500})
      EXPECT_TRUE(gemm.compare(gemm.multiply(chunk, plain)).agrees);
  }
}

TEST(ErrorBound, ATruncatingAccumulatorAgrees) {
  GemmCase gemm(24, 40, 500, DType::bf16, DType::bf16);
  EXPECT_TRUE(
      gemm.compare(
              gemm.multiply(500, [](float sum) { return keepBits(sum, 22); }))
          .agrees);
}

TEST(ErrorBound, ScaleInvsOfRowsAndBlocksScaleTheirOwnElements) {
  constexpr int64_t m = 24, n = 40, k = 300;
  for (bool blocks : {false, true}) {
    GemmCase gemm(m, n, k, DType::f8E4M3FN, DType::f32);
    gemm.manifest.buffers.push_back(
        {Segment::workspace, 0, DType::f32,
         blocks ? std::vector<int64_t>{3, m} : std::vector{m}});
    gemm.command.gemm.scaleA = 3;
    gemm.command.gemm.scalingA =
        blocks ? prec::Scaling::Block1x128 : prec::Scaling::Row;
    int64_t last = blocks ? 2 : 0, depth = blocks ? 128 : k;
    // The last inverse scale of a row is the only large one; of one row it is
    // not.
    std::vector<float> &scaleInvs = gemm.values.before[3];
    scaleInvs.assign((last + 1) * m, 0x1p-12f);
    for (int64_t i = 1; i < m; ++i)
      scaleInvs[last * m + i] = 1;
    std::vector<float> plain = gemm.values.before[0];
    for (int64_t i = 0; i < m; ++i)
      for (int64_t l = 0; l < k; ++l)
        gemm.values.before[0][i * k + l] *= scaleInvs[l / depth * m + i];
    auto keep = [](float sum) { return sum; };
    gemm.values.after[2] = gemm.multiply(k, keep);
    std::vector<float> other = gemm.multiply(7, keep);
    gemm.values.before[0] = plain;
    EXPECT_TRUE(gemm.compare(other).agrees);
    // What the bound of a large row would allow in the small one.
    other[0] = gemm.values.after[2][0] + 0x1p-12f;
    EXPECT_FALSE(gemm.compare(other).agrees);
    other[0] = gemm.values.after[2][0];
    other[n] += 0x1p-12f;
    EXPECT_TRUE(gemm.compare(other).agrees);
  }
}

TEST(ErrorBound, Fp8AccumulatorsAgreeOnlyWithTheirOwnBound) {
  auto fourteenBits = [](float sum) { return keepBits(sum, 10); };
  GemmCase full(24, 40, 512, DType::f8E4M3FN, DType::f32);
  EXPECT_FALSE(full.compare(full.multiply(32, fourteenBits)).agrees);
  GemmCase fast(24, 40, 512, DType::f8E4M3FN, DType::f32, Accumulator::fast);
  auto thirteenBits = [](float sum) { return keepBits(sum, 13); };
  EXPECT_TRUE(fast.compare(fast.multiply(512, thirteenBits)).agrees);
  GemmCase promoted(24, 40, 512, DType::f8E4M3FN, DType::f32,
                    Accumulator::promoted);
  EXPECT_TRUE(promoted.compare(promoted.multiply(128, thirteenBits)).agrees);
}

TEST(ErrorBound, PromotedIsTighterThanFast) {
  for (int64_t k : {256, 1024, 8192}) {
    EXPECT_LT(accumulationError(k, Accumulator::promoted, true),
              accumulationError(k, Accumulator::fast, true));
    EXPECT_GT(accumulationError(k, Accumulator::promoted, true), 5 * 0x1p-13);
    EXPECT_EQ(accumulationError(k, Accumulator::fast, false),
              accumulationError(k, Accumulator::full, false));
  }
}

TEST(ErrorBound, MutantsOfAGemmDisagree) {
  for (DType result : {DType::f32, DType::bf16}) {
    GemmCase gemm(24, 40, 200, DType::bf16, result);
    std::vector<float> scaled = gemm.values.after[2];
    for (float &value : scaled)
      value *= 1.01f;
    EXPECT_FALSE(gemm.compare(scaled).agrees);

    std::vector<float> zeroed = gemm.values.after[2];
    zeroed[77] = 0;
    EXPECT_FALSE(gemm.compare(zeroed).agrees);

    // One of 200 products dropped.
    GemmCase shorter = gemm;
    for (int64_t i = 0; i < 24; ++i)
      shorter.values.before[0][i * 200 + 13] = 0;
    EXPECT_FALSE(
        gemm.compare(shorter.multiply(200, [](float s) { return s; })).agrees);

    std::vector<float> broken = gemm.values.after[2];
    broken[5] = NAN;
    EXPECT_FALSE(gemm.compare(broken).agrees);
  }
}

template <typename T>
Agreement compareStored(DType dtype, std::vector<T> reference,
                        std::vector<T> other) {
  auto bytes = [](const std::vector<T> &values) {
    auto *first = reinterpret_cast<const char *>(values.data());
    return std::vector<char>(first, first + values.size() * sizeof(T));
  };
  return compareIntegers(dtype, bytes(reference), bytes(other));
}

TEST(ErrorBound, IntegersAreEqualOrNot) {
  EXPECT_TRUE(
      compareStored<int8_t>(DType::i8, {-128, 127}, {-128, 127}).agrees);
  Agreement codes =
      compareStored<int8_t>(DType::i8, {1, -128, 3, 4}, {1, 127, 2, 4});
  EXPECT_FALSE(codes.agrees);
  EXPECT_EQ(codes.worst, 1);
  EXPECT_EQ(codes.reference, -128);
  EXPECT_EQ(codes.other, 127);
  EXPECT_EQ(codes.flips, 2);
  EXPECT_EQ(codes.maxDifference, 255);
  // To f32 and to f64 these are the same.
  EXPECT_FALSE(
      compareStored<int32_t>(DType::i32, {1 << 24}, {(1 << 24) + 1}).agrees);
  EXPECT_FALSE(compareStored<int64_t>(DType::i64, {int64_t(1) << 60},
                                      {(int64_t(1) << 60) + 1})
                   .agrees);
}

/// A kernel whose results are one array; its bound is of K = 1.
Agreement compareKernel(DType dtype, const std::vector<float> &reference,
                        const std::vector<float> &other) {
  Manifest manifest;
  manifest.buffers = {
      {Segment::workspace, 0, dtype, {static_cast<int64_t>(reference.size())}}};
  Command command;
  command.kind = CommandKind::kernel;
  OperandValues values;
  values.after[0] = reference;
  ThreadPool pool(2);
  return compareValues(dtype, errorBound(manifest, command, 0, values, pool),
                       reference, other, true, pool);
}

TEST(ErrorBound, KernelsMayDifferByFewUlp) {
  std::vector<float> exact = deviates(5000, 3), near = exact;
  for (float &value : near)
    value = std::nextafter(value, 0.0f);
  EXPECT_TRUE(compareKernel(DType::f32, exact, near).agrees);
  std::vector<float> rounded = exact, nearRounded = near;
  roundTo(DType::bf16, rounded.data(), rounded.size());
  roundTo(DType::bf16, nearRounded.data(), nearRounded.size());
  EXPECT_TRUE(compareKernel(DType::bf16, rounded, nearRounded).agrees);
}

TEST(ErrorBound, AnotherRoundingShowsInTheFlips) {
  std::vector<float> exact = deviates(5000, 3), rounded = exact, other = exact;
  roundTo(DType::bf16, rounded.data(), rounded.size());
  for (float &value : other)
    value = keepBits(value, 7);
  Agreement truncated = compareKernel(DType::bf16, rounded, other);
  EXPECT_LE(truncated.maxRatio, 1);
  EXPECT_FALSE(truncated.agrees);
  EXPECT_GT(truncated.flips, 2000);
  EXPECT_LT(truncated.expectedFlips, 200);
}

TEST(ErrorBound, CopiesAreExact) {
  Manifest manifest;
  manifest.buffers = {{Segment::workspace, 0, DType::f32, {3}}};
  Command command;
  command.kind = CommandKind::copy;
  OperandValues values;
  values.after[0] = {1, 2, 3};
  ThreadPool pool(1);
  std::vector<double> bound = errorBound(manifest, command, 0, values, pool);
  EXPECT_TRUE(compareValues(DType::f32, bound, {1, 2, 3}, {1, 2, 3}, true, pool)
                  .agrees);
  EXPECT_FALSE(compareValues(DType::f32, bound, {1, 2, 3},
                             {1, std::nextafter(2.f, 3.f), 3}, true, pool)
                   .agrees);
}

TEST(ErrorBound, BytesBetweenRanksAreExact) {
  Manifest manifest;
  manifest.buffers = {{Segment::workspace, 0, DType::f32, {3}}};
  OperandValues values;
  values.after[0] = {1, 2, 3};
  ThreadPool pool(1);
  for (CommandKind kind :
       {CommandKind::allGather, CommandKind::allToAll, CommandKind::ownSlice}) {
    Command command;
    command.kind = kind;
    EXPECT_EQ(errorBound(manifest, command, 0, values, pool),
              std::vector<double>(3, 0));
  }
}

/// A convolution over planes, with buffers x = 0, w = 1, y = 2, all of them
/// random; the result is computed by adding up products forwards or backwards.
struct ConvCase {
  Manifest manifest;
  Command command;
  OperandValues values;
  int result;

  ConvCase(const std::string &direction, int64_t groups)
      : result(direction == "fprop"   ? 2
               : direction == "dgrad" ? 0
                                      : 1) {
    manifest.buffers = {
        {Segment::workspace, 0, DType::f32, {2, 9, 8, 12}},
        {Segment::workspace, 0, DType::f32, {8, 3, 2, 12 / groups}},
        {Segment::workspace, 0, DType::f32, {2, 5, 4, 8}}};
    command.kind = CommandKind::conv;
    command.conv = {direction, 0, 1, 2, {2, 2}, {1, 0}, {1, 1}, {1, 2}, groups};
    for (int i = 0; i < 3; ++i)
      values.before[i] = deviates(manifest.buffers[i].elements(), i + 1);
    values.after[result] = add(/*isReversed=*/false, /*isDropping=*/false);
  }

  /// Without the first product of each element, if it drops.
  std::vector<float> add(bool isReversed, bool isDropping) const {
    const ConvShape s(manifest, command.conv);
    std::vector<std::vector<float>> products(
        manifest.buffers[result].elements());
    const float *x = values.before.at(0).data(),
                *w = values.before.at(1).data(),
                *y = values.before.at(2).data();
    for (int64_t p = 0; p < s.allPositions(); ++p)
      for (int64_t place = 0; place < s.places(); ++place) {
        const int64_t each = ConvShape::productOf(s.positions),
                      at = s.inputAt(ConvShape::split(p % each, s.positions),
                                     ConvShape::split(place, s.kernel));
        for (int64_t o = 0; at >= 0 && o < s.outputs; ++o)
          for (int64_t c = 0; c < s.groupChannels(); ++c) {
            const int64_t ofX =
                (p / each * ConvShape::productOf(s.sizes) + at) * s.channels +
                o / s.groupOutputs() * s.groupChannels() + c;
            const int64_t ofW =
                (o * s.places() + place) * s.groupChannels() + c;
            const int64_t ofY = p * s.outputs + o;
            if (result == 0)
              products[ofX].push_back(y[ofY] * w[ofW]);
            else if (result == 1)
              products[ofW].push_back(y[ofY] * x[ofX]);
            else
              products[ofY].push_back(x[ofX] * w[ofW]);
          }
      }
    std::vector<float> sums(products.size());
    for (size_t i = 0; i < sums.size(); ++i) {
      if (isReversed)
        std::reverse(products[i].begin(), products[i].end());
      for (size_t j = isDropping; j < products[i].size(); ++j)
        sums[i] += products[i][j];
    }
    return sums;
  }

  Agreement compare(const std::vector<float> &other) {
    ThreadPool pool(2);
    return compareValues(DType::f32,
                         errorBound(manifest, command, result, values, pool),
                         values.after[result], other, true, pool);
  }
};

TEST(ErrorBound, ConvolutionsAgreeInAnyOrderAndNotWithoutATerm) {
  for (const char *direction : {"fprop", "dgrad", "wgrad"})
    for (int64_t groups : {1, 4}) {
      ConvCase conv(direction, groups);
      EXPECT_TRUE(conv.compare(conv.add(true, false)).agrees) << direction;
      EXPECT_GT(conv.compare(conv.add(false, true)).maxRatio, 1000)
          << direction;
    }
}

TEST(ErrorBound, WhatNoWindowReadsHasNoGradientAndNoBound) {
  ConvCase conv("dgrad", 1);
  conv.manifest.buffers[2].shape = {2, 4, 3, 8};
  conv.command.conv.low = {0, 0}, conv.command.conv.high = {0, 0};
  ThreadPool pool(1);
  std::vector<double> bound =
      errorBound(conv.manifest, conv.command, 0, conv.values, pool);
  // Strides of 2 over 8 places by a kernel of 2 with dilation 2: odd ones.
  EXPECT_EQ(bound[1 * 12], 0);
  EXPECT_GT(bound[0], 0);
}

} // namespace
