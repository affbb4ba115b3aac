//===- CpuGrouped.cpp - the command `grouped_gemm` on the CPU -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of groups of rows. The ends of groups are read when the command
// runs, and cut into tiles then: of the output so many rows of one group by so
// many columns, of a gradient of matrices so many of both of one matrix. A tile
// is the work of one thread, which adds up pieces of the contracted dimension
// in turn, in f32, and rounds once. Tiles depend on the shapes and the ends
// alone, so the bits do not depend on the number of threads. Inverse scales of
// groups multiply the whole sum; those of rows or blocks the sum of as many
// products as share them, and these are added up.
//
//===----------------------------------------------------------------------===//

#include "CpuRules.h"

#include "FloatConvert.h"
#include "GemmScales.h"
#include "GroupRanges.h"
#include "HeadProduct.h"
#include "RowMath.h"

#include <algorithm>
#include <cstring>

using namespace prec::rt;

namespace {

/// Rows and columns of a tile, and the most of the contracted dimension that is
/// multiplied at once: even, as pairs are.
constexpr int64_t kGroupedTile = 256, kGroupedDepth = 1024;

/// Inverse scales of an operand, if it has any: one for each group, or those of
/// the rows or blocks of a matrix.
class GroupedScaleInvs {
public:
  GroupedScaleInvs(const CpuContext &context, std::optional<int> buffer,
                   Scaling scaling, int64_t rows, int64_t k)
      : traits(traitsOf(scaling)), granularity(granularityOf(scaling, rows, k)),
        k(k) {
    if (buffer)
      values = reinterpret_cast<const float *>(
          context.address[static_cast<size_t>(*buffer)]);
  }

  bool isFine() const { return values && traits.isFine(); }
  float of(int64_t group) const {
    return values && !traits.isFine() ? values[group] : 1.0f;
  }
  float at(int64_t row, int64_t column) const {
    return values[granularity.indexOf(row, column)];
  }
  /// Products that are added up before they are scaled.
  int64_t sum() const { return traits.sum ? traits.sum : k; }

private:
  const ScalingTraits &traits;
  const float *values = nullptr;
  ScaleGranularity granularity;
  int64_t k;
};

/// A command on its way: what its tiles read and write.
class GroupedProduct {
public:
  GroupedProduct(const CpuContext &context, const Grouped &grouped)
      : context(context), shape(context.manifest, grouped),
        isTransposed(grouped.transposeB), a(context, grouped.a),
        b(context, grouped.b), d(context, grouped.d),
        scalesA(context, grouped.scaleA, grouped.scalingA,
                shape.isGradient ? shape.inner : shape.rows, contracted()),
        scalesB(context, grouped.scaleB, grouped.scalingB,
                shape.isGradient ? shape.outer : shape.groups * shape.outer,
                contracted()),
        product(context.blas, context.hasBf16Pairs && isWithinBf16(a.dtype) &&
                                  isWithinBf16(b.dtype)),
        ranges(reinterpret_cast<const int32_t *>(
                   context.address[static_cast<size_t>(grouped.ends)]),
               shape) {}

  /// Floats of a worker.
  static int64_t scratch() {
    return 2 * pieceOf(HeadProduct::scratch(kGroupedTile, kGroupedDepth)) +
           2 * pieceOf(kGroupedTile * kGroupedTile);
  }

  void run() const {
    std::vector<GroupedTile> tiles;
    const int64_t tallest = shape.isGradient ? shape.inner : shape.rows;
    for (int64_t group = 0; group < shape.groups; ++group) {
      const auto [first, last] = ranges.of(group);
      const int64_t begin = shape.isGradient ? 0 : first,
                    end = shape.isGradient ? tallest : last;
      for (int64_t row = begin; row < end; row += kGroupedTile)
        for (int64_t column = 0; column < shape.outer; column += kGroupedTile)
          tiles.push_back({group, row, std::min(kGroupedTile, end - row),
                           column,
                           std::min(kGroupedTile, shape.outer - column)});
    }
    context.pool.parallelFor(static_cast<int64_t>(tiles.size()), 1,
                             [&](int64_t begin, int64_t end, unsigned worker) {
                               for (int64_t tile = begin; tile < end; ++tile)
                                 compute(tiles[static_cast<size_t>(tile)],
                                         context.scratch + worker * scratch());
                             });
    if (!shape.isGradient)
      std::memset(d.at(ranges.end() * shape.outer), 0,
                  static_cast<size_t>((shape.rows - ranges.end()) *
                                      shape.outer * d.size));
  }

private:
  struct GroupedTile {
    int64_t group, row, rows, column, columns;
  };

  /// Of a row of a scaled operand.
  int64_t contracted() const {
    return shape.isGradient ? shape.rows : shape.inner;
  }

