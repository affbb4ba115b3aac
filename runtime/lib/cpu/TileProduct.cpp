//===- TileProduct.cpp - products of tiles of a gemm ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums of a tile of a gemm, in two ways. If the CPU multiplies pairs of
// BF16 and both operands are BF16 or FP8 and not too small, they are packed
// into panels of pairs first, in parallel, and each tile multiplies panels
// (Bf16Pairs.cpp). Otherwise operands are widened to f32, microscaled ones
// times their inverse scales, which is exact, and a tile is one call of a BLAS.
// Packing or widening happens once for all tiles, in scratch memory that
// `prepare` has reserved; an operand that all matrices of a batch share is
// packed once.
//
//===----------------------------------------------------------------------===//

#include "TileProduct.h"

#include "Bf16Pairs.h"
#include "FloatConvert.h"
#include "GemmScales.h"
#include "RowMath.h"

#include <algorithm>

using namespace prec::rt;

namespace {

/// Elements between the first and the last that a gemm reads of an operand.
int64_t span(int64_t batch, int64_t stride, int64_t matrix) {
  return (batch - 1) * stride + matrix;
}

int64_t widenedFloats(const Manifest &manifest, int buffer, int64_t elements) {
  return manifest.buffers[buffer].dtype == DType::f32 ? 0 : pieceOf(elements);
}

class WidenedProduct final : public TileProduct {
public:
  WidenedProduct(const CpuContext &context, const Gemm &gemm, float *scratch);

  static int64_t scratch(const Manifest &manifest, const Gemm &gemm) {
    return widenedFloats(manifest, gemm.a,
                         span(gemm.batch, gemm.strideA, gemm.m * gemm.k)) +
           widenedFloats(manifest, gemm.b,
                         span(gemm.batch, gemm.strideB, gemm.k * gemm.n));
  }

  void multiply(const Tile &tile, int64_t first, int64_t depth, float *sum,
                int64_t stride) const override {
    const int64_t lda = gemm.transposeA ? gemm.m : gemm.k,
                  ldb = gemm.transposeB ? gemm.k : gemm.n;
    const float *tileA =
        a + tile.matrix * gemm.strideA +
        (gemm.transposeA ? first * lda + tile.row : tile.row * lda + first);
    const float *tileB = b + tile.matrix * gemm.strideB +
                         (gemm.transposeB ? tile.column * ldb + first
                                          : first * ldb + tile.column);
    context.blas.sgemm(gemm.transposeA, gemm.transposeB, tile.rows,
                       tile.columns, depth, 1, tileA, lda, tileB, ldb, 0, sum,
                       stride);
  }

private:
  /// The operand as f32: in place, or widened into `scratch`, which is
  /// advanced.
  const float *widen(int buffer, int64_t elements, float *&scratch) const;
  /// A microscaled operand [rows, k] as f32, each element times its inverse
  /// scale: exact, as an inverse scale is a power of two, or both have few
  /// bits.
  const float *widenScaled(int buffer, int scaleInvs, Scaling scaling,
                           int64_t rows, int64_t k, float *&scratch) const;

  const CpuContext &context;
  const Gemm &gemm;
  const float *a, *b;
};

WidenedProduct::WidenedProduct(const CpuContext &context, const Gemm &gemm,
                               float *scratch)
    : context(context), gemm(gemm) {
  const int64_t m = gemm.m, n = gemm.n, k = gemm.k;
  if (isMicroscaled(gemm)) {
    a = widenScaled(gemm.a, *gemm.scaleA, gemm.scalingA, m, k, scratch);
    b = widenScaled(gemm.b, *gemm.scaleB, gemm.scalingB, n, k, scratch);
  } else {
    a = widen(gemm.a, span(gemm.batch, gemm.strideA, m * k), scratch);
    b = widen(gemm.b, span(gemm.batch, gemm.strideB, k * n), scratch);
  }
}

const float *WidenedProduct::widen(int buffer, int64_t elements,
                                   float *&scratch) const {
  DType dtype = context.manifest.buffers[buffer].dtype;
  const char *source = context.address[buffer];
  if (dtype == DType::f32)
    return reinterpret_cast<const float *>(source);
  float *target = scratch;
  scratch += pieceOf(elements);
  context.pool.parallelFor(elements, 1 << 15,
                           [&](int64_t begin, int64_t end, unsigned) {
                             toFloat(dtype, source + begin * byteSize(dtype),
                                     target + begin, end - begin);
                           });
  return target;
}

const float *WidenedProduct::widenScaled(int buffer, int scaleInvs,
                                         Scaling scaling, int64_t rows,
                                         int64_t k, float *&scratch) const {
  const Buffer &data = context.manifest.buffers[buffer];
  const Buffer &scales = context.manifest.buffers[scaleInvs];
  ScaleGranularity granularity = granularityOf(scaling, rows, k);
  const char *source = context.address[buffer],
             *scaleSource = context.address[scaleInvs];
  float *target = scratch;
  scratch += pieceOf(rows * k);
  auto widenRow = [&](int64_t row) {
    float *values = target + row * k;
    if (data.dtype == DType::i8)
      unpackFp4(source + row * k / 2, values, k);
    else
      toFloat(data.dtype, source + row * k, values, k);
    for (int64_t first = 0; first < k; first += granularity.depth) {
      float scaleInv;
      toFloat(scales.dtype, scaleSource + granularity.indexOf(row, first),
              &scaleInv, 1);
      rowScale(values + first, scaleInv,
               std::min(granularity.depth, k - first));
    }
  };
  context.pool.parallelFor(rows, std::max<int64_t>(1, (1 << 15) / k),
                           [&](int64_t begin, int64_t end, unsigned) {
                             for (int64_t row = begin; row < end; ++row)
                               widenRow(row);
                           });
  return target;
}

/// An operand of a gemm in panels of pairs, those of a matrix one after the
/// other.
struct PackedOperand {
  MatrixSource source;  ///< of the first matrix
  int64_t matrixStride; ///< elements
  int64_t batch, width; ///< of a panel
  Bf16Pair *packed = nullptr;

