//===- Bf16PairsTest.cpp - products by pairs and by sgemm -----------------===//

#include "CpuGemm.h"
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
  double at(int64_t row, int64_t at) const { return values[row * k + at]; }
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
    Result<Blas> opened = Blas::open();
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
  const Matrix a(DType::bf16, true, 64, 40, 1),
      b(DType::bf16, false, 32, 90, 2);
  std::vector<float> scratchA(HeadProduct::scratch(64, 40)),
      scratchB(HeadProduct::scratch(32, 90)), sum(64 * 32);
  product.multiply(product.left(a.source, scratchA.data()),
                   product.right(b.source, scratchB.data()), 64, 32, 40,
                   /*adds=*/false, sum.data());
  expectProduct(a, b, 40, 0, sum);
}

TEST_P(HeadProducts, KeepNaNAndInfinity) {
  const HeadProduct product(blas, GetParam());
  const uint16_t left[] = {toBF16(1), toBF16(NAN), toBF16(INFINITY), toBF16(2)};
  const uint16_t right[] = {toBF16(1), toBF16(1)};
  float scratchA[HeadProduct::scratch(2, 2)],
      scratchB[HeadProduct::scratch(1, 2)], sum[2];
  const MatrixSource a{
      DType::bf16, reinterpret_cast<const char *>(left), true, 2, 2, 2};
  const MatrixSource b{
      DType::bf16, reinterpret_cast<const char *>(right), true, 2, 1, 2};
  product.multiply(product.left(a, scratchA), product.right(b, scratchB), 2, 1,
                   2, /*adds=*/false, sum);
  EXPECT_TRUE(std::isnan(sum[0]));
  EXPECT_EQ(sum[1], INFINITY);
}

INSTANTIATE_TEST_SUITE_P(, HeadProducts, testing::Bool(), [](const auto &info) {
  return info.param ? "ByPairs" : "BySgemm";
});

/// D = A B^T in f32, as a step's command, with tiles and threads.
TEST(CpuGemm, ByPairsIsThatBySgemm) {
  if (!multipliesBf16Pairs())
    GTEST_SKIP() << "this CPU has no AVX512_BF16";
  const int64_t m = 301, n = 530, k = 120;
  const Matrix a(DType::bf16, true, m, k, 1), b(DType::bf16, true, n, k, 2);
  Manifest manifest;
  manifest.buffers = {{Segment::workspace, 0, DType::bf16, {m, k}},
                      {Segment::workspace, 0, DType::bf16, {n, k}},
                      {Segment::workspace, 0, DType::f32, {m, n}}};
  const Gemm gemm{
      m,  n,  k, 1, 0,     1,    2,     {},    {},    {},
      {}, {}, 1, 0, false, true, m * k, n * k, m * n, Accumulator::full,
      {}};
  Result<Blas> blas = Blas::open();
  ASSERT_TRUE(blas.ok());
  ThreadPool pool(2);
  std::vector<uint16_t> left(m * k), right(n * k);
  for (int64_t i = 0; i < m * k; ++i)
    left[i] = toBF16(static_cast<float>(a.values[i]));
  for (int64_t i = 0; i < n * k; ++i)
    right[i] = toBF16(static_cast<float>(b.values[i]));
  for (bool hasBf16Pairs : {false, true}) {
    std::vector<float> d(m * n, NAN),
        scratch(gemmScratch(manifest, gemm, pool.size(), hasBf16Pairs));
    const std::vector<char *> address = {reinterpret_cast<char *>(left.data()),
                                         reinterpret_cast<char *>(right.data()),
                                         reinterpret_cast<char *>(d.data())};
    runGemm({manifest, address, *blas, pool, scratch.data(), hasBf16Pairs},
            gemm);
    expectProduct(a, b, k, 0, d);
  }
}

} // namespace
