//===- Tiles.h - what passes over a matrix in tiles -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_TILES_H
#define PREC_DIALECT_TRAIN_TILES_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace prec::train {

/// Rows and columns that a tile has at most, 32 words of four bytes, and at
/// least: fewer are no whole sectors, or leave threads without work.
inline constexpr int64_t kTile = 128, kSmallTile = 64;

/// Rows of the tiles that a matrix of `rows` consists of: as many as can be, in
/// vectors of 16 of them; 0: of none.
inline int64_t chooseTileRows(int64_t rows) {
  for (int64_t size = kTile; size >= kSmallTile; size -= 16)
    if (rows % size == 0)
      return size;
  return 0;
}

/// As above, but a power of two, so that the threads of a block are whole lines
/// of the columns.
inline int64_t chooseTileColumns(int64_t columns) {
  for (int64_t size = kTile; size >= kSmallTile; size /= 2)
    if (columns % size == 0)
      return size;
  return 0;
}

/// Whether a matrix consists of whole tiles.
inline bool hasTiles(int64_t rows, int64_t columns) {
  return chooseTileRows(rows) && chooseTileColumns(columns);
}

/// A matrix, or several of one shape behind each other, as (matrices ..., row
/// tile, row, column tile, column).
struct TiledMatrices {
  int64_t matrices, rows, columns; ///< rows and columns of each matrix
  int64_t tileRows, tileColumns;

  explicit TiledMatrices(RankedTensorType type) {
    ArrayRef<int64_t> sizes = type.getShape().take_back(4);
    tileRows = sizes[1];
    tileColumns = sizes[3];
    rows = sizes[0] * tileRows;
    columns = sizes[2] * tileColumns;
    matrices = llvm::product_of(type.getShape().drop_back(4), int64_t(1));
  }
};

/// Whether `op` reduces matrices, seen as above, to one element for each of
/// their tiles, which are square or those that are chosen.
inline bool reducesTiles(ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  ArrayRef<int64_t> dims = op.getDims();
  int64_t rank = type.getRank();
  if (rank < 4 || dims.size() != 2 || dims[0] != rank - 3 ||
      dims[1] != rank - 1)
    return false;
  TiledMatrices tiled(type);
  bool isChosen = tiled.tileRows == chooseTileRows(tiled.rows) &&
                  tiled.tileColumns == chooseTileColumns(tiled.columns);
  return (tiled.tileRows == tiled.tileColumns && tiled.tileRows > 1) ||
         isChosen;
}

/// Whether `op` transposes matrices: of all dimensions, the last two change
/// places.
inline bool swapsLastTwo(TransposeOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  int64_t rank = permutation.size();
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    if (permutation[dim] != dim)
      return false;
  return rank >= 2 && permutation[rank - 2] == rank - 1;
}

/// Whether `op` joins the columns of several matrices.
inline bool joinsColumns(mlir::tensor::ConcatOp op) {
  return op.getInputs().size() > 1 &&
         op.getDim() + 1 == uint64_t(op.getResultType().getRank());
}

/// Whether `op` puts matrices of one shape side by side.
inline bool isSideBySide(mlir::tensor::ConcatOp op) {
  return op.getDim() + 1 == uint64_t(op.getResultType().getRank()) &&
         llvm::all_equal(op.getInputs().getTypes());
}

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_TILES_H