  /// One matrix that all products read is packed once.
  int64_t matrices() const { return matrixStride == 0 ? 1 : batch; }
  int64_t pairsOfMatrix() const {
    return panelExtent(source.extent, width) * pairsAlong(source.k);
  }
  int64_t pairs() const { return matrices() * pairsOfMatrix(); }

  /// Parts are packed each on its own.
  int64_t partsOfMatrix() const {
    return panelExtent(source.extent, packedAtOnce) / packedAtOnce;
  }
  int64_t parts() const { return matrices() * partsOfMatrix(); }
  void packPart(int64_t part) const {
    const int64_t matrix = part / partsOfMatrix(),
                  first = part % partsOfMatrix() * packedAtOnce;
    sourceOf(matrix).packPairs(first, width, at(matrix, first));
  }

  MatrixSource sourceOf(int64_t matrix) const {
    MatrixSource of = source;
    of.data += matrix * matrixStride * byteSize(source.dtype);
    return of;
  }
  /// The panel that begins at `first`.
  Bf16Pair *at(int64_t matrix, int64_t first) const {
    return packed + (matrixStride == 0 ? 0 : matrix) * pairsOfMatrix() +
           first * pairsAlong(source.k);
  }
};

class PairProduct final : public TileProduct {
public:
  PairProduct(const CpuContext &context, const Gemm &gemm, float *scratch)
      : a(operandA(context.manifest, gemm)),
        b(operandB(context.manifest, gemm)) {
    a.source.data = context.address[gemm.a];
    b.source.data = context.address[gemm.b];
    a.packed = reinterpret_cast<Bf16Pair *>(scratch);
    b.packed = a.packed + packedPairsOf(a);
    const int64_t partsA = a.source.isReadInPlace() ? 0 : a.parts();
    auto packParts = [&](int64_t begin, int64_t end, unsigned) {
      for (int64_t part = begin; part < end; ++part)
        if (part < partsA)
          a.packPart(part);
        else
          b.packPart(part - partsA);
    };
    context.pool.parallelFor(partsA + b.parts(), 1, packParts);
  }

  static bool takes(const Manifest &manifest, const Gemm &gemm) {
    return isWithinBf16(manifest.buffers[gemm.a].dtype) &&
           isWithinBf16(manifest.buffers[gemm.b].dtype) &&
           !isMicroscaled(gemm) && std::min(gemm.m, gemm.n) >= pairPanelRows;
  }
  static int64_t scratch(const Manifest &manifest, const Gemm &gemm) {
    static_assert(sizeof(Bf16Pair) == sizeof(float));
    return pieceOf(packedPairsOf(operandA(manifest, gemm)) +
                   operandB(manifest, gemm).pairs());
  }

  void multiply(const Tile &tile, int64_t first, int64_t depth, float *sum,
                int64_t stride) const override {
    const int64_t k = a.source.k;
    PairRows rows = a.source.isReadInPlace()
                        ? PairRows::inPlace(a.sourceOf(tile.matrix))
                        : PairRows::packed(a.at(tile.matrix, 0), k);
    rows.data +=
        tile.row / pairPanelRows * rows.panelBytes + first / 2 * rows.kBytes;
    multiplyPairs(rows,
                  b.at(tile.matrix, tile.column) + first / 2 * pairPanelColumns,
                  pairPanelColumns * pairsAlong(k), tile.rows, tile.columns,
                  pairsAlong(depth), /*adds=*/false, sum, stride);
  }

private:
  static PackedOperand operandA(const Manifest &manifest, const Gemm &gemm) {
    const DType dtype = manifest.buffers[gemm.a].dtype;
    return {{dtype, nullptr, !gemm.transposeA,
             gemm.transposeA ? gemm.m : gemm.k, gemm.m, gemm.k},
            gemm.strideA,
            gemm.batch,
            pairPanelRows};
  }
  static PackedOperand operandB(const Manifest &manifest, const Gemm &gemm) {
    const DType dtype = manifest.buffers[gemm.b].dtype;
    return {{dtype, nullptr, gemm.transposeB, gemm.transposeB ? gemm.k : gemm.n,
             gemm.n, gemm.k},
            gemm.strideB,
            gemm.batch,
            pairPanelColumns};
  }

  static int64_t packedPairsOf(const PackedOperand &a) {
    return a.source.isReadInPlace() ? 0 : a.pairs();
  }

  PackedOperand a, b;
};

} // namespace

int64_t prec::rt::productScratch(const Manifest &manifest, const Gemm &gemm,
                                 bool hasBf16Pairs) {
  return hasBf16Pairs && PairProduct::takes(manifest, gemm)
             ? PairProduct::scratch(manifest, gemm)
             : WidenedProduct::scratch(manifest, gemm);
}

std::unique_ptr<TileProduct>
prec::rt::makeTileProduct(const CpuContext &context, const Gemm &gemm,
                          float *scratch) {
  if (context.hasBf16Pairs && PairProduct::takes(context.manifest, gemm))
    return std::make_unique<PairProduct>(context, gemm, scratch);
  return std::make_unique<WidenedProduct>(context, gemm, scratch);
}
