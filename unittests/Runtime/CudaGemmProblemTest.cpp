//===- CudaGemmProblemTest.cpp --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GemmProblem.h"

#include <gtest/gtest.h>

#include <set>

using namespace prec::rt;

namespace {
/// op(X) of a column-major product, element (row, column).
double element(const std::vector<double> &memory,
               const ColumnMajorOperand &operand, int64_t batch, int64_t row,
               int64_t column) {
  int64_t r = operand.transpose ? column : row;
  int64_t c = operand.transpose ? row : column;
  EXPECT_LT(r, operand.rows);
  EXPECT_LT(c, operand.columns);
  return memory.at(static_cast<size_t>(batch * operand.stride + r +
                                       c * operand.leadingDimension));
}

/// What a column-major BLAS computes from the descriptors alone.
std::vector<double> columnMajorProduct(const ColumnMajorGemm &gemm,
                                       const std::vector<double> &first,
                                       const std::vector<double> &second,
                                       int64_t k, int64_t batch,
                                       size_t resultSize) {
  std::vector<double> result(resultSize, -1);
  for (int64_t i = 0; i < batch; ++i)
    for (int64_t c = 0; c < gemm.result.columns; ++c)
      for (int64_t r = 0; r < gemm.result.rows; ++r) {
        double sum = 0;
        for (int64_t x = 0; x < k; ++x)
          sum += element(first, gemm.first, i, r, x) *
                 element(second, gemm.second, i, x, c);
        result.at(static_cast<size_t>(i * gemm.result.stride + r +
                                      c * gemm.result.leadingDimension)) = sum;
      }
  return result;
}

std::vector<double> numbers(int64_t count, int start) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<double>((i * 7 + start) % 23) - 11);
  return values;
}

Manifest manifestOf(std::vector<DType> dtypes, std::vector<int64_t> offsets) {
  Manifest manifest;
  for (size_t i = 0; i < dtypes.size(); ++i)
    manifest.buffers.push_back(
        {Segment::workspace, offsets[i], dtypes[i], {64, 64}});
  return manifest;
}

Gemm gemmOf(bool transposeA, bool transposeB) {
  Gemm gemm{};
  gemm.m = gemm.n = gemm.k = 64;
  gemm.batch = 1;
  gemm.a = 0;
  gemm.b = 1;
  gemm.d = 2;
  gemm.alpha = 1;
  gemm.transposeA = transposeA;
  gemm.transposeB = transposeB;
  gemm.strideA = gemm.strideB = gemm.strideD = int64_t(64) * 64;
  return gemm;
}
} // namespace

TEST(CudaColumnMajor, ComputesTheRowMajorProduct) {
  constexpr int64_t m = 3, n = 5, k = 4, batch = 2;
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true})
      for (bool sharedB : {false, true}) {
        GemmProblem problem;
        problem.m = m;
        problem.n = n;
        problem.k = k;
        problem.batch = batch;
        problem.transposeA = transposeA;
        problem.transposeB = transposeB;
        problem.strideA = m * k;
        problem.strideB = sharedB ? 0 : k * n;
        problem.strideD = m * n + 2; // a gap between results
        std::vector<double> a = numbers(batch * m * k, 1),
                            b = numbers(batch * k * n, 5);
        size_t size = static_cast<size_t>(batch * problem.strideD);
        std::vector<double> expected(size, -1);
        for (int64_t i = 0; i < batch; ++i)
          for (int64_t r = 0; r < m; ++r)
            for (int64_t c = 0; c < n; ++c) {
              double sum = 0;
              for (int64_t x = 0; x < k; ++x)
                sum += a[static_cast<size_t>(
                           i * problem.strideA +
                           (transposeA ? x * m + r : r * k + x))] *
                       b[static_cast<size_t>(
                           i * problem.strideB +
                           (transposeB ? c * k + x : x * n + c))];
              expected[static_cast<size_t>(i * problem.strideD + r * n + c)] =
                  sum;
            }
        ColumnMajorGemm gemm = columnMajor(problem);
        EXPECT_FALSE(gemm.result.transpose);
        // Our B is the first operand.
        EXPECT_EQ(columnMajorProduct(gemm, b, a, k, batch, size), expected)
            << "transposeA " << transposeA << " transposeB " << transposeB
            << " sharedB " << sharedB;
      }
}

