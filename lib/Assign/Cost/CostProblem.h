//===- CostProblem.h - a graph's precision as a labelling -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_COST_COSTPROBLEM_H
#define PREC_LIB_ASSIGN_COST_COSTPROBLEM_H

#include "prec/Assign/Assignment.h"
#include "prec/Assign/CostModel.h"
#include "prec/Choose/Labelling.h"
#include "prec/Support/LLVM.h"

namespace prec {

/// Every contraction that can run is a decision, its permitted candidates in
/// their order are the labels. What several of them share is paid once: the
/// pass over a tensor to quantize it, each layout that is written of it, work
/// copies of weights, storing what nobody else reads.
struct CostProblem {
  LabellingProblem labelling;
  /// By decision: which of the assignment's choices it is.
  std::vector<uint32_t> choices;
  /// By decision and label: which candidate of the choice it is.
  std::vector<SmallVector<unsigned, 3>> candidates;
  /// By decision: times were measured.
  std::vector<bool> isMeasured;
  /// By decision: those that were not are modelled and corrected by others that
  /// were.
  std::vector<bool> isCorrected;
  /// By decision and label: what it adds to the noise of the gradient; empty if
  /// nothing is known of that.
  std::vector<SmallVector<double, 3>> noise;
  /// "PATH fprop": a contraction that may read narrow formats, and of whose
  /// noise nothing is known.
  std::optional<std::string> unmeasured;
};

/// `storage` has the decided formats of values, by value; `noise` may be null.
/// Linear in the number of operations and uses, but for logarithms.
CostProblem buildCostProblem(const Graph &graph, const Classification &facts,
                             ArrayRef<ContractionChoice> choices,
                             ArrayRef<Decision> storage, const Target &target,
                             const CostModel &model,
                             const GradientNoise *noise);

} // namespace prec

#endif // PREC_LIB_ASSIGN_COST_COSTPROBLEM_H
