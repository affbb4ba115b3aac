//===- CudaGemmTest.cpp - matrix products on the GPU ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against products in double, within bounds from format and length.
//
//===----------------------------------------------------------------------===//

#include "CudaTestModule.h"
#include "GemmScales.h"

#include <cmath>

using namespace prec::rt;
using namespace prec::rt::test;

namespace {
struct Shape {
  int64_t m, n, k;
};

struct Case {
  DType a, b, d;
  bool transposeA = false, transposeB = false;
  Accumulator accumulator = Accumulator::full;
  /// Of FP8 operands.
  Scaling scalingA = Scaling::TensorCurrent, scalingB = Scaling::TensorCurrent;
  bool bias = false;
};

/// Inverse scales of an operand [rows, k], none of them alike, in cuBLASLt's
/// layout.
struct ScaleInvs {
  ScaleInvs(Scaling scaling, int64_t rows, int64_t k, float first)
      : shape(scaleInvShape(scaling, rows, k)),
        granularity(granularityOf(scaling, rows, k)) {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(first * (1 + static_cast<float>(i * 37 % 64) / 64));
  }

  float at(int64_t row, int64_t k) const {
    return values[static_cast<size_t>(granularity.indexOf(row, k))];
  }

  std::vector<int64_t> shape;
  ScaleGranularity granularity;
  std::vector<float> values;
};

/// Half a unit in the last place, relative.
double roundingOf(DType dtype) {
  return std::ldexp(1.0, dtype == DType::bf16  ? -8
                         : dtype == DType::f16 ? -11
                                               : -24);
}

/// Relative to the sum of magnitudes. f32 accumulation in any order rounds at
/// most k times; Hopper's FP8 tensor cores keep 13 fraction bits over steps of
/// 32, promoted every 4 steps unless fast.
double accumulationError(const Case &given, int64_t k) {
  double f32 = static_cast<double>(k) * std::ldexp(1.0, -24);
  bool fp8 = byteSize(given.a) == 1;
  if (!fp8)
    return f32;
  double steps = static_cast<double>(k) / 32 + 1;
  if (given.accumulator != Accumulator::fast)
    steps = std::min(steps, 5.0);
  return f32 + steps * std::ldexp(1.0, -13);
}

class CudaGemm : public CudaTest {
protected:
  void verify(const Case &given, const Shape &s, double beta, bool inPlace) {
    SCOPED_TRACE(
        std::string(name(given.a)) + " x " + std::string(name(given.b)) +
        " -> " + std::string(name(given.d)) + " m " + std::to_string(s.m) +
        " n " + std::to_string(s.n) + " k " + std::to_string(s.k) +
        " transposes " + std::to_string(given.transposeA) +
        std::to_string(given.transposeB) + " beta " + std::to_string(beta) +
        (inPlace ? " in place" : "") + (given.bias ? " bias" : ""));
    Module module;
    auto shape = [](int64_t rows, int64_t columns, bool transposed) {
      return transposed ? std::vector<int64_t>{columns, rows}
                        : std::vector<int64_t>{rows, columns};
    };
    int a = module.add(given.a, shape(s.m, s.k, given.transposeA));
    int b = module.add(given.b, shape(s.k, s.n, given.transposeB));
    int c = module.add(given.d, {s.m, s.n});
    int d = inPlace ? c : module.add(given.d, {s.m, s.n});
    bool fp8 = byteSize(given.a) == 1;
    ScaleInvs scaleInvsA(given.scalingA, s.m, s.k, fp8 ? 0.37f : 1),
        scaleInvsB(given.scalingB, s.n, s.k, fp8 ? 2.9f : 1);
    int scaleA = module.add(DType::f32, scaleInvsA.shape),
        scaleB = module.add(DType::f32, scaleInvsB.shape);
    Gemm &gemm = module.gemm(a, b, d, s.m, s.n, s.k);
    gemm.transposeA = given.transposeA;
    gemm.transposeB = given.transposeB;
    gemm.accumulator = given.accumulator;
    gemm.alpha = 1.5;
    gemm.beta = beta;
    if (beta != 0)
      gemm.c = c;
    if (fp8) {
      gemm.scaleA = scaleA, gemm.scaleB = scaleB;
      gemm.scalingA = given.scalingA, gemm.scalingB = given.scalingB;
    }
    int bias = module.add(biasType(given.d, fp8), {s.n});
    if (given.bias)
      gemm.bias = bias;
    std::unique_ptr<Device> device = start(module);
    ASSERT_NE(device, nullptr);
    std::vector<float> biases = uploadRandom(*device, module, bias, 4, 10);
    if (!given.bias)
      std::fill(biases.begin(), biases.end(), 0.0f);
    std::vector<float> av = uploadRandom(*device, module, a, 1);
    std::vector<float> bv = uploadRandom(*device, module, b, 2);
    std::vector<float> cv = uploadRandom(*device, module, c, 3, 10);
    check(device->upload(scaleA, scaleInvsA.values.data(),
                         scaleInvsA.values.size() * sizeof(float)));
    check(device->upload(scaleB, scaleInvsB.values.data(),
                         scaleInvsB.values.size() * sizeof(float)));
    check(device->run("step"));
    std::vector<float> dv = downloadFloats(*device, module, d);

    const double factor = 1.5;
    double allowed = accumulationError(given, s.k);
    int failures = 0;
    for (int64_t i = 0; i < s.m; ++i)
      for (int64_t j = 0; j < s.n; ++j) {
        double sum = 0, magnitude = 0;
        for (int64_t x = 0; x < s.k; ++x) {
          double term = static_cast<double>(av[static_cast<size_t>(
                            given.transposeA ? x * s.m + i : i * s.k + x)]) *
                        bv[static_cast<size_t>(
                            given.transposeB ? j * s.k + x : x * s.n + j)] *
                        scaleInvsA.at(i, x) * scaleInvsB.at(j, x);
          sum += term;
          magnitude += std::abs(term);
        }
        size_t at = static_cast<size_t>(i * s.n + j);
        double old = beta * cv[at] + biases[static_cast<size_t>(j)];
        double added =
            std::abs(beta * cv[at]) + std::abs(biases[static_cast<size_t>(j)]);
        double expected = factor * sum + old;
        // A few more f32 roundings for the scales, alpha, beta and bias.
        double bound =
            (allowed + std::ldexp(1.0, -21)) * (factor * magnitude + added) +
            roundingOf(given.d) * 2 * std::abs(expected);
        if (std::abs(dv[at] - expected) <= bound)
          continue;
        if (++failures <= 3) {
          ADD_FAILURE() << "[" << i << "," << j << "] " << dv[at]
                        << " expected " << expected << " within " << bound;
        }
      }
    EXPECT_EQ(failures, 0);
  }
};
} // namespace

