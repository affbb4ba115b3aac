//===- MergeGroups.h - contractions that can be one -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_MERGEGROUPS_H
#define PREC_LIB_MATERIALIZE_MERGEGROUPS_H

#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// A linear layer: `x * weight^T` or `x * weight`, the product that gives the
/// gradient of `x` and the one that gives that of the weight, where there are
/// any.
struct LinearLayer {
  BlockArgument weight;
  train::MatmulOp fprop, dgrad, wgrad;
  /// Where dgrad or wgrad reads that of the outputs, as a matrix: the one whose
  /// operand is there first, as each may reshape it for itself. Null without
  /// both.
  OpOperand *gradient = nullptr;

  /// The dimension of the weight whose elements are outputs: 1 where the weight
  /// is stored transposed, as kernels of JAX and of GPT-2's Conv1D. So is the
  /// operand of wgrad that is the gradient.
  unsigned outputDim = 0;
};

/// Weights that lie one behind the other begin at multiples of so many bytes.
inline constexpr int64_t kWeightAlignment = 256;

/// Two or more layers that read one value, in the order of their products in
/// the forward. Either all have a dgrad (wgrad) or none.
using MergeGroup = SmallVector<LinearLayer, 4>;

/// Positions of the operations of a block.
using Positions = DenseMap<Operation *, unsigned>;

/// The layers of a tagged `step` that can be merged. `report` is told why a
/// product of the forward that reads what others read, too, is not. columns:
/// also such whose outputs are columns of their weights.
SmallVector<MergeGroup> findMergeGroups(
    mlir::func::FuncOp step, const Positions &positions, bool columns,
    llvm::function_ref<void(train::MatmulOp, const Twine &)> report);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_MERGEGROUPS_H
