//===- CpuGemm.cpp - the command `gemm` on the CPU ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command gemm on the CPU. D is divided into tiles, large enough for
// efficient products and enough of them to keep threads busy; a tile is the
// work of one thread. TileProduct.cpp computes its sums in f32, the epilogue
// adds scales, C and bias and rounds once. With inverse scales of rows or
// blocks the sums of as many k as have one inverse scale are multiplied by it
// and added in turn. Tiles depend on the shape only, so the bits do not depend
// on the number of threads. An f32 result without C is summed in place.
//
//===----------------------------------------------------------------------===//

#include "CpuRules.h"

#include "Bf16Pairs.h"
#include "FloatConvert.h"
#include "GemmScales.h"
#include "RowMath.h"
#include "TileProduct.h"

#include <algorithm>

using namespace prec::rt;

namespace {

/// How D is split: into tiles large enough to keep products efficient, and
/// enough of them to keep threads busy.
struct GemmTiling {
  static constexpr int64_t maxColumns = 512;

  int64_t rows, columns;     ///< of a full tile
  int64_t perColumn, perRow; ///< tiles along m and n

  explicit GemmTiling(const Gemm &gemm)
      : rows(std::min<int64_t>(gemm.m, 256)),
        columns(std::min<int64_t>(gemm.n, maxColumns)) {
    constexpr int64_t enough = 16, smallTile = int64_t(1) << 20;
    auto half = [](int64_t side, int64_t panel) {
      return std::max(panel, panelExtent(side / 2, panel));
    };
    while (gemm.batch * count(gemm.m, rows) * count(gemm.n, columns) < enough &&
           rows * columns * gemm.k > 2 * smallTile) {
      const int64_t halfRows = half(rows, pairPanelRows),
                    halfColumns = half(columns, pairPanelColumns);
      if (halfRows < rows && (rows >= columns || halfColumns >= columns))
        rows = halfRows;
      else if (halfColumns < columns)
        columns = halfColumns;
      else
        break;
    }
    perColumn = count(gemm.m, rows);
    perRow = count(gemm.n, columns);
  }

  static int64_t count(int64_t extent, int64_t tile) {
    return (extent + tile - 1) / tile;
  }
};

/// Whether sums may be made where D will be.
bool isSummedInPlace(const Manifest &manifest, const Gemm &gemm) {
  return manifest.buffers[gemm.d].dtype == DType::f32 && gemm.beta == 0 &&
         !hasFineSums(gemm);
}

/// What becomes of a tile of sums: D = round(alpha * sum + beta * C + bias).
class Epilogue {
public:
  Epilogue(const CpuContext &context, const Gemm &gemm, float alpha)
      : gemm(gemm), alpha(alpha), beta(static_cast<float>(gemm.beta)),
        dtype(context.manifest.buffers[gemm.d].dtype), size(byteSize(dtype)),
        d(context.address[gemm.d]),
        c(context.address[gemm.c.value_or(gemm.d)]) {
    if (gemm.bias) {
      bias = context.address[*gemm.bias];
      biasDtype = context.manifest.buffers[*gemm.bias].dtype;
    }
  }

  float *inPlace(const Tile &tile) const {
    return reinterpret_cast<float *>(d + offsetOf(tile));
  }

  void store(const Tile &tile, float *sum, int64_t stride) const {
    float biases[GemmTiling::maxColumns], addend[GemmTiling::maxColumns];
    const int64_t count = tile.columns;
    if (bias)
      toFloat(biasDtype, bias + tile.column * byteSize(biasDtype), biases,
              count);
    for (int64_t row = 0; row < tile.rows; ++row) {
      float *line = sum + row * stride;
      const int64_t offset = offsetOf(tile) + row * gemm.n * size;
      if (alpha != 1)
        rowScale(line, alpha, count);
      if (beta != 0) {
        toFloat(dtype, c + offset, addend, count);
        rowScale(addend, beta, count);
        rowAdd(line, addend, count);
      }
      if (bias)
        rowAdd(line, biases, count);
      if (reinterpret_cast<char *>(line) != d + offset)
        fromFloat(dtype, line, d + offset, count);
    }
  }

private:
  int64_t offsetOf(const Tile &tile) const {
    return (tile.matrix * gemm.strideD + tile.row * gemm.n + tile.column) *
           size;
  }

  const Gemm &gemm;
  float alpha, beta;
  DType dtype, biasDtype = DType::f32;
  int64_t size;
  char *d;
  const char *c, *bias = nullptr;
};

/// Sums whose inverse scales are of rows or blocks.
class FineScaleInvs {
public:
  FineScaleInvs(const CpuContext &context, const Gemm &gemm)
      : context(context), gemm(gemm),
        a(scaleInvsOf(gemm.scaleA, gemm.scalingA, gemm.m)),
        b(scaleInvsOf(gemm.scaleB, gemm.scalingB, gemm.n)),
        depth(std::min(sumOf(gemm.scalingA), sumOf(gemm.scalingB))) {}

