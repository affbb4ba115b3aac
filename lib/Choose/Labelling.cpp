//===- Labelling.cpp - one label a decision, at least cost ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry of the search: one label for each decision, at least total cost.
// First costs that are paid whatever is chosen go to one decision, and the
// problem is split into parts that share no cost (union-find); layers of a
// model are often equal parts, and equal parts are solved once. A part that is
// a cut is solved exactly (Cut.cpp). Another one gets a labelling from moves, a
// lower bound (Bound.cpp) and, if it is small, a search that proves the best
// (CloseGap.cpp). Costs and bounds of the parts add up. getMarginals answers
// "what if": it forces every other label of a decision once and solves the part
// again. Example: 32 equal layers of 7 decisions are one problem of 7
// decisions.
//
//===----------------------------------------------------------------------===//
#include "prec/Choose/Labelling.h"

#include "Choose/Search.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <map>
#include <numeric>

using namespace prec;
using llvm::ArrayRef;

int64_t LabellingProblem::evaluate(ArrayRef<uint32_t> labels) const {
  int64_t total = 0;
  for (auto [decision, choices] : llvm::enumerate(costs))
    total += choices[labels[decision]];
  for (const SharedCost &cost : shared)
    if (llvm::any_of(cost.users, [&](const SharedCost::User &user) {
          return labels[user.decision] == user.label;
        }))
      total += cost.cost;
  return total;
}

bool LabellingProblem::isCut() const {
  return llvm::all_of(
             costs, [](const auto &choices) { return choices.size() <= 2; }) &&
         llvm::all_of(shared, [&](const SharedCost &cost) {
           auto isFirst = [](const SharedCost::User &user) {
             return user.label == 0;
           };
           return llvm::all_of(cost.users, isFirst) ||
                  llvm::none_of(cost.users, isFirst);
         });
}

std::vector<LabellingPart> prec::splitLabels(const LabellingProblem &problem) {
  std::vector<uint32_t> leaders(problem.costs.size());
  std::iota(leaders.begin(), leaders.end(), 0);
  auto find = [&](uint32_t decision) {
    while (leaders[decision] != decision)
      decision = leaders[decision] = leaders[leaders[decision]];
    return decision;
  };
  for (const SharedCost &cost : problem.shared)
    for (const SharedCost::User &user : cost.users) {
      uint32_t a = find(cost.users.front().decision), b = find(user.decision);
      leaders[std::max(a, b)] = std::min(a, b);
    }

  std::vector<LabellingPart> parts;
  // Of the whole problem: which part, and which of its decisions.
  std::vector<uint32_t> partOf(leaders.size()), indexIn(leaders.size());
  for (uint32_t decision = 0; decision < leaders.size(); ++decision) {
    uint32_t leader = find(decision);
    if (leader == decision) {
      partOf[decision] = parts.size();
      parts.emplace_back();
    }
    LabellingPart &part = parts[partOf[decision] = partOf[leader]];
    indexIn[decision] = part.decisions.size();
    part.decisions.push_back(decision);
    part.problem.costs.push_back(problem.costs[decision]);
  }
  for (auto [index, cost] : llvm::enumerate(problem.shared)) {
    if (cost.users.empty())
      continue;
    LabellingPart &part = parts[partOf[cost.users.front().decision]];
    part.shared.push_back(index);
    SharedCost &own = part.problem.shared.emplace_back(cost);
    for (SharedCost::User &user : own.users)
      user.decision = indexIn[user.decision];
  }
  return parts;
}

/// Everything that a problem says, to find equal ones.
static std::vector<int64_t> getKey(const LabellingProblem &problem) {
  std::vector<int64_t> key;
  for (const auto &choices : problem.costs) {
    key.push_back(choices.size());
    llvm::append_range(key, choices);
  }
  for (const SharedCost &cost : problem.shared) {
    key.push_back(cost.users.size());
    key.push_back(cost.cost);
    for (const SharedCost::User &user : cost.users) {
      key.push_back(user.decision);
      key.push_back(user.label);
    }
  }
  return key;
}

