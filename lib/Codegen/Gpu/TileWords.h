//===- TileWords.h - tiles of shared memory that are turned -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory is kept as 32-bit words of one column: four rows of FP8, two of
// bf16, one of f32.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_TILEWORDS_H
#define PREC_LIB_CODEGEN_GPU_TILEWORDS_H

#include "prec/Support/LLVM.h"

#include "Codegen/TransposeShape.h"
#include "Codegen/Gpu/GpuKernels.h"

namespace prec {

/// The threads of a block that turns tiles.
inline constexpr int64_t kTileThreads = 256;

/// How a block's threads read and write a tile.
struct TileLayout {
  int64_t rowsPerWord = 1; ///< 4 bytes of them
  int64_t readLanes = 1;   ///< columns read at once
  int64_t writeLanes = 1;  ///< rows of a transposed matrix written at once
  int64_t tile = 0;        ///< rows and columns that memory has room for
  int64_t stride = 0;      ///< words of these rows
  int64_t rows = 0, columns = 0; ///< of the tiles of the matrix
  int64_t words = 0;             ///< of a column of these
};

/// What is kept of a matrix' elements.
Type storedElementOf(const TransposeShape::Matrix &matrix);

/// A tile of FP8 is 32 words high, and one of wider elements 64 if there is
/// room: that many keep enough reads under way.
TileLayout chooseTileLayout(const GpuKernel &gpu, sched::DispatchOp dispatch,
                            const TransposeShape &shape);

/// Bytes of shared memory of a tile of each of the matrices that are turned.
int64_t tileBytes(const TileLayout &layout, const TransposeShape &shape);

class TileWords {
public:
  TileWords(GpuKernel &gpu, const TileLayout &layout)
      : gpu(gpu), k(gpu.kernel()), layout(layout) {}

  /// Of one tile of `element`.
  Value allocate(Type element);
  /// Words of one column from vectors of columns: of `rows`, or of pairs.
  void store(Value memory, ArrayRef<Value> rows, Value column, Value word);
  /// Of the rows that a thread writes at once, from `word` on.
  Value load(Value memory, Type element, Value column, Value word);
  /// What is kept of two rows of `part`, a vector of columns each, so that a
  /// column's elements need no shuffling.
  Value roundPair(Value low, Value high, Value part);

private:
  /// Place of a word: columns follow each other, and neighboring chunks of
  /// columns start in different banks.
  Value slot(Value column, Value word);
  /// What a word of `element` is kept as.
  Type wordOf(Type element) const;

  GpuKernel &gpu;
  KernelBuilder &k;
  TileLayout layout;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_TILEWORDS_H
