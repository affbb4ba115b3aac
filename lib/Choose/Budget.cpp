//===- Budget.cpp - the cheapest labels that use no more than a limit -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Labels cost something and use up something else, of which there is a limit
// (time and noise). What is used gets a price, which is added to the costs of
// labels, so that one price gives one ordinary problem (Lagrange's multiplier).
// Two labellings are kept: one that is cheap and uses too much, one that keeps
// the limit. The next price is that at which both are worth the same. Where it
// gives a labelling that is better than both, this one takes the place of one
// of them; where it does not, no price is left to be tried. What is found so
// are the labellings of which no mixture of two others is better in both. In
// between there may be better ones, so decisions change their labels alone as
// long as that saves something and keeps the limit: beginning with the one
// labelling, and with the other after decisions gave up what saves least.
//
// Every price also gives a bound: labels that keep the limit cost no less than
// the priced problem's least cost minus the price of the limit.
//
// Example: A and B take 6 and 5 more with label 0, which uses nothing, and use
// 2 and 1 with label 1; 1 may be used. (1, 1) costs 0 and uses 3, (0, 0) costs
// 11 and uses 0. At 11 / 3 a unit A takes label 0 or 1 for 6 or 7.3, B for 5 or
// 3.7: (0, 1) is what keeps the limit, for 6.
//
//===----------------------------------------------------------------------===//
#include "Choose/MinCut.h"
#include "Choose/Search.h"
#include "prec/Choose/Labelling.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace prec;
using llvm::ArrayRef;

double prec::sumUsed(ArrayRef<llvm::SmallVector<double, 3>> used,
                     ArrayRef<uint32_t> labels) {
  double sum = 0;
  for (auto [decision, label] : llvm::enumerate(labels))
    sum += used[decision][label];
  return sum;
}

std::vector<llvm::SmallVector<int64_t, 3>>
prec::getFlips(const LabellingProblem &problem, ArrayRef<uint32_t> labels) {
  std::vector<llvm::SmallVector<int64_t, 3>> flips;
  for (auto [costs, label] : llvm::zip_equal(problem.costs, labels)) {
    auto &own = flips.emplace_back(costs);
    for (int64_t &cost : own)
      cost -= costs[label];
  }
  for (const SharedCost &shared : problem.shared) {
    const SharedCost::User *payer = nullptr;
    bool isOnlyPayer = true;
    for (const SharedCost::User &user : shared.users)
      if (labels[user.decision] == user.label) {
        isOnlyPayer &= !payer || payer->decision == user.decision;
        payer = &user;
      }
    if (!payer)
      for (auto [index, user] : llvm::enumerate(shared.users))
        if (!llvm::is_contained(ArrayRef(shared.users).take_front(index), user))
          flips[user.decision][user.label] += shared.cost;
    if (!payer || !isOnlyPayer)
      continue;
    // With a label that does not need it either nobody pays.
    auto &own = flips[payer->decision];
    for (uint32_t label = 0; label < own.size(); ++label)
      if (!llvm::is_contained(shared.users,
                              SharedCost::User{payer->decision, label}))
        own[label] -= shared.cost;
  }
  return flips;
}

namespace {

struct Point {
  std::vector<uint32_t> labels;
  int64_t cost = 0;
  double used = 0;
};

class BudgetSearch {
public:
  BudgetSearch(const LabellingProblem &problem,
               ArrayRef<llvm::SmallVector<double, 3>> used, double limit);

  std::optional<Labelling> run();

private:
  bool keeps(const Point &point) const { return point.used <= limit; }
  Point measure(std::vector<uint32_t> labels) const;
  /// The best labels if each adds `price` times what it uses to its cost.
  Point solve(double price);
  /// The cheapest labels of those that use least.
  Point findLeast() const;
  void closeIn(Point &cheap, Point &kept);
  void fill(Point &point) const;
  void giveUp(Point &point) const;

  const LabellingProblem &problem;
  ArrayRef<llvm::SmallVector<double, 3>> used;
  double limit;
  /// More than changes of labels are worth.
  double most;
  int64_t bound = 0;
};

} // namespace

BudgetSearch::BudgetSearch(const LabellingProblem &problem,
                           ArrayRef<llvm::SmallVector<double, 3>> used,
                           double limit)
    : problem(problem), used(used), limit(limit) {
  double all = 1;
  for (const auto &costs : problem.costs) {
    auto [least, greatest] = std::minmax_element(costs.begin(), costs.end());
    all += double(*greatest) - double(*least);
  }
  for (const SharedCost &shared : problem.shared)
    all += double(shared.cost);
  double room = double(MinCut::kInfinite) / 4;
  most = std::min(all, room / double(std::max<size_t>(used.size(), 1)));
}

