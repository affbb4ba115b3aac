//===- TilePieces.h - what a tile's columns are put together of -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix whose columns are joined of pieces is computed piece by piece where
// every block lies in one, rather than all of them with the wrong ones dropped.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_TILEPIECES_H
#define PREC_LIB_CODEGEN_GPU_TILEPIECES_H

#include "prec/Support/LLVM.h"

#include "Codegen/TransposeShape.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace prec {

/// What the matrix is put together of, if every tile of `tile` columns is of
/// one piece; null if it is not.
mlir::tensor::ConcatOp findJoined(sched::DispatchOp dispatch,
                                  const TransposeShape &shape, int64_t tile);

/// Heads of a tile in two halves that are computed of the same elements, as
/// rotary's are: whoever has both reads each element once.
struct Halves {
  int64_t width = 0;                         ///< of a half, in columns
  SmallVector<mlir::tensor::ConcatOp> joins; ///< empty: there are none
};
Halves findHalves(sched::DispatchOp dispatch, const TransposeShape &shape,
                  int64_t tile, mlir::tensor::ConcatOp joined);

/// Whether an input has a few columns for each row, which all tiles read.
bool hasRowTables(sched::DispatchOp dispatch, const TransposeShape &shape,
                  int64_t tile);

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_TILEPIECES_H
