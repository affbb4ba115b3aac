//===- CpuGemm.cpp - the command `gemm` on the CPU ------------------------===//

#include "CpuGemm.h"

#include "FloatConvert.h"
#include "GemmScales.h"
#include "RowMath.h"

#include <algorithm>

using namespace prec::rt;

namespace {

/// How D is split: into tiles large enough to keep sgemm efficient, and enough
/// of them to keep threads busy.
struct Tiling {
  static constexpr int64_t maxColumns = 512;

  int64_t rows, columns;     ///< of a full tile
  int64_t perColumn, perRow; ///< tiles along m and n

  explicit Tiling(const Gemm &gemm)
      : rows(std::min<int64_t>(gemm.m, 256)),
        columns(std::min<int64_t>(gemm.n, maxColumns)) {
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

/// A microscaled operand [rows, k] as f32, each element times its factor:
/// exact, as a factor is a power of two, or both have few bits.
const float *widenScaled(const CpuContext &context, int buffer, int factors,
                         int64_t rows, int64_t k, float *&scratch) {
  const Buffer &data = context.manifest.buffers[buffer];
  const Buffer &scales = context.manifest.buffers[factors];
  ScaleGranularity granularity = *granularityOf(scales, rows, k);
  const char *source = context.address[buffer],
             *scaleSource = context.address[factors];
  float *target = scratch;
  scratch += (rows * k + 15) & ~15;
  auto widenRow = [&](int64_t row) {
    float *values = target + row * k;
    if (data.dtype == DType::i8)
      unpackFp4(source + row * k / 2, values, k);
    else
      toFloat(data.dtype, source + row * k, values, k);
    for (int64_t first = 0; first < k; first += granularity.depth) {
      float factor;
      toFloat(scales.dtype, scaleSource + granularity.indexOf(row, first),
              &factor, 1);
      rowScale(values + first, factor, std::min(granularity.depth, k - first));
    }
  };
  context.pool.parallelFor(rows, std::max<int64_t>(1, (1 << 15) / k),
                           [&](int64_t begin, int64_t end, unsigned) {
                             for (int64_t row = begin; row < end; ++row)
                               widenRow(row);
                           });
  return target;
}

/// A gemm whose factors are of rows or blocks, tile by tile.
class FineGemm {
public:
  FineGemm(const CpuContext &context, const Gemm &gemm, const float *a,
           const float *b)
      : context(context), gemm(gemm), a(a), b(b),
        factorsA(factorsOf(gemm.scaleA, gemm.m)),
        factorsB(factorsOf(gemm.scaleB, gemm.n)),
        depth(std::min(factorsA.granularity.depth, factorsB.granularity.depth)),
        dtype(context.manifest.buffers[gemm.d].dtype), size(byteSize(dtype)) {}

  /// `scratch` has room for two tiles.
  void computeTile(int64_t row, int64_t column, int64_t rows, int64_t columns,
                   float *scratch) const {
    float *sum = scratch, *part = scratch + rows * columns;
    float columnFactors[Tiling::maxColumns];
    std::fill(sum, sum + rows * columns, 0.0f);
    for (int64_t first = 0; first < gemm.k; first += depth) {
      multiply(row, column, rows, columns, first, part);
      for (int64_t j = 0; j < columns; ++j)
        columnFactors[j] = factorsB.at(column + j, first);
      for (int64_t i = 0; i < rows; ++i)
        rowAddScaled(sum + i * columns, part + i * columns, columnFactors,
                     factorsA.at(row + i, first), columns);
    }
    for (int64_t i = 0; i < rows; ++i)
      store(sum + i * columns, (row + i) * gemm.n + column, columns, part);
  }

private:
  struct Factors {
    const float *values; ///< null: no factor
    ScaleGranularity granularity;

    float at(int64_t row, int64_t k) const {
      return values ? values[granularity.indexOf(row, k)] : 1.0f;
    }
  };

  Factors factorsOf(const std::optional<int> &buffer, int64_t rows) const {
    if (!buffer)
      return {nullptr, {ScaledPart::tensor, rows, gemm.k, 0, 0}};
    return {reinterpret_cast<const float *>(context.address[*buffer]),
            *granularityOf(context.manifest.buffers[*buffer], rows, gemm.k)};
  }

  /// The product of `depth` k's from `first` on.
  void multiply(int64_t row, int64_t column, int64_t rows, int64_t columns,
                int64_t first, float *part) const {
    const float *tileA =
        a + (gemm.transposeA ? first * gemm.m + row : row * gemm.k + first);
    const float *tileB = b + (gemm.transposeB ? column * gemm.k + first
                                              : first * gemm.n + column);
    context.blas.sgemm(gemm.transposeA, gemm.transposeB, rows, columns,
                       std::min(depth, gemm.k - first), 1, tileA,
                       gemm.transposeA ? gemm.m : gemm.k, tileB,
                       gemm.transposeB ? gemm.k : gemm.n, 0, part, columns);
  }

  /// Elements of D from `offset` on; `addend` is scratch.
  void store(float *sum, int64_t offset, int64_t count, float *addend) const {
    rowScale(sum, static_cast<float>(gemm.alpha), count);
    if (gemm.beta != 0) {
      toFloat(dtype, context.address[*gemm.c] + offset * size, addend, count);
      rowScale(addend, static_cast<float>(gemm.beta), count);
      rowAdd(sum, addend, count);
    }
    fromFloat(dtype, sum, context.address[gemm.d] + offset * size, count);
  }

  const CpuContext &context;
  const Gemm &gemm;
  const float *a, *b;
  Factors factorsA, factorsB;
  int64_t depth; ///< consecutive k that have the same two factors
  DType dtype;
  int64_t size;
};

} // namespace

int64_t prec::rt::gemmScratch(const Manifest &manifest, const Gemm &gemm,
                              unsigned threads) {
  Tiling tiling(gemm);
  int64_t tile = tiling.rows * tiling.columns * threads;
  int64_t tiles = scaledParts(manifest, gemm).areFine()          ? 2 * tile
                  : manifest.buffers[gemm.d].dtype == DType::f32 ? 0
                                                                 : tile;
  return widenedElements(manifest, gemm.a,
                         span(gemm.batch, gemm.strideA, gemm.m * gemm.k)) +
         widenedElements(manifest, gemm.b,
                         span(gemm.batch, gemm.strideB, gemm.k * gemm.n)) +
         tiles;
}

void prec::rt::runGemm(const CpuContext &context, const Gemm &gemm) {
  const int64_t m = gemm.m, n = gemm.n, k = gemm.k;
  float *scratch = context.scratch;
  const bool micro = isMicroscaled(context.manifest, gemm);
  const float *a =
      micro ? widenScaled(context, gemm.a, *gemm.scaleA, m, k, scratch)
            : widen(context, gemm.a, span(gemm.batch, gemm.strideA, m * k),
                    scratch);
  const float *b =
      micro ? widenScaled(context, gemm.b, *gemm.scaleB, n, k, scratch)
            : widen(context, gemm.b, span(gemm.batch, gemm.strideB, k * n),
                    scratch);
  const Tiling tiling(gemm);
  if (scaledParts(context.manifest, gemm).areFine()) {
    FineGemm fine(context, gemm, a, b);
    auto computeTile = [&](int64_t tile, unsigned worker) {
      int64_t row = tile / tiling.perRow * tiling.rows;
      int64_t column = tile % tiling.perRow * tiling.columns;
      fine.computeTile(row, column, std::min(tiling.rows, m - row),
                       std::min(tiling.columns, n - column),
                       scratch + 2 * tiling.rows * tiling.columns * worker);
    };
    context.pool.parallelFor(tiling.perColumn * tiling.perRow, 1,
                             [&](int64_t begin, int64_t end, unsigned worker) {
                               for (int64_t tile = begin; tile < end; ++tile)
                                 computeTile(tile, worker);
                             });
    return;
  }
  auto scalar = [&](std::optional<int> buffer) {
    return buffer ? *reinterpret_cast<float *>(context.address[*buffer]) : 1.0f;
  };
  const float alpha = static_cast<float>(gemm.alpha) *
                      scalar(micro ? gemm.tensorScaleA : gemm.scaleA) *
                      scalar(micro ? gemm.tensorScaleB : gemm.scaleB);
  const float beta = static_cast<float>(gemm.beta);
  const DType dtype = context.manifest.buffers[gemm.d].dtype;
  const int64_t size = byteSize(dtype);
  const DType biasDtype =
      context.manifest.buffers[gemm.bias.value_or(gemm.d)].dtype;
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
    float bias[Tiling::maxColumns];
    if (gemm.bias)
      toFloat(biasDtype,
              context.address[*gemm.bias] + column * byteSize(biasDtype), bias,
              columns);
    if (c && (!direct || c != d))
      for (int64_t i = 0; i < rows; ++i)
        toFloat(dtype, c + i * n * size, sum + i * sumStride, columns);
    context.blas.sgemm(gemm.transposeA, gemm.transposeB, rows, columns, k,
                       alpha, tileA, gemm.transposeA ? m : k, tileB,
                       gemm.transposeB ? k : n, beta, sum, sumStride);
    if (gemm.bias)
      for (int64_t i = 0; i < rows; ++i)
        rowAdd(sum + i * sumStride, bias, columns);
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