TEST(CudaColumnMajor, Fp8IsTheTnProductOfHopper) {
  GemmProblem problem;
  problem.m = 32;
  problem.n = 48;
  problem.k = 64;
  problem.transposeB = true;
  ColumnMajorGemm gemm = columnMajor(problem);
  EXPECT_TRUE(gemm.first.transpose);
  EXPECT_FALSE(gemm.second.transpose);
  EXPECT_EQ(gemm.first.leadingDimension, 64);
  EXPECT_EQ(gemm.second.leadingDimension, 64);
  EXPECT_EQ(gemm.result.rows, 48);
  EXPECT_EQ(gemm.result.columns, 32);
}

static void expectRefused(const Gemm &gemm, const Manifest &manifest,
                          const std::string &rule) {
  Result<GemmProblem> problem = GemmProblem::of(gemm, manifest);
  ASSERT_FALSE(problem.ok()) << rule;
  EXPECT_EQ(problem.status().message().rfind(rule, 0), 0u)
      << problem.status().message();
}

TEST(CudaGemmProblem, AcceptsExactlyCublasLtsScales) {
  Manifest manifest = manifestOf(
      {DType::f8E4M3FN, DType::f8E4M3FN, DType::bf16, DType::f32, DType::f32},
      {0, 4096, 8192, 16384, 32768});
  using Shape = std::vector<int64_t>;
  struct Scales {
    Scaling scaling;
    Shape shape;
  };
  auto refusal = [&](const Scales &a, const Scales &b, int64_t m,
                     Accumulator accumulator) {
    Gemm gemm = gemmOf(false, true);
    gemm.m = m;
    gemm.accumulator = accumulator;
    gemm.scaleA = 3, gemm.scaleB = 4;
    gemm.scalingA = a.scaling, gemm.scalingB = b.scaling;
    manifest.buffers[3].shape = a.shape;
    manifest.buffers[4].shape = b.shape;
    Result<GemmProblem> problem = GemmProblem::of(gemm, manifest);
    return problem.ok() ? "" : problem.status().message();
  };
  const Scales tensor = {Scaling::TensorCurrent, {}},
               rows = {Scaling::Row, {64}},
               vectors = {Scaling::Block1x128, {1, 64}},
               squares = {Scaling::Block128x128, {1, 1, 4}};
  for (Accumulator any : {Accumulator::fast, Accumulator::promoted}) {
    EXPECT_EQ(refusal(tensor, tensor, 64, any), "");
    EXPECT_EQ(refusal(rows, rows, 64, any), "");
  }
  EXPECT_EQ(refusal(vectors, vectors, 64, Accumulator::promoted), "");
  EXPECT_EQ(refusal(vectors, squares, 64, Accumulator::promoted), "");
  EXPECT_EQ(refusal(squares, vectors, 64, Accumulator::promoted), "");
  auto refuses = [&](const std::string &message, const Scales &a,
                     const Scales &b, int64_t m = 64,
                     Accumulator accumulator = Accumulator::promoted) {
    EXPECT_NE(refusal(a, b, m, accumulator).find(message + ", but got"),
              std::string::npos)
        << refusal(a, b, m, accumulator);
  };
  const std::string same = "a gemm must have scales of both tensors, of the "
                           "rows of both operands or of blocks of both";
  refuses(same, tensor, rows);
  refuses(same, rows, vectors);
  refuses(same, squares, tensor);
  refuses("a gemm must have an operand with scales of 1x128 elements beside "
          "one with scales of 128x128",
          squares, squares);
  refuses("a gemm with scales of blocks must promote its sums", vectors,
          squares, 64, Accumulator::fast);
  refuses("an operand with scales of 1x128 elements must have a multiple of 4 "
          "rows",
          {Scaling::Block1x128, {1, 62}}, squares, 62);
}

