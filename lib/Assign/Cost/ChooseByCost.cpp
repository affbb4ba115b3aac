//===- ChooseByCost.cpp - the cheapest candidates together ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the cost model choose for all contractions together. Storage formats are
// decided on a copy, as contractions that are not settled yet leave them; the
// labelling problem is built from them (CostProblem.cpp) and solved
// (lib/Choose). The labels are the winners, and marginals say what the step
// would take with each other candidate, which is the reason in the tag. The
// report compares the total with the bound, with the recipe, and with what each
// contraction would choose if it paid all of its quantizations itself.
//
//===----------------------------------------------------------------------===//
#include "Assign/Cost/ChooseByCost.h"

#include "Assign/Cost/CostProblem.h"
#include "Assign/Storage.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace prec;

/// Formats of values before contractions are settled: an f32 product's result
/// is all that settling changes.
static Assignment findStorage(const Graph &graph, const Classification &facts,
                              const Recipe &recipe, const RuleSet *userRules,
                              const Assignment &assignment) {
  Assignment scratch;
  scratch.values = assignment.values;
  scratch.ruleOutcomes = assignment.ruleOutcomes;
  RuleApplication rules(userRules, graph, facts, scratch);
  assignStorage(graph, facts, recipe, rules, scratch);
  return scratch;
}

/// What each contraction would take if it paid all its quantizations itself.
static std::vector<uint32_t> decideLocally(const LabellingProblem &problem) {
  std::vector<SmallVector<int64_t, 3>> costs = problem.costs;
  for (const SharedCost &shared : problem.shared)
    for (const SharedCost::User &user : shared.users)
      costs[user.decision][user.label] += shared.cost;
  std::vector<uint32_t> labels;
  for (const auto &choices : costs)
    labels.push_back(llvm::min_element(choices) - choices.begin());
  return labels;
}

namespace {

class CostChooser {
public:
  CostChooser(const CostModel &model, Assignment &assignment)
      : model(model), assignment(assignment) {}

  /// Takes the labels and writes what they are, and what they beat.
  void run(const CostProblem &problem);

private:
  void settle(const CostProblem &problem, uint32_t decision, uint32_t label,
              ArrayRef<int64_t> marginals);
  void explain(ContractionChoice &choice, bool isFirst);

  const CostModel &model;
  Assignment &assignment;
  CostReport report;
};

} // namespace

/// Says in the tags what the winner beat.
void CostChooser::explain(ContractionChoice &choice, bool isFirst) {
  const Candidate *loser = nullptr;
  for (auto [index, candidate] : llvm::enumerate(choice.candidates))
    if (index != choice.winner && candidate.price &&
        (!loser || candidate.price->extra < loser->price->extra))
      loser = &candidate;
  if (!loser)
    return;
  choice.reason = assignment.save(
      "cost: with " + loser->getName() + " the step takes " +
      llvm::formatv("{0:F2} us more", loser->price->extra).str());
  for (Decision &use : choice.candidates[choice.winner].uses)
    if (isFirst)
      use.rule = assignment.save(use.rule + "; " + choice.reason);
    else
      use.decide(assignment.save(choice.reason + ": reads " +
                                 stringifyFormat(use.format)));
}

void CostChooser::settle(const CostProblem &problem, uint32_t decision,
                         uint32_t label, ArrayRef<int64_t> marginals) {
  ContractionChoice &choice = assignment.choices[problem.choices[decision]];
  ArrayRef<unsigned> candidates = problem.candidates[decision];
  for (auto [other, index] : llvm::enumerate(candidates)) {
    double product = toMicroseconds(problem.labelling.costs[decision][other]);
    choice.candidates[index].price = CandidatePrice{
        product, toMicroseconds(std::max<int64_t>(marginals[other], 0)),
        problem.isMeasured[decision]};
  }
  choice.winner = candidates[label];
  explain(choice, choice.winner == candidates.front());
  if (llvm::any_of(candidates, [&](unsigned other) {
        return other != candidates.front();
      })) {
    ++report.decided;
    report.measured += problem.isMeasured[decision];
    report.corrected += problem.isCorrected[decision];
    report.changed += choice.winner != candidates.front();
  }
}

void CostChooser::run(const CostProblem &problem) {
  const LabellingProblem &labelling = problem.labelling;
  Labelling best = chooseLabels(labelling);
  auto marginals = getMarginals(labelling, best);
  report.device = model.getTarget().device;
  report.chosen = toMicroseconds(best.cost);
  report.bound = toMicroseconds(best.bound);
  // The first permitted candidate is the recipe's.
  report.recipe = toMicroseconds(
      labelling.evaluate(std::vector<uint32_t>(labelling.costs.size(), 0)));
  report.local = toMicroseconds(labelling.evaluate(decideLocally(labelling)));
  for (uint32_t decision = 0; decision < best.labels.size(); ++decision)
    settle(problem, decision, best.labels[decision], marginals[decision]);
  assignment.costs = std::move(report);
}

void prec::chooseByCost(const Graph &graph, const Classification &facts,
                        const Recipe &recipe, const Target &target,
                        const AssignmentInputs &inputs,
                        Assignment &assignment) {
  Assignment storage =
      findStorage(graph, facts, recipe, inputs.rules, assignment);
  CostChooser(*inputs.costs, assignment)
      .run(buildCostProblem(graph, facts, assignment.choices, storage.values,
                            target, *inputs.costs));
}