static const Shape small{48, 80, 64}, wide{128, 32, 256};

TEST_F(CudaGemm, WideFormatsInEveryLayout) {
  const DType f32 = DType::f32, bf16 = DType::bf16, f16 = DType::f16;
  for (auto [in, out] :
       {std::pair{f32, f32}, {bf16, bf16}, {bf16, f32}, {f16, f16}, {f16, f32}})
    for (bool transposeA : {false, true})
      for (bool transposeB : {false, true})
        verify({in, in, out, transposeA, transposeB}, small, 0, false);
}

TEST_F(CudaGemm, AddsC) {
  for (DType in : {DType::f32, DType::bf16})
    for (bool inPlace : {false, true}) {
      verify({in, in, in}, small, 0.75, inPlace);
      verify({in, in, DType::f32}, small, 1, inPlace);
    }
}

/// One element for each column, added before the only rounding.
TEST_F(CudaGemm, AddsABias) {
  const DType f32 = DType::f32, bf16 = DType::bf16, f16 = DType::f16;
  for (auto [in, out] :
       {std::pair{f32, f32}, {bf16, bf16}, {bf16, f32}, {f16, f16}, {f16, f32}})
    for (bool transposeB : {false, true})
      for (const Shape &shape : {small, wide}) {
        Case given{in, in, out, false, transposeB};
        given.bias = true;
        verify(given, shape, 0, false);
        verify(given, shape, 0.75, true);
      }
}

TEST_F(CudaGemm, Fp8AddsABias) {
  const DType e4 = DType::f8E4M3FN, e5 = DType::f8E5M2;
  for (auto [a, b] : {std::pair{e4, e4}, {e4, e5}, {e5, e4}})
    for (DType d : {DType::bf16, DType::f16, DType::f32})
      for (Accumulator accumulator : {Accumulator::fast, Accumulator::promoted})
        for (const Shape &shape : {small, wide}) {
          Case given{a, b, d, false, true, accumulator};
          given.bias = true;
          verify(given, shape, 0, false);
        }
}

