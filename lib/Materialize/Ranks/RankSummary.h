//===- RankSummary.h - what a rank holds and gets ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_RANKS_RANKSUMMARY_H
#define PREC_LIB_MATERIALIZE_RANKS_RANKSUMMARY_H

#include "Materialize/Ranks/RankBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace prec {

/// Says of each parameter why a rank holds its shard along `axis`, or all of
/// it, unless it has been said of another axis.
void notePlacements(mlir::func::FuncOp step, MeshAxis axis);

/// What one of several ranks holds of parameters and optimizer states, which of
/// them it holds whole and why, and what it gets from the others in a step.
std::string summarizeRank(mlir::func::FuncOp step, MeshAxis axis);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_RANKS_RANKSUMMARY_H
