//===- CpuGemm.cpp - the command `gemm` on the CPU ------------------------===//

#include "CpuGemm.h"

#include "FloatConvert.h"

#include <algorithm>

using namespace prec::rt;

namespace {

/// How D is split: into tiles large enough to keep sgemm efficient, and enough
/// of them to keep threads busy.
struct Tiling {
  int64_t rows, columns;     ///< of a full tile
  int64_t perColumn, perRow; ///< tiles along m and n

  explicit Tiling(const Gemm &gemm)
      : rows(std::min<int64_t>(gemm.m, 256)),
        columns(std::min<int64_t>(gemm.n, 512)) {
    constexpr int64_t enough = 16, smallTile = int64_t(1) << 20;
    while (gemm.batch * count(gemm.m, rows) * count(gemm.n, columns) < enough &&
           rows * columns * gemm.k > 2 * smallTile)
      (rows >= columns ? rows : columns) =
          ((rows >= columns ? rows : columns) / 2 + 7) / 8 * 8;
    perColumn = count(gemm.m, rows);
    perRow = count(gemm.n, columns);
  }

  static int64_t count(int64_t extent, int64_t tile) {
    return (extent + tile - 1) / tile;
  }
};

/// Elements between the first and the last that a gemm reads of an operand.
int64_t span(int64_t batch, int64_t stride, int64_t matrix) {
  return (batch - 1) * stride + matrix;
}

int64_t widenedElements(const Manifest &manifest, int buffer,
                        int64_t elements) {
  return manifest.buffers[buffer].dtype == DType::f32 ? 0
                                                      : (elements + 15) & ~15;
}

/// The operand as f32: in place, or widened into `scratch`, which is advanced.
const float *widen(const CpuContext &context, int buffer, int64_t elements,
                   float *&scratch) {
  DType dtype = context.manifest.buffers[buffer].dtype;
  const char *source = context.address[buffer];
  if (dtype == DType::f32)
    return reinterpret_cast<const float *>(source);
  float *target = scratch;
  scratch += (elements + 15) & ~15;
  context.pool.parallelFor(elements, 1 << 15,
                           [&](int64_t begin, int64_t end, unsigned) {
                             toFloat(dtype, source + begin * byteSize(dtype),
                                     target + begin, end - begin);
                           });
  return target;
}

} // namespace

int64_t prec::rt::gemmScratch(const Manifest &manifest, const Gemm &gemm,
                              unsigned threads) {
  Tiling tiling(gemm);
  int64_t tiles = manifest.buffers[gemm.d].dtype == DType::f32
                      ? 0
                      : tiling.rows * tiling.columns * threads;
  return widenedElements(manifest, gemm.a,
                         span(gemm.batch, gemm.strideA, gemm.m * gemm.k)) +
         widenedElements(manifest, gemm.b,
                         span(gemm.batch, gemm.strideB, gemm.k * gemm.n)) +
         tiles;
}

void prec::rt::runGemm(const CpuContext &context, const Gemm &gemm) {
  const int64_t m = gemm.m, n = gemm.n, k = gemm.k;
  float *scratch = context.scratch;
  const float *a =
      widen(context, gemm.a, span(gemm.batch, gemm.strideA, m * k), scratch);
  const float *b =
      widen(context, gemm.b, span(gemm.batch, gemm.strideB, k * n), scratch);
  auto scalar = [&](std::optional<int> buffer) {
    return buffer ? *reinterpret_cast<float *>(context.address[*buffer]) : 1.0f;
  };
  const float alpha = static_cast<float>(gemm.alpha) * scalar(gemm.scaleA) *
                      scalar(gemm.scaleB);
  const float beta = static_cast<float>(gemm.beta);
  const DType dtype = context.manifest.buffers[gemm.d].dtype;
  const int64_t size = byteSize(dtype);
  const Tiling tiling(gemm);
  const int64_t tilesPerMatrix = tiling.perColumn * tiling.perRow;

  auto computeTile = [&](int64_t tile, unsigned worker) {
    int64_t matrix = tile / tilesPerMatrix;
    int64_t row = tile % tilesPerMatrix / tiling.perRow * tiling.rows;
    int64_t column = tile % tiling.perRow * tiling.columns;
    int64_t rows = std::min(tiling.rows, m - row);
    int64_t columns = std::min(tiling.columns, n - column);
    const float *tileA =
        a + matrix * gemm.strideA + (gemm.transposeA ? row : row * k);
    const float *tileB =
        b + matrix * gemm.strideB + (gemm.transposeB ? column * k : column);
    int64_t offset = (matrix * gemm.strideD + row * n + column) * size;
    char *d = context.address[gemm.d] + offset;
    const char *c =
        beta != 0 ? context.address[gemm.c.value_or(gemm.d)] + offset : nullptr;
    bool direct = dtype == DType::f32;
    float *sum = direct ? reinterpret_cast<float *>(d)
                        : scratch + worker * tiling.rows * tiling.columns;
    int64_t sumStride = direct ? n : columns;
    if (c && (!direct || c != d))
      for (int64_t i = 0; i < rows; ++i)
        toFloat(dtype, c + i * n * size, sum + i * sumStride, columns);
    context.blas.sgemm(gemm.transposeA, gemm.transposeB, rows, columns, k,
                       alpha, tileA, gemm.transposeA ? m : k, tileB,
                       gemm.transposeB ? k : n, beta, sum, sumStride);
    if (!direct)
      for (int64_t i = 0; i < rows; ++i)
        fromFloat(dtype, sum + i * columns, d + i * n * size, columns);
  };
  context.pool.parallelFor(gemm.batch * tilesPerMatrix, 1,
                           [&](int64_t begin, int64_t end, unsigned worker) {
                             for (int64_t tile = begin; tile < end; ++tile)
                               computeTile(tile, worker);
                           });
}
