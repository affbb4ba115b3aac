//===- LabellingProblem.h - decisions and what they cost --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_CHOOSE_LABELLINGPROBLEM_H
#define PREC_CHOOSE_LABELLINGPROBLEM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace prec {

struct SharedCost {
  /// A label of a decision. A decision may have several of its labels here.
  struct User {
    uint32_t decision, label;
    bool operator==(const User &other) const {
      return decision == other.decision && label == other.label;
    }
  };

  /// Not negative.
  int64_t cost = 0;
  llvm::SmallVector<User, 4> users;
};

/// Costs are whole numbers of any unit, so that sums are exact. Their sum must
/// stay below MinCut::kInfinite.
struct LabellingProblem {
  /// By decision and label; every decision has a label.
  std::vector<llvm::SmallVector<int64_t, 3>> costs;
  std::vector<SharedCost> shared;

  /// What a choice of labels costs. Linear in the size of the problem.
  int64_t evaluate(llvm::ArrayRef<uint32_t> labels) const;
  /// Whether a minimum cut solves it: at most two labels a decision, and no
  /// shared cost with first labels and second ones.
  bool isCut() const;
};

struct Labelling {
  /// By decision.
  std::vector<uint32_t> labels;
  int64_t cost = 0;
  /// No labelling costs less.
  int64_t bound = 0;

  int64_t getGap() const { return cost - bound; }
};

} // namespace prec

#endif // PREC_CHOOSE_LABELLINGPROBLEM_H