TEST(CudaGemmProblem, AcceptsMicroscaledFp8) {
  Manifest manifest = manifestOf(
      {DType::f8E4M3FN, DType::f8E4M3FN, DType::bf16, DType::f8E8M0FNU},
      {0, 4096, 8192, 16384});
  Gemm gemm = gemmOf(false, true);
  gemm.scaleA = gemm.scaleB = 3;
  gemm.scalingA = gemm.scalingB = Scaling::Mx1x32;
  manifest.buffers[3].shape = {1, 1, 32, 16};
  Result<GemmProblem> problem = GemmProblem::of(gemm, manifest);
  ASSERT_TRUE(problem.ok()) << problem.status().message();
  EXPECT_NE(problem->text().find("scaled by 1x32 and 1x32"), std::string::npos);
  EXPECT_NE(problem->key("gpu", "1").find(" scales=1x32,1x32 "),
            std::string::npos);
}

TEST(CudaGemmProblem, RefusesScalesOfPackedTensors) {
  Manifest manifest = manifestOf(
      {DType::i8, DType::i8, DType::bf16, DType::f8E4M3FN, DType::f32},
      {0, 4096, 8192, 16384, 32768});
  Gemm gemm = gemmOf(false, true);
  gemm.scaleA = gemm.scaleB = 3;
  gemm.scalingA = gemm.scalingB = Scaling::Nvfp4;
  gemm.tensorScaleA = gemm.tensorScaleB = 4;
  manifest.buffers[3].shape = {1, 1, 32, 16};
  manifest.buffers[4].shape = {};
  Result<GemmProblem> problem = GemmProblem::of(gemm, manifest);
  ASSERT_FALSE(problem.ok());
  EXPECT_NE(problem.status().message().find(
                "a gemm's scales of tensors must be one number, which cuBLASLt "
                "multiplies the sums by, but got one for each operand, which "
                "no kernel multiplies yet: [64,64] i8"),
            std::string::npos)
      << problem.status().message();
}

TEST(CudaGemmProblem, AcceptsExactlyCublasLtsFormats) {
  const DType all[] = {DType::f32,    DType::bf16, DType::f16, DType::f8E4M3FN,
                       DType::f8E5M2, DType::i8,   DType::i32};
  const DType e4 = DType::f8E4M3FN, e5 = DType::f8E5M2;
  const DType f32 = DType::f32, bf16 = DType::bf16, f16 = DType::f16;
  std::set<std::array<DType, 3>> supported = {
      {f32, f32, f32}, {bf16, bf16, bf16}, {bf16, bf16, f32}, {f16, f16, f16},
      {f16, f16, f32}, {e4, e4, bf16},     {e4, e4, f16},     {e4, e4, f32},
      {e4, e5, bf16},  {e4, e5, f16},      {e4, e5, f32},     {e5, e4, bf16},
      {e5, e4, f16},   {e5, e4, f32}};
  for (DType a : all)
    for (DType b : all)
      for (DType d : all) {
        Result<GemmProblem> problem = GemmProblem::of(
            gemmOf(false, true), manifestOf({a, b, d}, {0, 0, 0}));
        EXPECT_EQ(problem.ok(), supported.count({a, b, d}) == 1)
            << name(a) << " x " << name(b) << " -> " << name(d);
      }
}

TEST(CudaGemmProblem, RefusesOtherFp8Layouts) {
  Manifest manifest =
      manifestOf({DType::f8E4M3FN, DType::f8E4M3FN, DType::bf16}, {0, 0, 0});
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true}) {
      Result<GemmProblem> problem =
          GemmProblem::of(gemmOf(transposeA, transposeB), manifest);
      EXPECT_EQ(problem.ok(), !transposeA && transposeB);
      if (!problem.ok()) {
        EXPECT_NE(problem.status().message().find("[64,64] f8E4M3FN"),
                  std::string::npos)
            << problem.status().message();
      }
    }
}

TEST(CudaGemmProblem, RefusesScalesOfWideOperands) {
  Manifest manifest = manifestOf(
      {DType::bf16, DType::bf16, DType::bf16, DType::f32}, {0, 0, 0, 0});
  Gemm gemm = gemmOf(false, true);
  gemm.scaleA = 3;
  gemm.scalingA = Scaling::TensorCurrent;
  expectRefused(gemm, manifest, "only FP8 operands of a gemm may have a scale");
}