  /// What of the contracted dimension [first, first + depth) a tile reads.
  MatrixSource leftOf(const GroupedTile &tile, int64_t first,
                      int64_t depth) const {
    if (shape.isGradient && shape.isScaled)
      return {a.dtype,   a.at(tile.row * shape.rows + first),
              true,      shape.rows,
              tile.rows, depth};
    if (shape.isGradient)
      return {a.dtype,   a.at(first * shape.inner + tile.row),
              false,     shape.inner,
              tile.rows, depth};
    return {a.dtype,   a.at(tile.row * shape.inner + first),
            true,      shape.inner,
            tile.rows, depth};
  }
  MatrixSource rightOf(const GroupedTile &tile, int64_t first,
                       int64_t depth) const {
    if (shape.isGradient && shape.isScaled)
      return {b.dtype,      b.at(tile.column * shape.rows + first),
              true,         shape.rows,
              tile.columns, depth};
    if (shape.isGradient)
      return {b.dtype,      b.at(first * shape.outer + tile.column),
              false,        shape.outer,
              tile.columns, depth};
    const int64_t matrix = tile.group * shape.inner * shape.outer;
    if (isTransposed)
      return {b.dtype,      b.at(matrix + tile.column * shape.inner + first),
              true,         shape.inner,
              tile.columns, depth};
    return {b.dtype,      b.at(matrix + first * shape.outer + tile.column),
            false,        shape.outer,
            tile.columns, depth};
  }

  /// Adds the products [first, last) of the contracted dimension to `sum`.
  void add(const GroupedTile &tile, int64_t first, int64_t last,
           ScratchPieces pieces, float *sum) const {
    float *left =
        pieces.take(HeadProduct::scratch(kGroupedTile, kGroupedDepth));
    float *right =
        pieces.take(HeadProduct::scratch(kGroupedTile, kGroupedDepth));
    for (; first < last; first += kGroupedDepth) {
      const int64_t depth = std::min(kGroupedDepth, last - first);
      product.multiply(product.left(leftOf(tile, first, depth), left),
                       product.right(rightOf(tile, first, depth), right),
                       tile.rows, tile.columns, depth, /*adds=*/true, sum);
    }
  }

  /// The same of scaled operands: `part` times the inverse scales that its
  /// products share.
  void addScaled(const GroupedTile &tile, int64_t first, float *part,
                 float *sum) const {
    float columnScaleInvs[kGroupedTile];
    const int64_t firstOfB =
        (shape.isGradient ? 0 : tile.group * shape.outer) + tile.column;
    for (int64_t column = 0; column < tile.columns; ++column)
      columnScaleInvs[column] = scalesB.at(firstOfB + column, first);
    for (int64_t row = 0; row < tile.rows; ++row)
      rowAddScaled(sum + row * tile.columns, part + row * tile.columns,
                   columnScaleInvs, scalesA.at(tile.row + row, first),
                   tile.columns);
  }

  void compute(const GroupedTile &tile, float *scratch) const {
    ScratchPieces pieces(scratch);
    float *sum = pieces.take(kGroupedTile * kGroupedTile),
          *part = pieces.take(kGroupedTile * kGroupedTile);
    const int64_t size = tile.rows * tile.columns;
    std::fill(sum, sum + size, 0.0f);
    const auto [begin, end] = shape.isGradient
                                  ? ranges.of(tile.group)
                                  : std::pair(int64_t(0), shape.inner);
    if (!scalesA.isFine()) {
      add(tile, begin, end, pieces, sum);
    } else {
      const int64_t step = std::min(scalesA.sum(), scalesB.sum());
      for (int64_t first = begin; first < end; first += step) {
        std::fill(part, part + size, 0.0f);
        add(tile, first, std::min(first + step, end), pieces, part);
        addScaled(tile, first, part, sum);
      }
    }
    if (const float factor = scalesA.of(tile.group) * scalesB.of(tile.group);
        factor != 1)
      rowScale(sum, factor, size);
    const int64_t top =
        shape.isGradient ? tile.group * shape.inner + tile.row : tile.row;
    for (int64_t row = 0; row < tile.rows; ++row)
      fromFloat(d.dtype, sum + row * tile.columns,
                d.at((top + row) * shape.outer + tile.column), tile.columns);
  }

  const CpuContext &context;
  const GroupedShape shape;
  const bool isTransposed;
  const CpuOperand a, b, d;
  const GroupedScaleInvs scalesA, scalesB;
  const HeadProduct product;
  const GroupRanges ranges;
};

} // namespace

template <>
Status CpuRules<CommandKind::groupedGemm>::prepare(CpuPlan &plan,
                                                   const Command &command) {
  const GroupedShape shape(plan.manifest, command.grouped);
  PREC_RT_RETURN_IF_ERROR(checkExtents(command, "a grouped product",
                                       {shape.rows, shape.inner, shape.outer}));
  plan.scratchFloats =
      std::max(plan.scratchFloats, plan.threads * GroupedProduct::scratch());
  plan.needsBlas = true;
  return {};
}

template <>
Status CpuRules<CommandKind::groupedGemm>::run(const CpuContext &context,
                                               const Command &command) {
  GroupedProduct(context, command.grouped).run();
  return {};
}
