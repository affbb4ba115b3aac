//===- TileProduct.h - products of tiles of a gemm --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CPU_TILEPRODUCT_H
#define PREC_RT_CPU_TILEPRODUCT_H

#include "CpuContext.h"

#include <memory>

namespace prec::rt {

/// A part of D: `row` is a multiple of pairPanelRows, `column` of
/// pairPanelColumns.
struct Tile {
  int64_t matrix, row, column, rows, columns;
};

/// The operands of a gemm, in scratch memory as the product reads them.
class TileProduct {
public:
  virtual ~TileProduct() = default;

  /// sum [rows, columns] = the products of `depth` k's from `first` on, in f32;
  /// `first` is even, and rows of the sum lie `stride` apart.
  virtual void multiply(const Tile &tile, int64_t first, int64_t depth,
                        float *sum, int64_t stride) const = 0;
};

/// Floats of scratch that makeTileProduct takes.
int64_t productScratch(const Manifest &manifest, const Gemm &gemm,
                       bool hasBf16Pairs);

/// Operands within bf16 are packed by pairs where the CPU multiplies those and
/// the matrices are no narrower than a panel of rows. Others are widened to
/// f32, microscaled ones times their inverse scales, for sgemm.
std::unique_ptr<TileProduct> makeTileProduct(const CpuContext &context,
                                             const Gemm &gemm, float *scratch);

} // namespace prec::rt

#endif // PREC_RT_CPU_TILEPRODUCT_H
