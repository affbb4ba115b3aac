//===- Cut.cpp - labellings by minimum cuts -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Labellings by minimum cuts. cutLabels solves problems of two labels exactly
// (isCut says which): a decision is a node, its side of the cut is its label,
// and an edge to either terminal costs what the label costs. A cost that
// several decisions share is a node of its own, which infinite edges force to
// the paying side as soon as one of them is there, so it is paid once.
//
// With more labels expandLabels makes moves: a proposal names a label for each
// decision, and one cut chooses for every decision between its current label
// and the proposed one (fuseLabels). The cut may overrate a move, never the
// current labelling, so a move that is taken only lowers the cost. Moves repeat
// until none helps, from several starts. The result is a local optimum;
// Bound.cpp says how far from the best it can be.
//
//===----------------------------------------------------------------------===//
#include "Choose/Search.h"
#include "prec/Choose/Labelling.h"

#include "Choose/MinCut.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <optional>

using namespace prec;
using llvm::ArrayRef;

/// Paid once if any of the nodes is on the given side: a node of its own that
/// must be on that side as soon as one of them is, and costs there.
static void addShared(MinCut &cut, ArrayRef<uint32_t> nodes, bool sourceSide,
                      int64_t cost) {
  if (cost == 0 || nodes.empty())
    return;
  if (nodes.size() == 1)
    return cut.addCosts(nodes[0], sourceSide ? cost : 0, sourceSide ? 0 : cost);
  uint32_t any = cut.addNode();
  cut.addCosts(any, sourceSide ? cost : 0, sourceSide ? 0 : cost);
  for (uint32_t node : nodes)
    if (sourceSide)
      cut.addEdge(node, any, MinCut::kInfinite);
    else
      cut.addEdge(any, node, MinCut::kInfinite);
}

/// The source's side is the second label.
Labelling prec::cutLabels(const LabellingProblem &problem) {
  MinCut cut;
  std::vector<uint32_t> nodes;
  for (const auto &choices : problem.costs) {
    nodes.push_back(cut.addNode());
    cut.addCosts(nodes.back(),
                 choices.size() > 1 ? choices[1] : MinCut::kInfinite,
                 choices[0]);
  }
  for (const SharedCost &cost : problem.shared) {
    if (cost.users.empty())
      continue;
    llvm::SmallVector<uint32_t> users;
    for (const SharedCost::User &user : cost.users)
      users.push_back(nodes[user.decision]);
    addShared(cut, users, cost.users.front().label == 1, cost.cost);
  }
  Labelling labelling;
  labelling.cost = labelling.bound = cut.solve();
  for (uint32_t node : nodes)
    labelling.labels.push_back(cut.isOnSourceSide(node));
  return labelling;
}

std::vector<uint32_t> prec::fuseLabels(const LabellingProblem &problem,
                                       ArrayRef<uint32_t> current,
                                       ArrayRef<uint32_t> proposal) {
  // The source's side is the proposal.
  MinCut cut;
  std::vector<uint32_t> nodes;
  for (auto [decision, choices] : llvm::enumerate(problem.costs)) {
    nodes.push_back(cut.addNode());
    cut.addCosts(nodes.back(), choices[proposal[decision]],
                 choices[current[decision]]);
  }
  for (const SharedCost &cost : problem.shared) {
    llvm::SmallVector<uint32_t> leaving, joining;
    bool isAlwaysPaid = false;
    for (const SharedCost::User &user : cost.users) {
      bool stays = current[user.decision] == user.label,
           comes = proposal[user.decision] == user.label;
      isAlwaysPaid |= stays && comes;
      if (stays && !comes)
        leaving.push_back(nodes[user.decision]);
      if (comes && !stays)
        joining.push_back(nodes[user.decision]);
    }
    // Decisions that swap labels of one shared cost pay it either way. Others
    // that come while the last one leaves are no cut: as long as any has it
    // now, it counts as paid, which can only overrate the move.
    auto swaps = [&](uint32_t node) {
      return llvm::is_contained(joining, node);
    };
    if (isAlwaysPaid || llvm::any_of(leaving, swaps) ||
        (!leaving.empty() && !joining.empty()))
      continue;
    addShared(cut, leaving, /*sourceSide=*/false, cost.cost);
    addShared(cut, joining, /*sourceSide=*/true, cost.cost);
  }
  cut.solve();
  std::vector<uint32_t> fused(current);
  for (auto [decision, node] : llvm::enumerate(nodes))
    if (cut.isOnSourceSide(node))
      fused[decision] = proposal[decision];
  return fused;
}

/// The labels of one move. Labels that pay a shared cost together should be
/// proposed together: first each number of a label everywhere, then the users
/// of each shared cost.
static std::vector<uint32_t> propose(const LabellingProblem &problem,
                                     ArrayRef<uint32_t> current, size_t labels,
                                     size_t move) {
  std::vector<uint32_t> proposal(current);
  if (move < labels) {
    for (auto [decision, choices] : llvm::enumerate(problem.costs))
      if (move < choices.size())
        proposal[decision] = move;
    return proposal;
  }
  // The first of a decision's labels that pay.
  for (const SharedCost::User &user :
       llvm::reverse(problem.shared[move - labels].users))
    proposal[user.decision] = user.label;
  return proposal;
}

static void descend(const LabellingProblem &problem, size_t labels,
                    Labelling &labelling) {
  // Moves by shared cost would make large problems quadratic.
  constexpr size_t kMostShared = 256;
  size_t moves =
      labels +
      (problem.shared.size() <= kMostShared ? problem.shared.size() : 0);
  for (bool improves = true; improves;) {
    improves = false;
    for (size_t move = 0; move < moves; ++move) {
      std::vector<uint32_t> fused =
          fuseLabels(problem, labelling.labels,
                     propose(problem, labelling.labels, labels, move));
      int64_t cost = problem.evaluate(fused);
      if (cost >= labelling.cost)
        continue;
      labelling.labels = std::move(fused);
      labelling.cost = cost;
      improves = true;
    }
  }
}

Labelling prec::expandLabels(const LabellingProblem &problem) {
  std::optional<Labelling> best;
  size_t most = 1;
  for (const auto &choices : problem.costs)
    most = std::max(most, choices.size());
  // From the cheapest labels apart, and from each number of a label everywhere.
  for (size_t start = 0; start <= most; ++start) {
    Labelling labelling;
    for (const auto &choices : problem.costs)
      labelling.labels.push_back(
          start == 0 ? size_t(llvm::min_element(choices) - choices.begin())
                     : std::min(start - 1, choices.size() - 1));
    labelling.cost = problem.evaluate(labelling.labels);
    descend(problem, most, labelling);
    if (!best || labelling.cost < best->cost)
      best = std::move(labelling);
  }
  return *best;
}