TEST(CudaGemmProblem, RefusesCOfAnotherFormat) {
  Manifest manifest = manifestOf(
      {DType::bf16, DType::bf16, DType::f32, DType::bf16}, {0, 0, 0, 0});
  Gemm gemm = gemmOf(false, true);
  gemm.c = 3;
  EXPECT_TRUE(GemmProblem::of(gemm, manifest).ok()) << "C is not read";
  gemm.beta = 1;
  expectRefused(gemm, manifest, "a gemm's C must have the format of D");
  gemm.c.reset();
  expectRefused(gemm, manifest, "a gemm with beta must have C, but got none");
  gemm.c = 2;
  EXPECT_TRUE(GemmProblem::of(gemm, manifest).ok());
}

TEST(CudaGemmProblem, AcceptsExactlyCublasLtsBiases) {
  const DType all[] = {DType::f32, DType::bf16, DType::f16, DType::f8E4M3FN};
  const DType e4 = DType::f8E4M3FN;
  const DType f32 = DType::f32, bf16 = DType::bf16, f16 = DType::f16;
  std::set<std::array<DType, 3>> supported = {
      {f32, f32, f32}, {bf16, bf16, bf16}, {bf16, f32, f32}, {f16, f16, f16},
      {f16, f32, f32}, {e4, bf16, bf16},   {e4, f16, f16},   {e4, f32, bf16}};
  for (DType in : all)
    for (DType d : all)
      for (DType bias : all) {
        Manifest manifest =
            manifestOf({in, in, d, bias, f32}, {0, 4096, 8192, 16384, 20480});
        manifest.buffers[3].shape = {64};
        manifest.buffers[4].shape = {};
        Gemm gemm = gemmOf(false, true);
        gemm.bias = 3;
        if (in == e4) {
          gemm.scaleA = gemm.scaleB = 4;
          gemm.scalingA = gemm.scalingB = Scaling::TensorCurrent;
        }
        EXPECT_EQ(GemmProblem::of(gemm, manifest).ok(),
                  supported.count({in, d, bias}) == 1)
            << name(in) << " -> " << name(d) << " + " << name(bias);
      }
}

TEST(CudaGemmProblem, RefusesOtherBiases) {
  Manifest manifest = manifestOf(
      {DType::f8E4M3FN, DType::f8E4M3FN, DType::bf16, DType::bf16, DType::f32},
      {0, 4096, 8192, 16384, 20480});
  manifest.buffers[4].shape = {64};
  Gemm gemm = gemmOf(false, true);
  gemm.bias = 3;
  gemm.scaleA = gemm.scaleB = 4;
  gemm.scalingA = gemm.scalingB = Scaling::Row;
  const std::string rule =
      "a gemm with a bias must be one matrix, with scales of tensors if any, "
      "and the bias in the format of D (bf16 if that is f32 and operands are "
      "scaled), but got [64,64] f8E4M3FN";
  Result<GemmProblem> ofRows = GemmProblem::of(gemm, manifest);
  ASSERT_FALSE(ofRows.ok());
  EXPECT_EQ(ofRows.status().message().rfind(rule, 0), 0u)
      << ofRows.status().message();
  manifest.buffers[4].shape = {};
  gemm.scalingA = gemm.scalingB = Scaling::TensorDelayed;
  EXPECT_TRUE(GemmProblem::of(gemm, manifest).ok());
  gemm.batch = 2;
  Result<GemmProblem> batch = GemmProblem::of(gemm, manifest);
  ASSERT_FALSE(batch.ok());
  EXPECT_EQ(batch.status().message().rfind(rule, 0), 0u)
      << batch.status().message();
}

TEST(CudaGemmProblem, ABiasIsPartOfTheEpilogue) {
  Manifest manifest =
      manifestOf({DType::bf16, DType::bf16, DType::bf16, DType::bf16},
                 {0, 8192, 16384, 24576 + 32});
  Gemm gemm = gemmOf(false, true);
  gemm.bias = 3;
  auto key = [&] {
    Result<GemmProblem> problem = GemmProblem::of(gemm, manifest);
    EXPECT_TRUE(problem.ok()) << problem.status().message();
    EXPECT_NE(problem->text().find(", bias bf16"), std::string::npos);
    return problem->key("gpu", "1");
  };
  EXPECT_NE(key().find(" epilogue=none+bias:bf16 "), std::string::npos);
  EXPECT_NE(key().find(" alignment=32 "), std::string::npos);
  gemm.beta = 1;
  gemm.c = gemm.d;
  EXPECT_NE(key().find(" epilogue=add-in-place+bias:bf16 "), std::string::npos);
}

