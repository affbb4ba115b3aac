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

/// What optimizers of a rank's experts read that has an element for each of
/// theirs and is a gradient of the batch.
DenseSet<Value> findExpertGradients(mlir::func::FuncOp function,
                                    llvm::function_ref<bool(Value)> isGradient);

/// Multiplies the gradients that backwards start from by `count`, the labels of
/// this rank, over `total`, those of all, in front of `head`; returns what
/// scales with them. Fails, after an error, where something is added to that
/// which does not.
FailureOr<DenseSet<Value>> scaleSeeds(mlir::func::FuncOp function,
                                      Operation *head, MeshAxis all,
                                      Value count, Value total);

/// The labels of all ranks, of those of each.
Value addCounts(RankBuilder &b, Value count);

/// What ranks make of a term of which each has its own, behind `head`.
class TermShares {
public:
  /// All ranks weigh the same where `count`, the labels of this rank, is null.
  TermShares(Operation *head, const BatchAxes &axes, Value count);

  /// The mean over all ranks.
  Value getMean(Value term);
  /// The sum over all ranks: of a gradient that scales with a rank's share of
  /// all labels.
  Value getSum(Value term);
  /// Of a gradient of experts, which is of the tokens of the ranks that have
  /// others: the sum over the ranks that have the same, or the mean over all
  /// where it does not scale with a rank's share. The term itself where there
  /// is nothing to add and to divide.
  Value getOfExperts(Value term, bool isScaled);

private:
  Operation *head;
  BatchAxes axes;
  RankSums weighed, plain;
  /// Null where all ranks weigh the same.
  Value divisor;
};

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
