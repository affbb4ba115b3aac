//===- CloseGap.cpp - search below a bound --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Closes the gap between the best labelling found and its lower bound, by
// branch and bound on small problems. A depth-first search decides one decision
// after the other. The bound of a node of the search is what the decided ones
// pay, plus the least label of each open one with its share of shared costs
// (Bound.cpp); a share is zero once a decided one pays the whole cost. Where
// the bound is not below the best cost, the subtree is left. If the search
// ends, the best labelling is proven: its bound becomes its cost. It gives up
// after `kMostSteps` steps and on more than 32 decisions; the labelling is
// valid in any case.
//
//===----------------------------------------------------------------------===//
#include "Choose/Search.h"
#include "prec/Choose/Labelling.h"

#include "llvm/ADT/STLExtras.h"

using namespace prec;

namespace {

/// Decides one decision after the other. What is decided pays in full, what is
/// open its cheapest label with its shares of costs that nobody pays yet.
class GapSearch {
public:
  GapSearch(const LabellingProblem &problem, const CostShares &shares,
            Labelling &best)
      : problem(problem), best(best), labels(problem.costs.size()),
        payers(problem.shared.size()), open(problem.costs),
        sharedBy(problem.costs.size()), shares(shares) {
    for (auto [index, group] : llvm::enumerate(shares.shares))
      for (const CostShares::Share &share : group) {
        change(share, share.paid);
        sharedBy[share.decision].push_back({uint32_t(index), &share});
      }
  }

  /// False if it gave up.
  bool run() { return search(0, 0); }

private:
  struct Membership {
    uint32_t shared;
    const CostShares::Share *share;
  };

  void change(const CostShares::Share &share, int64_t by) {
    for (uint32_t label : share.labels)
      open[share.decision][label] += by;
  }
  int64_t boundOpen(uint32_t first) const {
    int64_t sum = 0;
    for (uint32_t decision = first; decision < open.size(); ++decision)
      sum += *llvm::min_element(open[decision]);
    return sum;
  }
  /// Takes a label; returns what is newly paid for it.
  int64_t take(uint32_t decision, uint32_t label);
  void undo(uint32_t decision, uint32_t label);
  bool search(uint32_t decision, int64_t paid);

  static constexpr unsigned kMostSteps = 20000;

  const LabellingProblem &problem;
  Labelling &best;
  std::vector<uint32_t> labels;
  std::vector<uint32_t> payers;
  std::vector<llvm::SmallVector<int64_t, 3>> open;
  std::vector<llvm::SmallVector<Membership, 4>> sharedBy;
  const CostShares &shares;
  unsigned steps = 0;
};

} // namespace

int64_t GapSearch::take(uint32_t decision, uint32_t label) {
  int64_t paid = problem.costs[decision][label];
  labels[decision] = label;
  for (auto [shared, share] : sharedBy[decision])
    if (llvm::is_contained(share->labels, label) && payers[shared]++ == 0) {
      paid += problem.shared[shared].cost;
      // Shares of decided ones change, too: nobody reads these.
      for (const CostShares::Share &other : shares.shares[shared])
        change(other, -other.paid);
    }
  return paid;
}

void GapSearch::undo(uint32_t decision, uint32_t label) {
  for (auto [shared, share] : sharedBy[decision])
    if (llvm::is_contained(share->labels, label) && --payers[shared] == 0)
      for (const CostShares::Share &other : shares.shares[shared])
        change(other, other.paid);
}

bool GapSearch::search(uint32_t decision, int64_t paid) {
  if (paid + boundOpen(decision) >= best.cost)
    return true;
  if (++steps > kMostSteps)
    return false;
  if (decision == labels.size()) {
    best.cost = paid;
    best.labels = labels;
    return true;
  }
  for (uint32_t label = 0; label < problem.costs[decision].size(); ++label) {
    bool ended = search(decision + 1, paid + take(decision, label));
    undo(decision, label);
    if (!ended)
      return false;
  }
  return true;
}

void prec::closeGap(const LabellingProblem &problem, Labelling &labelling) {
  // Deeper searches rarely end within their steps.
  constexpr size_t kMostDecisions = 32;
  if (labelling.getGap() == 0 || problem.costs.size() > kMostDecisions)
    return;
  CostShares shares = splitEvenly(problem);
  improveShares(problem, labelling.cost, shares);
  if (GapSearch(problem, shares, labelling).run())
    labelling.bound = labelling.cost;
}
