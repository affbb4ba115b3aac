//===- StridedView.h - values as strided parts of others --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_ROWS_STRIDEDVIEW_H
#define PREC_LIB_SCHEDULE_ROWS_STRIDEDVIEW_H

#include "prec/Dialect/Sched/Sched.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace prec {

/// A value whose elements are at strides in those of another.
struct StridedView {
  Value base;
  sched::ViewAttr layout;
};

/// Looks through reshapes, transpositions that keep the last dimension, and the
/// slices that `readsThrough` holds for. What cannot be expressed by strides is
/// a base.
StridedView getStridedView(
    Value value,
    llvm::function_ref<bool(mlir::tensor::ExtractSliceOp)> readsThrough);

/// `type` with its dimensions permuted as by prec_train.transpose.
RankedTensorType permute(RankedTensorType type, ArrayRef<int64_t> permutation);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_ROWS_STRIDEDVIEW_H
