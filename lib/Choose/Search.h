//===- Search.h - labellings where a cut is not enough ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CHOOSE_SEARCH_H
#define PREC_LIB_CHOOSE_SEARCH_H

#include "prec/Choose/LabellingProblem.h"

namespace prec {

/// Expansion moves until none of them improves; `bound` is left alone.
Labelling expandLabels(const LabellingProblem &problem);

/// What the decisions that share a cost pay of it, by shared cost and decision
/// (each once, in order). No shared cost is paid more than once, so the least
/// labels of the decisions apart are a bound.
struct CostShares {
  struct Share {
    uint32_t decision;
    /// The labels that pay.
    llvm::SmallVector<uint32_t, 2> labels;
    int64_t paid = 0;
  };
  std::vector<llvm::SmallVector<Share, 4>> shares;
};
CostShares splitEvenly(const LabellingProblem &problem);
/// Improves the shares and returns their bound.
int64_t improveShares(const LabellingProblem &problem, int64_t known,
                      CostShares &shares);

/// Depth-first search with bounds; gives up on large problems. Leaves a better
/// labelling, and a bound that equals its cost if the search ended.
void closeGap(const LabellingProblem &problem, Labelling &labelling);

} // namespace prec

#endif // PREC_LIB_CHOOSE_SEARCH_H
