//===- Tiles.h - what passes over a matrix in tiles -------------*- C++ -*-===//
#ifndef PREC_DIALECT_TRAIN_TILES_H
#define PREC_DIALECT_TRAIN_TILES_H

#include "prec/Dialect/Train/Train.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::train {

/// Rows and columns of a tile: 32 words of four bytes.
inline constexpr int64_t kTile = 128;

/// Whether a matrix consists of whole tiles.
inline bool hasTiles(int64_t rows, int64_t columns) {
  return rows % kTile == 0 && columns % kTile == 0;
}

/// Whether `op` reduces a matrix, seen as (row tile, row, column tile, column),
/// to one element for each of its square tiles.
inline bool reducesTiles(ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  ArrayRef<int64_t> dims = op.getDims();
  return type.getRank() == 4 && dims.size() == 2 && dims[0] == 1 &&
         dims[1] == 3 && type.getDimSize(1) == type.getDimSize(3) &&
         type.getDimSize(1) > 1;
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
inline bool joinsColumns(tensor::ConcatOp op) {
  return op.getInputs().size() > 1 &&
         op.getDim() + 1 == uint64_t(op.getResultType().getRank());
}

/// Whether `op` puts matrices of one shape side by side.
inline bool isSideBySide(tensor::ConcatOp op) {
  return op.getDim() + 1 == uint64_t(op.getResultType().getRank()) &&
         llvm::all_equal(op.getInputs().getTypes());
}

} // namespace mlir::train

#endif // PREC_DIALECT_TRAIN_TILES_H