/// 1 + 2^-8 is halfway between two numbers of bf16 and rounds to 1, to which
/// adding 2^-8 would change nothing.
TEST_F(CudaGemm, RoundsBehindABias) {
  constexpr int64_t size = 64;
  const float ulp = std::ldexp(1.0f, -8);
  Module module;
  int a = module.add(DType::bf16, {size, size}),
      b = module.add(DType::bf16, {size, size}),
      bias = module.add(DType::bf16, {size}),
      d = module.add(DType::bf16, {size, size});
  module.gemm(a, b, d, size, size, size).bias = bias;
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  auto upload = [&](int buffer, const std::vector<float> &values) {
    std::vector<uint16_t> narrow(values.size());
    fromFloat(DType::bf16, values.data(), narrow.data(),
              static_cast<int64_t>(values.size()));
    check(device->upload(buffer, narrow.data(), narrow.size() * 2));
  };
  std::vector<float> rows(size * size, 0), ones(size * size, 1);
  for (int64_t i = 0; i < size; ++i) {
    rows[static_cast<size_t>(i * size)] = 1;
    rows[static_cast<size_t>(i * size + 1)] = ulp;
  }
  upload(a, rows);
  upload(b, ones);
  upload(bias, std::vector<float>(size, ulp));
  check(device->run("step"));
  EXPECT_EQ(downloadFloats(*device, module, d),
            std::vector<float>(size * size, 1 + 2 * ulp));
}

TEST_F(CudaGemm, Fp8) {
  const DType e4 = DType::f8E4M3FN, e5 = DType::f8E5M2;
  for (auto [a, b] : {std::pair{e4, e4}, {e4, e5}, {e5, e4}})
    for (DType d : {DType::bf16, DType::f32})
      for (Accumulator accumulator :
           {Accumulator::full, Accumulator::fast, Accumulator::promoted})
        for (const Shape &shape : {small, wide})
          verify({a, b, d, false, true, accumulator}, shape, 0, false);
}

/// Also where the last blocks end early.
TEST_F(CudaGemm, Fp8WithFineScales) {
  const DType e4 = DType::f8E4M3FN, e5 = DType::f8E5M2;
  const Scaling row = Scaling::Row, vector = Scaling::Block1x128,
                square = Scaling::Block128x128;
  const Accumulator fast = Accumulator::fast, promoted = Accumulator::promoted;
  for (const Shape &shape : {small, wide, Shape{144, 272, 336}})
    for (DType d : {DType::bf16, DType::f32}) {
      for (Accumulator any : {fast, promoted})
        verify({e4, e4, d, false, true, any, row, row}, shape, 0, false);
      verify({e4, e4, d, false, true, promoted, vector, square}, shape, 0,
             false);
      verify({e5, e4, d, false, true, promoted, square, vector}, shape, 0,
             false);
      verify({e4, e5, d, false, true, promoted, vector, vector}, shape, 1,
             true);
    }
}

TEST_F(CudaGemm, Fp8AddsC) {
  const DType e4 = DType::f8E4M3FN;
  verify({e4, e4, DType::bf16, false, true}, small, 1, false);
  verify({e4, e4, DType::f32, false, true}, small, 1, true);
}

TEST_F(CudaGemm, BatchesMayShareAMatrix) {
  constexpr int64_t m = 32, n = 16, k = 48, batch = 3;
  Module module;
  int a = module.add(DType::f32, {batch, m, k});
  int b = module.add(DType::f32, {k, n});
  int d = module.add(DType::f32, {batch, m, n});
  Gemm &gemm = module.gemm(a, b, d, m, n, k);
  gemm.batch = batch;
  gemm.strideB = 0;
  std::unique_ptr<Device> device = start(module);
  ASSERT_NE(device, nullptr);
  std::vector<float> av = uploadRandom(*device, module, a, 1);
  std::vector<float> bv = uploadRandom(*device, module, b, 2);
  check(device->run("step"));
  std::vector<float> dv = downloadFloats(*device, module, d);
  for (int64_t row = 0; row < batch * m; ++row)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0, magnitude = 0;
      for (int64_t x = 0; x < k; ++x) {
        double term =
            static_cast<double>(av[static_cast<size_t>(row * k + x)]) *
            bv[static_cast<size_t>(x * n + j)];
        sum += term;
        magnitude += std::abs(term);
      }
      ASSERT_NEAR(dv[static_cast<size_t>(row * n + j)], sum,
                  magnitude * (k + 2) * std::ldexp(1.0, -24))
          << row << " " << j;
    }
}
