//===- FusionGraph.h - a function as a graph of fusion nodes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_FUSION_FUSIONGRAPH_H
#define PREC_LIB_SCHEDULE_FUSION_FUSIONGRAPH_H

#include "Schedule/Fusion/FusionUnits.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace prec {

/// The primitives of a function, projected for formUnits. Sources (function
/// arguments) come first, then one node for each operation in block order.
struct FusionGraph {
  std::vector<FusionNode> nodes;
  /// The operation of a node; null for sources.
  std::vector<Operation *> operations;
  llvm::DenseMap<Value, unsigned> nodeOf;
};

/// Whether `op`, which may be null, multiplies two matrices.
bool isProduct(Operation *op);

/// The product that `op` adds to the sum of other terms of the same product, if
/// a library can add it there: both are in f32 and nobody else reads them.
Operation *getAddedProduct(Operation *op);

/// Makes reshapes of transpositions that move no dimension of more than one
/// element past another: nothing is copied for them.
void reshapeTranspositions(mlir::func::FuncOp function);

/// Fails at the first operation that no kernel or library call computes.
FailureOr<FusionGraph> projectFusionGraph(mlir::func::FuncOp function);

} // namespace prec

#endif // PREC_LIB_SCHEDULE_FUSION_FUSIONGRAPH_H