TEST(CudaGemmProblem, RefusesOverlappingResults) {
  Manifest manifest =
      manifestOf({DType::f32, DType::f32, DType::f32}, {0, 0, 0});
  Gemm gemm = gemmOf(false, false);
  gemm.batch = 2;
  gemm.strideD = int64_t(64) * 64 - 1;
  expectRefused(gemm, manifest,
                "the results of a batched gemm must not overlap, but got "
                "stride_d 4095");
  gemm.strideD = int64_t(64) * 64;
  EXPECT_TRUE(GemmProblem::of(gemm, manifest).ok());
}

TEST(CudaGemmProblem, KeyHoldsWhatDecidesTheAlgorithm) {
  Manifest manifest = manifestOf(
      {DType::f8E4M3FN, DType::f8E4M3FN, DType::bf16, DType::f32, DType::bf16},
      {0, 256, 512, 4, 1024});
  manifest.buffers[3].shape = {};
  Gemm base = gemmOf(false, true);
  base.scaleA = base.scaleB = 3;
  base.scalingA = base.scalingB = Scaling::TensorCurrent;
  auto key = [&](const Gemm &gemm, const char *gpu = "NVIDIA H200",
                 const char *library = "13.0.2") {
    Result<GemmProblem> problem = GemmProblem::of(gemm, manifest);
    EXPECT_TRUE(problem.ok()) << problem.status().message();
    return problem->key(gpu, library);
  };
  EXPECT_EQ(key(base), "m=64 n=64 k=64 batch=1 a=f8E4M3FN b=f8E4M3FN^T d=bf16 "
                       "strides=0,0,0 scales=ab epilogue=none accumulator=full "
                       "alignment=256 gpu=NVIDIA H200 cublasLt=13.0.2");

  std::set<std::string> keys = {key(base), key(base, "NVIDIA H100"),
                                key(base, "NVIDIA H200", "13.1.0")};
  auto add = [&](auto change) {
    Gemm gemm = base;
    change(gemm);
    keys.insert(key(gemm));
  };
  add([](Gemm &g) { g.m = 32; });
  add([](Gemm &g) { g.n = 32; });
  add([](Gemm &g) { g.k = 32; });
  add([](Gemm &g) { g.batch = 2; });
  add([](Gemm &g) { g.batch = 2, g.strideA = 0; });
  add([](Gemm &g) { g.batch = 2, g.strideB = 0; });
  add([](Gemm &g) { g.accumulator = Accumulator::fast; });
  add([](Gemm &g) { g.accumulator = Accumulator::promoted; });
  add([](Gemm &g) { g.scaleA.reset(), g.scalingA = Scaling::None; });
  add([](Gemm &g) { g.scaleB.reset(), g.scalingB = Scaling::None; });
  add([](Gemm &g) { g.beta = 1, g.c = g.d; });
  add([](Gemm &g) { g.beta = 1, g.c = 4; });
  manifest.buffers[3].shape = {64};
  base.scalingA = base.scalingB = Scaling::Row;
  keys.insert(key(base));
  EXPECT_NE(key(base).find("scales=row,row"), std::string::npos);
  manifest.buffers[3].shape = {};
  base.scalingA = base.scalingB = Scaling::TensorCurrent;
  EXPECT_EQ(keys.size(), 16u);

  // These change the result, but not which algorithm serves it.
  Gemm same = base;
  same.alpha = 3;
  same.strideA = 17; // of a batch of one
  EXPECT_EQ(key(same), key(base));
}

TEST(CudaGemmProblem, KnowsTheAlignmentOfItsBuffers) {
  auto alignment = [](std::vector<int64_t> offsets) {
    Result<GemmProblem> problem = GemmProblem::of(
        gemmOf(false, false),
        manifestOf({DType::f32, DType::f32, DType::f32}, offsets));
    return problem->alignment;
  };
  EXPECT_EQ(alignment({0, 4096, 256}), 256);
  EXPECT_EQ(alignment({0, 4096 + 16, 256}), 16);
  EXPECT_EQ(alignment({4, 4096 + 16, 256}), 4);
}