/// Moves shared costs that are paid whatever is taken, because every label of a
/// decision pays them, to that decision: they connect nothing.
static LabellingProblem settleCertain(const LabellingProblem &problem) {
  LabellingProblem settled = problem;
  for (SharedCost &cost : settled.shared) {
    const SharedCost::User *payer =
        llvm::find_if(cost.users, [&](const SharedCost::User &user) {
          return llvm::all_of(
              llvm::seq<uint32_t>(0, settled.costs[user.decision].size()),
              [&](uint32_t label) {
                return llvm::is_contained(
                    cost.users, SharedCost::User{user.decision, label});
              });
        });
    if (payer == cost.users.end())
      continue;
    for (int64_t &label : settled.costs[payer->decision])
      label += cost.cost;
    cost.users.clear();
  }
  return settled;
}

static Labelling choosePart(const LabellingProblem &problem) {
  if (problem.isCut())
    return cutLabels(problem);
  Labelling labelling = expandLabels(problem);
  labelling.bound = boundLabels(problem, labelling.cost);
  closeGap(problem, labelling);
  return labelling;
}

Labelling prec::chooseLabels(const LabellingProblem &problem) {
  Labelling whole;
  whole.labels.resize(problem.costs.size());
  std::map<std::vector<int64_t>, Labelling> known;
  for (const LabellingPart &part : splitLabels(settleCertain(problem))) {
    auto [entry, isNew] = known.try_emplace(getKey(part.problem));
    if (isNew)
      entry->second = choosePart(part.problem);
    const Labelling &labelling = entry->second;
    for (auto [own, decision] : llvm::enumerate(part.decisions))
      whole.labels[decision] = labelling.labels[own];
    whole.cost += labelling.cost;
    whole.bound += labelling.bound;
  }
  return whole;
}

/// Of a part; `labels` are the best.
static std::vector<llvm::SmallVector<int64_t, 3>>
getPartMarginals(const LabellingProblem &problem, ArrayRef<uint32_t> labels) {
  // More than any label is worth.
  constexpr int64_t kForbidden = int64_t(1) << 50;
  int64_t best = problem.evaluate(labels);
  std::vector<llvm::SmallVector<int64_t, 3>> marginals;
  LabellingProblem forced = problem;
  for (auto [decision, choices] : llvm::enumerate(problem.costs)) {
    auto &own = marginals.emplace_back(choices.size(), 0);
    for (uint32_t label = 0; label < choices.size(); ++label) {
      if (label == labels[decision])
        continue;
      for (int64_t &cost : forced.costs[decision])
        cost += kForbidden;
      forced.costs[decision][label] -= kForbidden;
      own[label] = choosePart(forced).cost - best;
      forced.costs[decision] = choices;
    }
  }
  return marginals;
}

std::vector<llvm::SmallVector<int64_t, 3>>
prec::getMarginals(const LabellingProblem &problem, const Labelling &best) {
  std::vector<llvm::SmallVector<int64_t, 3>> marginals(problem.costs.size());
  std::map<std::vector<int64_t>, std::vector<llvm::SmallVector<int64_t, 3>>>
      known;
  for (const LabellingPart &part : splitLabels(settleCertain(problem))) {
    std::vector<uint32_t> labels;
    for (uint32_t decision : part.decisions)
      labels.push_back(best.labels[decision]);
    std::vector<int64_t> key = getKey(part.problem);
    llvm::append_range(key, labels);
    auto [entry, isNew] = known.try_emplace(std::move(key));
    if (isNew)
      entry->second = getPartMarginals(part.problem, labels);
    for (auto [own, decision] : llvm::enumerate(part.decisions))
      marginals[decision] = entry->second[own];
  }
  return marginals;
}
