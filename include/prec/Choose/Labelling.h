//===- Labelling.h - one label a decision, at least cost --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions with a cost for each of their labels, and costs that several share:
// paid once if any of some labels is taken, however many take it (a quantized
// copy, say). With two labels a decision, and all labels of a shared cost on
// one side, the least total is a minimum cut, and exact. Otherwise: moves that
// each are a minimum cut (expansion and fusion moves: Boykov, Veksler, Zabih,
// "Fast Approximate Energy Minimization via Graph Cuts", PAMI 2001; Lempitsky,
// Rother, Roth, Blake, "Fusion Moves for Markov Random Field Optimization",
// PAMI 2010), a lower bound from the dual of the linear program, and a search
// that closes the gap between the two where the problem is small.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_CHOOSE_LABELLING_H
#define PREC_CHOOSE_LABELLING_H

#include "prec/Choose/LabellingProblem.h"

#include <optional>

namespace prec {

/// Solves a problem for which isCut() holds. Among equal costs a decision keeps
/// its first label.
Labelling cutLabels(const LabellingProblem &problem);

/// The cheaper of `current` and `proposal` at every decision, such that the
/// whole is no dearer than `current`.
std::vector<uint32_t> fuseLabels(const LabellingProblem &problem,
                                 llvm::ArrayRef<uint32_t> current,
                                 llvm::ArrayRef<uint32_t> proposal);

/// A bound that no labelling undercuts, from the dual of the linear program by
/// subgradient steps; `known` is the cost of any labelling.
int64_t boundLabels(const LabellingProblem &problem, int64_t known);

/// The best that the methods above find, with its bound. Decisions that share
/// nothing are solved apart, equal groups of them once: time and memory are
/// linear in the number of groups.
Labelling chooseLabels(const LabellingProblem &problem);

/// By decision and label: by how much the best total rises if the decision must
/// have the label. `best` is what chooseLabels gave.
std::vector<llvm::SmallVector<int64_t, 3>>
getMarginals(const LabellingProblem &problem, const Labelling &best);

/// By decision and label: by how much the total rises if this decision alone
/// takes the label, from `labels`. Linear in the size of the problem.
std::vector<llvm::SmallVector<int64_t, 3>>
getFlips(const LabellingProblem &problem, llvm::ArrayRef<uint32_t> labels);

/// What labels use up; `used` is by decision and label, and not negative.
double sumUsed(llvm::ArrayRef<llvm::SmallVector<double, 3>> used,
               llvm::ArrayRef<uint32_t> labels);

/// The cheapest labels that are found of those that use up no more than
/// `limit`, with a bound that none of these undercuts; none if all labels use
/// up more. Not always the best: that is a knapsack.
std::optional<Labelling>
chooseWithin(const LabellingProblem &problem,
             llvm::ArrayRef<llvm::SmallVector<double, 3>> used, double limit);

/// Decisions that shared costs connect, in the order of decisions.
struct LabellingPart {
  LabellingProblem problem;
  /// Of the whole problem, by the part's own.
  std::vector<uint32_t> decisions, shared;
};
std::vector<LabellingPart> splitLabels(const LabellingProblem &problem);

} // namespace prec

#endif // PREC_CHOOSE_LABELLING_H
