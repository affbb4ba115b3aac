//===- Recompute.h - activations computed again in the backward -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chen et al., "Training Deep Nets with Sublinear Memory Cost" (arXiv
// 1604.06174), operation by operation: an activation that is kept for the
// backward may be computed there again from others that are kept.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_SCHEDULE_RECOMPUTE_H
#define PREC_SCHEDULE_RECOMPUTE_H

#include "prec/Support/LLVM.h"
#include "prec/Target/MachineModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace prec {

/// What the forward computes, in order.
struct ForwardNode {
  /// Nodes whose results it reads, all earlier.
  std::vector<unsigned> operands;
  /// Of computing it once more, in bytes of memory traffic.
  double cost = 0;
  /// Of results that the backward reads; 0 where it reads none.
  int64_t keptBytes = 0;
  /// In memory or as cheap as if it were, whatever is recomputed.
  bool isAlwaysThere = false;
};

/// Nodes with bytes kept for the backward, those first that save a byte at the
/// least cost, equal ones in order. A node costs what it takes to compute it
/// from what is kept if it alone is not.
std::vector<unsigned> orderRecomputable(llvm::ArrayRef<ForwardNode> nodes);

/// The operations of a materialized step that the backward can compute anew, in
/// that order on a machine.
llvm::SmallVector<Operation *> findRecomputable(mlir::func::FuncOp step,
                                                const ScheduleModel &machine);

/// Makes the backward compute the results of `dropped` itself, with all that
/// they are computed from and nobody keeps, just before it first reads them.
void recomputeInBackward(mlir::func::FuncOp step,
                         llvm::ArrayRef<Operation *> dropped);

} // namespace prec

#endif // PREC_SCHEDULE_RECOMPUTE_H
