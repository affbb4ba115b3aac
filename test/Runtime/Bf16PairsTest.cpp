//===- Bf16PairsTest.cpp - products by pairs and by sgemm -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CpuRules.h"
#include "FloatConvert.h"
#include "HeadProduct.h"
#include "NormalDeviate.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace prec::rt;

namespace {

struct Layout {
  int64_t rows, columns, k;
  bool isLeftKContiguous, isRightKContiguous;
  DType left, right;
};

/// A matrix in memory, with some elements between its rows, and its values.
struct Matrix {
  int64_t extent, k;
  std::vector<double> values; ///< [extent, k]
  std::vector<char> bytes;
  MatrixSource source;

  Matrix(DType dtype, bool isKContiguous, int64_t extent, int64_t k,
         uint64_t seed)
      : extent(extent), k(k), values(extent * k) {
    const int64_t columns = isKContiguous ? k : extent,
                  rows = isKContiguous ? extent : k, stride = columns + 3;
    std::vector<float> elements(rows * stride);
    for (size_t i = 0; i < elements.size(); ++i)
      elements[i] = normalDeviate(seed, i, 0, 1);
    roundTo(dtype == DType::f32 ? DType::bf16 : dtype, elements.data(),
            elements.size());
    bytes.resize(elements.size() * byteSize(dtype));
    fromFloat(dtype, elements.data(), bytes.data(), elements.size());
    for (int64_t i = 0; i < extent; ++i)
      for (int64_t j = 0; j < k; ++j)
        values[i * k + j] =
            elements[isKContiguous ? i * stride + j : j * stride + i];
    source = {dtype, bytes.data(), isKContiguous, stride, extent, k};
  }
  double at(int64_t row, int64_t column) const {
    return values[row * k + column];
  }
};

/// As many additions in f32 as products, in any order (Higham, Accuracy and
/// Stability of Numerical Algorithms, section 3.1).
void expectProduct(const Matrix &a, const Matrix &b, int64_t k, double start,
                   const std::vector<float> &sum) {
  for (int64_t i = 0; i < a.extent; ++i)
    for (int64_t j = 0; j < b.extent; ++j) {
      double exact = start, magnitude = std::abs(start);
      for (int64_t l = 0; l < k; ++l) {
        exact += a.at(i, l) * b.at(j, l);
        magnitude += std::abs(a.at(i, l) * b.at(j, l));
      }
      ASSERT_LE(std::abs(sum[i * b.extent + j] - exact),
                (k + 1) * std::ldexp(1.01, -24) * magnitude)
          << i << ", " << j;
    }
}

class HeadProducts : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    if (GetParam() && !multipliesBf16Pairs())
      GTEST_SKIP() << "this CPU has no AVX512_BF16";
    Result<Blas> opened = Blas::open(2);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    blas = std::move(*opened);
  }
  Blas blas;
};

TEST_P(HeadProducts, AreThoseOfEveryLayoutAndFormat) {
  const HeadProduct product(blas, GetParam());
  for (const Layout &layout : std::initializer_list<Layout>{
           {64, 96, 32, true, true, DType::bf16, DType::bf16},
           {64, 96, 32, true, false, DType::bf16, DType::bf16},
           {64, 96, 32, false, true, DType::bf16, DType::bf16},
           {40, 64, 600, false, false, DType::f32, DType::bf16},
           {64, 32, 601, true, true, DType::bf16, DType::f32},
           {37, 75, 33, true, true, DType::bf16, DType::bf16},
           {37, 75, 33, false, false, DType::bf16, DType::bf16},
           {1, 1, 1, true, false, DType::bf16, DType::bf16},
           {9, 33, 515, true, true, DType::f8E4M3FN, DType::f8E5M2},
           {33, 31, 514, false, false, DType::f8E5M2, DType::f8E4M3FN}}) {
    const Matrix a(layout.left, layout.isLeftKContiguous, layout.rows, layout.k,
                   1);
    const Matrix b(layout.right, layout.isRightKContiguous, layout.columns,
                   layout.k, 2);
    std::vector<float> scratchA(HeadProduct::scratch(a.extent, a.k)),
        scratchB(HeadProduct::scratch(b.extent, b.k)),
        sum(a.extent * b.extent, NAN);
    const auto left = product.left(a.source, scratchA.data());
    const auto right = product.right(b.source, scratchB.data());
    product.multiply(left, right, a.extent, b.extent, a.k, /*adds=*/false,
                     sum.data());
    expectProduct(a, b, a.k, 0, sum);
    std::fill(sum.begin(), sum.end(), 5.0f);
    product.multiply(left, right, a.extent, b.extent, a.k, /*adds=*/true,
                     sum.data());
    expectProduct(a, b, a.k, 5, sum);
  }
}

