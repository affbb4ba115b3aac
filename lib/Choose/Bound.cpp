//===- Bound.cpp - lower bounds of labellings -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lower bound on the cost of all labellings. Split every shared cost among
// the decisions that may pay it. Then each decision can take its least label
// apart, and the sum of these is a bound, because in any labelling those who
// pay a shared cost pay no more than the whole of it. The best split is the
// dual of the problem's linear program. Subgradient steps (Polyak, 1969) come
// close to it: decisions whose least label pays get a greater share, and the
// shares of each cost are projected back, so that they are not negative and sum
// to the cost. There are at most 400 steps, each linear in the problem but for
// a sort.
//
// Example: A and B share a cost of 10 for label 1, which else costs nothing,
// and label 0 costs 6 and 3. Split 5 and 5: min(6, 5) + min(3, 5) = 8. Split 7
// and 3: min(6, 7) + min(3, 3) = 9, which is the cost of the best labelling (0,
// 0).
//
//===----------------------------------------------------------------------===//
#include "Choose/Search.h"
#include "prec/Choose/Labelling.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <functional>

using namespace prec;

CostShares prec::splitEvenly(const LabellingProblem &problem) {
  CostShares result;
  for (const SharedCost &cost : problem.shared) {
    auto &shares = result.shares.emplace_back();
    for (const SharedCost::User &user : cost.users) {
      auto *known = llvm::find_if(shares, [&](const CostShares::Share &share) {
        return share.decision == user.decision;
      });
      if (known == shares.end()) {
        shares.push_back({user.decision, {}});
        known = &shares.back();
      }
      if (!llvm::is_contained(known->labels, user.label))
        known->labels.push_back(user.label);
    }
    for (CostShares::Share &share : shares)
      share.paid = cost.cost / int64_t(shares.size());
  }
  return result;
}

/// The cheapest labels with their shares; returns their sum.
static int64_t findCheapest(const LabellingProblem &problem,
                            const CostShares &shares,
                            std::vector<uint32_t> &labels) {
  std::vector<llvm::SmallVector<int64_t, 3>> costs = problem.costs;
  for (const auto &group : shares.shares)
    for (const CostShares::Share &share : group)
      for (uint32_t label : share.labels)
        costs[share.decision][label] += share.paid;
  int64_t sum = 0;
  labels.clear();
  for (const auto &choices : costs) {
    labels.push_back(llvm::min_element(choices) - choices.begin());
    sum += choices[labels.back()];
  }
  return sum;
}

/// The nearest point with no negative coordinate and the given sum (Held,
/// Wolfe, Crowder, 1974).
static void projectOnSimplex(std::vector<double> &point, double sum) {
  std::vector<double> sorted = point;
  llvm::sort(sorted, std::greater<double>());
  double above = 0, shift = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    above += sorted[i];
    double candidate = (above - sum) / double(i + 1);
    if (sorted[i] > candidate)
      shift = candidate;
  }
  for (double &x : point)
    x = std::max(0.0, x - shift);
}

int64_t prec::improveShares(const LabellingProblem &problem, int64_t known,
                            CostShares &shares) {
  constexpr unsigned kSteps = 400, kPatience = 20;
  std::vector<uint32_t> labels;
  CostShares best = shares;
  int64_t value = findCheapest(problem, shares, labels), bound = value;
  double scale = 1;
  unsigned stale = 0;
  for (unsigned step = 0; step < kSteps && bound < known; ++step) {
    auto pays = [&](const CostShares::Share &share) {
      return llvm::is_contained(share.labels, labels[share.decision]);
    };
    double length = 0;
    for (const auto &group : shares.shares)
      length += llvm::count_if(group, pays);
    if (length == 0)
      break;
    double width = scale * double(known - value) / length;
    for (auto [group, cost] : llvm::zip_equal(shares.shares, problem.shared)) {
      std::vector<double> point;
      for (const CostShares::Share &share : group)
        point.push_back(double(share.paid) + (pays(share) ? width : 0));
      projectOnSimplex(point, double(cost.cost));
      int64_t left = cost.cost;
      // Rounded down, never more than the whole.
      for (auto [share, x] : llvm::zip_equal(group, point)) {
        share.paid = std::min(left, int64_t(std::floor(x)));
        left -= share.paid;
      }
    }
    value = findCheapest(problem, shares, labels);
    if (value > bound) {
      bound = value;
      best = shares;
      stale = 0;
    } else if (++stale == kPatience) {
      scale /= 2;
      stale = 0;
    }
  }
  shares = std::move(best);
  return bound;
}

int64_t prec::boundLabels(const LabellingProblem &problem, int64_t known) {
  CostShares shares = splitEvenly(problem);
  return improveShares(problem, known, shares);
}
