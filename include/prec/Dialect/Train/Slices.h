//===- Slices.h - slices of tensors of static shape -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_SLICES_H
#define PREC_DIALECT_TRAIN_SLICES_H

#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace prec::train {

/// The elements of `value` of the shape of `type` from `offsets` on, one for
/// each dimension; without them from the first element on.
mlir::tensor::ExtractSliceOp createSlice(OpBuilder &builder, Location loc,
                                         RankedTensorType type, Value value,
                                         ArrayRef<int64_t> offsets = {});

/// Whether `slice` is the first elements along `dim`, of all other dimensions
/// as they are: first rows (0) or first columns (the last) of a matrix.
bool isFirstAlong(mlir::tensor::ExtractSliceOp slice, int64_t dim);

} // namespace prec::train

#endif // PREC_DIALECT_TRAIN_SLICES_H
