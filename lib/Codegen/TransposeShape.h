//===- TransposeShape.h - matrices of a transpose dispatch ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_TRANSPOSESHAPE_H
#define PREC_LIB_CODEGEN_TRANSPOSESHAPE_H

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

namespace prec {

/// What a transpose dispatch yields, before it is transposed: matrices of
/// rows x columns, several of them side by side where a result is joined of
/// them, one element for each tile of them, and one for each column of a tile.
struct TransposeShape {
  struct Matrix {
    unsigned result;
    SmallVector<Value, 2> parts;
    bool transposed;
  };
  struct TileResult {
    unsigned result;
    train::ReduceOp op;
    /// What is reduced, at the positions of the matrix: a tile's elements lie
    /// like its.
    Value getSource() const;
  };
  int64_t batch = 1, rows = 0, columns = 0;
  /// Of a tile that is reduced, or whose columns are; 0: none is.
  int64_t tileRows = 0, tileColumns = 0;
  SmallVector<Matrix> matrices;
  SmallVector<TileResult> tiles;
  SmallVector<TileResult> sums; ///< of the columns of a tile
};
FailureOr<TransposeShape> transposeOf(sched::DispatchOp dispatch);

} // namespace prec

#endif // PREC_LIB_CODEGEN_TRANSPOSESHAPE_H