TEST_P(HeadProducts, TakeTheFirstOfTheRight) {
  const HeadProduct product(blas, GetParam());
  const int64_t rows = 64, columns = 32, k = 40;
  const Matrix a(DType::bf16, true, rows, k, 1),
      b(DType::bf16, false, columns, 90, 2);
  std::vector<float> scratchA(HeadProduct::scratch(rows, k)),
      scratchB(HeadProduct::scratch(columns, b.k)), sum(rows * columns);
  product.multiply(product.left(a.source, scratchA.data()),
                   product.right(b.source, scratchB.data()), rows, columns, k,
                   /*adds=*/false, sum.data());
  expectProduct(a, b, k, 0, sum);
}

TEST_P(HeadProducts, KeepNaNAndInfinity) {
  const HeadProduct product(blas, GetParam());
  const uint16_t left[] = {toBF16(1), toBF16(NAN), toBF16(INFINITY), toBF16(2)};
  const uint16_t right[] = {toBF16(1), toBF16(1)};
  auto alongK = [](const uint16_t *elements, int64_t extent) {
    return MatrixSource{.dtype = DType::bf16,
                        .data = reinterpret_cast<const char *>(elements),
                        .isKContiguous = true,
                        .stride = 2,
                        .extent = extent,
                        .k = 2};
  };
  std::vector<float> scratchA(HeadProduct::scratch(2, 2)),
      scratchB(HeadProduct::scratch(1, 2)), sum(2);
  product.multiply(product.left(alongK(left, 2), scratchA.data()),
                   product.right(alongK(right, 1), scratchB.data()), 2, 1, 2,
                   /*adds=*/false, sum.data());
  EXPECT_TRUE(std::isnan(sum[0]));
  EXPECT_EQ(sum[1], INFINITY);
}

TEST(HeadProduct, TakesRowsThatOverlap) {
  Result<Blas> blas = Blas::open(2);
  ASSERT_TRUE(blas.ok());
  const HeadProduct product(*blas, /*usesPairs=*/false);
  const float elements[] = {1, 2, 3, 4}, one = 1;
  const MatrixSource a{.dtype = DType::f32,
                       .data = reinterpret_cast<const char *>(&one),
                       .isKContiguous = true,
                       .stride = 1,
                       .extent = 1,
                       .k = 1};
  const MatrixSource b{.dtype = DType::f32,
                       .data = reinterpret_cast<const char *>(elements),
                       .isKContiguous = false,
                       .stride = 1,
                       .extent = 4,
                       .k = 1};
  std::vector<float> scratchA(HeadProduct::scratch(1, 1)),
      scratchB(HeadProduct::scratch(4, 1)), sum(4);
  product.multiply(product.left(a, scratchA.data()),
                   product.right(b, scratchB.data()), 1, 4, 1, /*adds=*/false,
                   sum.data());
  EXPECT_EQ(sum, (std::vector<float>{1, 2, 3, 4}));
}

INSTANTIATE_TEST_SUITE_P(, HeadProducts, testing::Bool(), [](const auto &info) {
  return info.param ? "ByPairs" : "BySgemm";
});

/// D = A B^T, of buffers 0 and 1 into 2.
Gemm gemmOf(int64_t m, int64_t n, int64_t k) {
  return {.m = m,
          .n = n,
          .k = k,
          .batch = 1,
          .a = 0,
          .b = 1,
          .d = 2,
          .c = {},
          .scaleA = {},
          .scaleB = {},
          .scalingA = prec::Scaling::None,
          .scalingB = prec::Scaling::None,
          .tensorScaleA = {},
          .tensorScaleB = {},
          .alpha = 1,
          .beta = 0,
          .transposeA = false,
          .transposeB = true,
          .strideA = m * k,
          .strideB = n * k,
          .strideD = m * n,
          .accumulator = Accumulator::full,
          .bias = {}};
}

Manifest manifestOf(const Gemm &gemm, DType operands) {
  Manifest manifest;
  manifest.buffers = {{Segment::workspace, 0, operands, {gemm.m, gemm.k}},
                      {Segment::workspace, 0, operands, {gemm.n, gemm.k}},
                      {Segment::workspace, 0, DType::f32, {gemm.m, gemm.n}}};
  return manifest;
}

