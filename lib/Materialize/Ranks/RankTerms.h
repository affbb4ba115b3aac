//===- RankTerms.h - what an update reads of all ranks ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_RANKS_RANKTERMS_H
#define PREC_LIB_MATERIALIZE_RANKS_RANKTERMS_H

#include "Materialize/Frontier.h"
#include "Materialize/Ranks/RankSums.h"

namespace prec {

/// All ranks that have batches of their own, and of these the ones that have
/// the same experts.
struct BatchAxes {
  MeshAxis all, alike;
  bool hasExperts = false;
};

/// What the update of a step reads of its batch.
struct StepTerms {
  const Frontier &frontier;
  /// What ranks are weighted by; all alike where there are none.
  const std::optional<CountedLabels> &labels;
};

/// Who reads a value now, whatever else is made of it later.
SmallVector<mlir::OpOperand *> listUses(Value value);

/// Whether amaxes are recorded for each of several experts.
bool isOfExperts(RecordAmaxOp record);

/// What reads a term of the step reads the mean over all ranks.
LogicalResult shareTerms(mlir::func::FuncOp step, const StepTerms &terms,
                         const BatchAxes &axes);

/// The same of a step in parts (--prec-split-accumulation) whose ranks each
/// keep sums over their micro-batches, which `apply` adds up.
void shareAccumulated(mlir::func::FuncOp apply, MeshAxis axis);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_RANKS_RANKTERMS_H
