//===- ExpertBatches.h - micro-batches of ranks with experts ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_RANKS_EXPERTBATCHES_H
#define PREC_LIB_MATERIALIZE_RANKS_EXPERTBATCHES_H

#include "Materialize/Ranks/RankTerms.h"
#include "Materialize/Ranks/Shards.h"

namespace prec {

/// Makes `accumulate` and `apply` (--prec-split-accumulation) those of ranks
/// that have experts of their own. What ranks hold shards of the sums of
/// (`sharesSums`, ZeRO stage 2) is added to `sharded`. Where `runsAgain`, a
/// micro-batch whose experts had no room for their rows changes no sum. Returns
/// which sums are a rank's own. Fails, after an error, where gradients do not
/// scale with the labels of a rank.
FailureOr<OwnSums> shareExpertBatches(mlir::func::FuncOp accumulate,
                                      mlir::func::FuncOp apply,
                                      const BatchAxes &axes, bool sharesSums,
                                      bool runsAgain,
                                      std::set<StateName> &sharded);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_RANKS_EXPERTBATCHES_H