/// Floats of scratch that a command asks for.
int64_t scratchOf(const Manifest &manifest, const Command &command,
                  unsigned threads, bool hasBf16Pairs) {
  const std::vector<char *> address;
  KernelArguments arguments;
  const HostFunctions functions;
  HostCalls calls;
  CpuPlan plan{manifest,  address,   threads, hasBf16Pairs,
               arguments, functions, calls};
  Status status =
      command.kind == CommandKind::gemm
          ? CpuRules<CommandKind::gemm>::prepare(plan, command)
          : CpuRules<CommandKind::sdpaForward>::prepare(plan, command);
  EXPECT_TRUE(status.ok() && plan.needsBlas);
  return plan.scratchFloats;
}

Command commandOf(const Gemm &gemm) {
  Command command;
  command.kind = CommandKind::gemm;
  command.gemm = gemm;
  return command;
}

/// With all rows in panels, A is read in place.
class CpuGemmRows : public testing::TestWithParam<int64_t> {};

TEST_P(CpuGemmRows, AreExactByPairsAndBySgemm) {
  const int64_t m = GetParam(), n = 530, k = 120;
  const Matrix a(DType::bf16, true, m, k, 1), b(DType::bf16, true, n, k, 2);
  const Gemm gemm = gemmOf(m, n, k);
  const Command command = commandOf(gemm);
  const KernelArguments arguments;
  const Manifest manifest = manifestOf(gemm, DType::bf16);
  Result<Blas> blas = Blas::open(2);
  ASSERT_TRUE(blas.ok());
  ThreadPool pool(2);
  std::vector<uint16_t> left(m * k), right(n * k);
  for (int64_t i = 0; i < m * k; ++i)
    left[i] = toBF16(static_cast<float>(a.values[i]));
  for (int64_t i = 0; i < n * k; ++i)
    right[i] = toBF16(static_cast<float>(b.values[i]));
  for (bool hasBf16Pairs : {false, true}) {
    if (hasBf16Pairs && !multipliesBf16Pairs())
      continue;
    std::vector<float> d(m * n, NAN),
        scratch(scratchOf(manifest, command, pool.size(), hasBf16Pairs));
    const std::vector<char *> address = {reinterpret_cast<char *>(left.data()),
                                         reinterpret_cast<char *>(right.data()),
                                         reinterpret_cast<char *>(d.data())};
    const Status status = CpuRules<CommandKind::gemm>::run(
        {manifest, address, *blas, pool, scratch.data(), hasBf16Pairs, nullptr,
         arguments, HostCalls(), nullptr},
        command);
    EXPECT_TRUE(status.ok()) << status.message();
    expectProduct(a, b, k, 0, d);
  }
}

INSTANTIATE_TEST_SUITE_P(, CpuGemmRows, testing::Values(301, 304));

/// Tiles get smaller for threads to share, but never less than a panel.
TEST(CpuGemm, TilesOfLongSumsEnd) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{64, 1}, {1, 64}, {1, 1}}) {
    const Gemm gemm = gemmOf(m, n, int64_t(1) << 22);
    EXPECT_GT(
        scratchOf(manifestOf(gemm, DType::f16), commandOf(gemm), 2, false), 0);
  }
}

TEST(CpuSdpa, TakesFormatsThatBf16HasNot) {
  Manifest manifest;
  const std::vector<int64_t> shape = {1, 1, 1, 4};
  manifest.buffers = {{Segment::workspace, 0, DType::bf16, shape},
                      {Segment::workspace, 0, DType::bf16, shape},
                      {Segment::workspace, 0, DType::f32, shape},
                      {Segment::workspace, 0, DType::f32, shape},
                      {Segment::workspace, 0, DType::f32, {1, 1, 1}}};
  Command command;
  command.kind = CommandKind::sdpaForward;
  Sdpa &sdpa = command.sdpa;
  sdpa.q = 0, sdpa.k = 1, sdpa.v = 2, sdpa.o = 3, sdpa.lse = 4;
  uint16_t q[4] = {}, k[4] = {};
  float v[4] = {1.0078f, 2, 3, 4}, o[4], lse;
  const std::vector<char *> address = {
      reinterpret_cast<char *>(q), reinterpret_cast<char *>(k),
      reinterpret_cast<char *>(v), reinterpret_cast<char *>(o),
      reinterpret_cast<char *>(&lse)};
  Result<Blas> blas = Blas::open(2);
  ASSERT_TRUE(blas.ok());
  ThreadPool pool(1);
  const bool hasPairs = multipliesBf16Pairs();
  std::vector<float> scratch(
      scratchOf(manifest, command, pool.size(), hasPairs));
  const KernelArguments arguments;
  const Status status = CpuRules<CommandKind::sdpaForward>::run(
      {manifest, address, *blas, pool, scratch.data(), hasPairs, nullptr,
       arguments, HostCalls(), nullptr},
      command);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(o[0], 1.0078f);
}

} // namespace
