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
// Where the gradient must keep a signal to noise ratio, noise is what labels
// use up of a limit (chooseWithin). A candidate's reason is then what the step
// would take if this contraction alone changed, and what would be left of the
// ratio.
//
//===----------------------------------------------------------------------===//
#include "Assign/Cost/ChooseByCost.h"

#include "Assign/Cost/CostProblem.h"
#include "Assign/Cost/CostRemark.h"
#include "Assign/Storage.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <limits>

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
  CostChooser(const CostModel &model, const AssignmentInputs &inputs,
              Assignment &assignment)
      : model(model), inputs(inputs), assignment(assignment) {}

  /// Takes the labels and writes what they are, and what they beat.
  void run(const CostProblem &problem);

private:
  void settle(const CostProblem &problem, uint32_t decision, uint32_t label,
              ArrayRef<int64_t> marginals);
  void explain(ContractionChoice &choice, bool isFirst);
  /// All noise is known.
  bool hasNoise(const CostProblem &problem) const {
    return inputs.noise && !problem.unmeasured;
  }
  bool hasLimit(const CostProblem &problem) const {
    return hasNoise(problem) && inputs.leastSnr;
  }
  double addNoise(const CostProblem &problem, ArrayRef<uint32_t> labels) const;
  Labelling choose(const CostProblem &problem) const;

  const CostModel &model;
  const AssignmentInputs &inputs;
  Assignment &assignment;
  double noise = 0; ///< of what is chosen
  CostReport report;
};

} // namespace

static double toDecibels(double noise) {
  return noise > 0 ? -10 * std::log10(noise)
                   : std::numeric_limits<double>::infinity();
}

static double toNoise(double decibels) { return std::pow(10, -decibels / 10); }

double CostChooser::addNoise(const CostProblem &problem,
                             ArrayRef<uint32_t> labels) const {
  return inputs.noise->wide + sumUsed(problem.noise, labels);
}

/// What keeps the least signal to noise ratio, if one is asked for and any
/// choice does; else the fastest of the least noise, which the caller refuses.
Labelling CostChooser::choose(const CostProblem &problem) const {
  if (!hasLimit(problem))
    return chooseLabels(problem.labelling);
  double limit = toNoise(*inputs.leastSnr) - inputs.noise->wide;
  if (std::optional<Labelling> kept =
          chooseWithin(problem.labelling, problem.noise, limit))
    return *kept;
  double least = 0;
  for (const auto &noises : problem.noise)
    least += *llvm::min_element(noises);
  // Sums of the same numbers in the same order.
  return *chooseWithin(problem.labelling, problem.noise, least);
}

/// Says in the tags what the winner beat.
void CostChooser::explain(ContractionChoice &choice, bool isFirst) {
  const Candidate *loser = nullptr;
  for (auto [index, candidate] : llvm::enumerate(choice.candidates))
    if (index != choice.winner && candidate.price &&
        (!loser || candidate.price->extra < loser->price->extra))
      loser = &candidate;
  if (!loser)
    return;
  std::string reason =
      "cost: with " + loser->getName() + " the step takes " +
      llvm::formatv("{0:F2} us {1}", std::abs(loser->price->extra),
                    loser->price->extra < 0 ? "less" : "more")
          .str();
  if (const auto &own = choice.candidates[choice.winner].price;
      own && own->noise && loser->price->noise) {
    double other = std::max(0.0, noise - *own->noise + *loser->price->noise);
    reason += ", and gradients keep " + printDecibels(toDecibels(other)) +
              " instead of " + printDecibels(toDecibels(noise));
  }
  choice.reason = assignment.save(reason);
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
        product, toMicroseconds(marginals[other]), problem.isMeasured[decision],
        hasNoise(problem) ? std::optional(problem.noise[decision][other])
                          : std::nullopt};
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
  Labelling best = choose(problem);
  // With a limit less may be taken elsewhere for what is more here: a change
  // is told alone.
  std::vector<SmallVector<int64_t, 3>> marginals;
  if (hasLimit(problem))
    marginals = getFlips(labelling, best.labels);
  else
    for (auto &rises : marginals = getMarginals(labelling, best))
      for (int64_t &rise : rises)
        rise = std::max<int64_t>(rise, 0);
  report.device = model.getTarget().device;
  report.chosen = toMicroseconds(best.cost);
  report.bound = toMicroseconds(best.bound);
  // The first permitted candidate is the recipe's.
  report.recipe = toMicroseconds(
      labelling.evaluate(std::vector<uint32_t>(labelling.costs.size(), 0)));
  report.local = toMicroseconds(labelling.evaluate(decideLocally(labelling)));
  report.unmeasured = problem.unmeasured;
  if (hasNoise(problem)) {
    noise = addNoise(problem, best.labels);
    report.snr = toDecibels(noise);
    report.recipeSnr = toDecibels(
        addNoise(problem, std::vector<uint32_t>(labelling.costs.size(), 0)));
  }
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
  CostChooser(*inputs.costs, inputs, assignment)
      .run(buildCostProblem(graph, facts, assignment.choices, storage.values,
                            target, *inputs.costs, inputs.noise));
}