Point BudgetSearch::measure(std::vector<uint32_t> labels) const {
  Point point{std::move(labels)};
  point.cost = problem.evaluate(point.labels);
  point.used = sumUsed(used, point.labels);
  return point;
}

Point BudgetSearch::solve(double price) {
  LabellingProblem priced = problem;
  for (auto [costs, uses] : llvm::zip_equal(priced.costs, used))
    for (auto [cost, one] : llvm::zip_equal(costs, uses))
      cost += std::llround(std::min(price * one, most));
  Labelling best = chooseLabels(priced);
  // Prices are rounded by half a unit each, and sums of doubles by some of
  // their last digits.
  constexpr double kDigits = 1e-14;
  double least = double(best.bound) - price * limit - double(used.size()) / 2 -
                 kDigits * (double(best.bound) + price * limit);
  if (least > double(bound))
    bound = int64_t(least);
  return measure(std::move(best.labels));
}

Point BudgetSearch::findLeast() const {
  LabellingProblem priced = problem;
  for (auto [costs, uses] : llvm::zip_equal(priced.costs, used)) {
    double least = *llvm::min_element(uses);
    for (auto [cost, one] : llvm::zip_equal(costs, uses))
      if (one > least)
        cost += int64_t(most);
  }
  return measure(chooseLabels(priced).labels);
}

/// `cheap` uses too much, `kept` keeps the limit.
void BudgetSearch::closeIn(Point &cheap, Point &kept) {
  // Far more than it takes: each step finds another corner.
  constexpr unsigned kMostSteps = 64;
  for (unsigned step = 0; step < kMostSteps; ++step) {
    if (kept.cost <= cheap.cost || cheap.used <= kept.used)
      return;
    double price = double(kept.cost - cheap.cost) / (cheap.used - kept.used);
    Point found = solve(price);
    auto worth = [&](const Point &point) {
      return double(point.cost) + price * point.used;
    };
    if (worth(found) >= worth(kept) - 1)
      return;
    (keeps(found) ? kept : cheap) = std::move(found);
  }
}

/// Takes what saves most and keeps the limit, as long as there is such.
void BudgetSearch::fill(Point &point) const {
  for (size_t step = 0; step < used.size(); ++step) {
    auto flips = getFlips(problem, point.labels);
    int64_t least = 0;
    uint32_t decision = 0, label = 0;
    for (auto [index, own] : llvm::enumerate(flips))
      for (auto [other, cost] : llvm::enumerate(own)) {
        double after =
            point.used + used[index][other] - used[index][point.labels[index]];
        if (cost >= least || after > limit)
          continue;
        least = cost;
        decision = index;
        label = other;
      }
    if (least == 0)
      return;
    point.labels[decision] = label;
    point = measure(std::move(point.labels));
  }
}

/// Gives up what saves least for what it uses, until the limit is kept.
void BudgetSearch::giveUp(Point &point) const {
  for (size_t step = 0; step < used.size() && !keeps(point); ++step) {
    auto flips = getFlips(problem, point.labels);
    std::optional<double> least;
    uint32_t decision = 0, label = 0;
    for (auto [index, own] : llvm::enumerate(flips))
      for (auto [other, cost] : llvm::enumerate(own)) {
        double freed = used[index][point.labels[index]] - used[index][other];
        if (freed <= 0 || (least && double(cost) / freed >= *least))
          continue;
        least = double(cost) / freed;
        decision = index;
        label = other;
      }
    if (!least)
      return;
    point.labels[decision] = label;
    point = measure(std::move(point.labels));
  }
}

std::optional<Labelling> BudgetSearch::run() {
  Labelling fastest = chooseLabels(problem);
  Point cheap = measure(fastest.labels);
  if (keeps(cheap))
    return fastest;
  Point kept = findLeast();
  if (!keeps(kept))
    return std::nullopt;
  bound = fastest.bound;
  closeIn(cheap, kept);
  fill(kept);
  giveUp(cheap);
  if (keeps(cheap)) {
    fill(cheap);
    if (cheap.cost < kept.cost)
      kept = std::move(cheap);
  }
  return Labelling{std::move(kept.labels), kept.cost,
                   std::min(bound, kept.cost)};
}

std::optional<Labelling>
prec::chooseWithin(const LabellingProblem &problem,
                   ArrayRef<llvm::SmallVector<double, 3>> used, double limit) {
  return BudgetSearch(problem, used, limit).run();
}
