//===- RankValues.h - what ranks make of each other's values ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_IMPORT_RANKVALUES_H
#define PREC_LIB_IMPORT_RANKVALUES_H

#include "Import/LayerPlan.h"

namespace prec {

/// The type of what each of `ranks` ranks has of a tensor that is divided along
/// `dim`.
RankedTensorType getSliceType(Type whole, int64_t dim, int64_t ranks);

/// The values of a planned step in other placements than they are made in. Each
/// is made once for all who read it.
class RankValues {
public:
  RankValues(mlir::func::FuncOp step, int64_t ranks, const LayerPlan &plan)
      : step(step), ranks(ranks), plan(plan) {}

  /// Adds up small terms that the optimizer alone reads, such as gradients of
  /// norms, in one sum. Before anything is read.
  void joinSmallSums();
  /// What `reader` needs of a value of the graph as it was.
  Value read(Value value, const Placement &needed, Operation *reader);

  /// Sums over ranks, how many of these are of a rank's rows, the bytes of all
  /// terms, and how often rows are gathered.
  unsigned sums = 0, sumsOfRows = 0, gathers = 0;
  double bytes = 0;

private:
  Value add(Value part);
  Value addUp(Value part, Operation *maker);
  Value addRows(Value part);
  Value gatherRows(Value value, Operation *reader);
  Value cut(Value whole, int64_t dim, Operation *before);
  Value cut(Value whole, const Placement &placement, Operation *before);

  mlir::func::FuncOp step;
  int64_t ranks;
  const LayerPlan &plan;
  DenseMap<Value, Value> added, addedRows, gathered;
};

} // namespace prec

#endif // PREC_LIB_IMPORT_RANKVALUES_H
