//===- MergeGroups.h - contractions that can be one -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_MERGEGROUPS_H
#define PREC_LIB_MATERIALIZE_MERGEGROUPS_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// A linear layer: `x * weight^T`, the product that gives the gradient of `x`
/// and the one that gives that of the weight, where there are any.
struct LinearLayer {
  BlockArgument weight;
  train::MatmulOp fprop, dgrad, wgrad;

  Value getGradient() {
    return dgrad ? dgrad.getLhs() : wgrad ? wgrad.getLhs() : Value();
  }
};

/// Weights that lie one behind the other begin at multiples of so many bytes.
inline constexpr int64_t kWeightAlignment = 256;

/// Two or more layers that read one value, in the order of their products in
/// the forward. Either all have a dgrad (wgrad) or none.
using MergeGroup = SmallVector<LinearLayer, 4>;

/// Positions of the operations of a block.
using Positions = DenseMap<Operation *, unsigned>;

/// The layers of a tagged `step` that can be merged. `report` is told why a
/// product of the forward that reads what others read, too, is not.
SmallVector<MergeGroup> findMergeGroups(
    mlir::func::FuncOp step, const Positions &positions,
    llvm::function_ref<void(train::MatmulOp, const Twine &)> report);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_MERGEGROUPS_H