  /// `part` is scratch, as large as the tile; both are dense.
  void multiply(const TileProduct &product, const Tile &tile, float *sum,
                float *part) const {
    float columnScaleInvs[GemmTiling::maxColumns];
    std::fill(sum, sum + tile.rows * tile.columns, 0.0f);
    for (int64_t first = 0; first < gemm.k; first += depth) {
      product.multiply(tile, first, std::min(depth, gemm.k - first), part,
                       tile.columns);
      for (int64_t j = 0; j < tile.columns; ++j)
        columnScaleInvs[j] = b.at(tile.column + j, first);
      for (int64_t i = 0; i < tile.rows; ++i)
        rowAddScaled(sum + i * tile.columns, part + i * tile.columns,
                     columnScaleInvs, a.at(tile.row + i, first), tile.columns);
    }
  }

private:
  struct ScaleInvs {
    const float *values; ///< null: no inverse scale
    ScaleGranularity granularity;

    float at(int64_t row, int64_t k) const {
      return values ? values[granularity.indexOf(row, k)] : 1.0f;
    }
  };

  ScaleInvs scaleInvsOf(const std::optional<int> &buffer, Scaling scaling,
                        int64_t rows) const {
    return {buffer ? reinterpret_cast<const float *>(context.address[*buffer])
                   : nullptr,
            granularityOf(scaling, rows, gemm.k)};
  }
  int64_t sumOf(Scaling scaling) const {
    const int64_t sum = traitsOf(scaling).sum;
    return sum ? sum : gemm.k;
  }

  const CpuContext &context;
  const Gemm &gemm;
  ScaleInvs a, b;
  int64_t depth; ///< consecutive k that are summed before they are scaled
};

/// The factor of all sums: alpha and what scales whole operands.
float factorOf(const CpuContext &context, const Gemm &gemm) {
  const bool micro = isMicroscaled(gemm);
  auto scalar = [&](std::optional<int> buffer) {
    return buffer ? *reinterpret_cast<float *>(context.address[*buffer]) : 1.0f;
  };
  return static_cast<float>(gemm.alpha) *
         scalar(micro ? gemm.tensorScaleA : gemm.scaleA) *
         scalar(micro ? gemm.tensorScaleB : gemm.scaleB);
}

} // namespace

static int64_t gemmScratch(const Manifest &manifest, const Gemm &gemm,
                           unsigned threads, bool hasBf16Pairs) {
  GemmTiling tiling(gemm);
  int64_t tile = tiling.rows * tiling.columns * threads;
  int64_t tiles = hasFineSums(gemm)                 ? 2 * tile
                  : isSummedInPlace(manifest, gemm) ? 0
                                                    : tile;
  return productScratch(manifest, gemm, hasBf16Pairs) + tiles;
}

template <>
Status CpuRules<CommandKind::gemm>::prepare(CpuPlan &plan,
                                            const Command &command) {
  const Gemm &gemm = command.gemm;
  PREC_RT_RETURN_IF_ERROR(
      checkExtents(command, "a gemm", {gemm.m, gemm.n, gemm.k}));
  plan.scratchFloats = std::max(
      plan.scratchFloats,
      gemmScratch(plan.manifest, gemm, plan.threads, plan.hasBf16Pairs));
  plan.needsBlas = true;
  return {};
}

/// D = round(alpha * scale_a * scale_b * op(A) op(B) + beta * C + bias), the
/// bias with one element for each column: operands are exact (but
/// subnormal bf16 where Bf16Pairs.h multiplies), sums are f32, one rounding to
/// the dtype of D. Tiles depend on the shape only, so the result does not
/// depend on the number of threads.
///
/// Scales of rows multiply the sum, first that of B, then that of A. With
/// scales of blocks the sums of a block's consecutive k are multiplied so and
/// added in turn. Microscaled operands are widened times their inverse scales,
/// and the inverse scales of tensors around them multiply the sum.
template <>
Status CpuRules<CommandKind::gemm>::run(const CpuContext &context,
                                        const Command &command) {
  const Gemm &gemm = command.gemm;
  const std::unique_ptr<TileProduct> product =
      makeTileProduct(context, gemm, context.scratch);
  float *scratch = context.scratch +
                   productScratch(context.manifest, gemm, context.hasBf16Pairs);
  const GemmTiling tiling(gemm);
  const int64_t tilesPerMatrix = tiling.perColumn * tiling.perRow,
                tileSize = tiling.rows * tiling.columns;
  std::optional<FineScaleInvs> fine;
  if (hasFineSums(gemm))
    fine.emplace(context, gemm);
  const bool isInPlace = isSummedInPlace(context.manifest, gemm);
  const Epilogue epilogue(context, gemm,
                          fine ? static_cast<float>(gemm.alpha)
                               : factorOf(context, gemm));

  auto computeTile = [&](int64_t index, unsigned worker) {
    const int64_t row = index % tilesPerMatrix / tiling.perRow * tiling.rows;
    const int64_t column = index % tiling.perRow * tiling.columns;
    const Tile tile{index / tilesPerMatrix, row, column,
                    std::min(tiling.rows, gemm.m - row),
                    std::min(tiling.columns, gemm.n - column)};
    float *sum = scratch + worker * tileSize * (fine ? 2 : 1);
    int64_t stride = tile.columns;
    if (fine) {
      fine->multiply(*product, tile, sum, sum + tileSize);
    } else {
      if (isInPlace) {
        sum = epilogue.inPlace(tile);
        stride = gemm.n;
      }
      product->multiply(tile, 0, gemm.k, sum, stride);
    }
    epilogue.store(tile, sum, stride);
  };
  context.pool.parallelFor(gemm.batch * tilesPerMatrix, 1,
                           [&](int64_t begin, int64_t end, unsigned worker) {
                             for (int64_t tile = begin; tile < end; ++tile)
                               computeTile(tile, worker);
                           });
  return {};
}
