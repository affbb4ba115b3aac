//===- Assigner.cpp - formats of values and uses --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of deciding. First each contraction gets its candidates
// (CandidateBuilder), and numeric bounds veto some. Then the winner is chosen:
// a rule that prefers one stands first, then the policy or the cost model, else
// the first candidate that is permitted. A winner that is not what the recipe
// wants is recorded with the reason. With the contractions settled, storage
// formats are decided (Storage.cpp), then the operands of composites that a
// recipe reads in a format of their own, and last the bounds on values. Time is
// linear in the graph, but for the cost model.
//
//===----------------------------------------------------------------------===//
#include "prec/Assign/Assigner.h"

#include "Assign/CandidateBuilder.h"
#include "Assign/Bounds/CheckBounds.h"
#include "Assign/Cost/ChooseByCost.h"
#include "Assign/Policy/FollowPolicy.h"
#include "Assign/Storage.h"

#include "prec/Memory/MemoryTable.h"

using namespace mlir;
using namespace prec;
using llvm::Twine;

StringRef prec::getStoredName(const Decision &decision) {
  return decision.isCoded ? StringRef(kDynamic8)
                          : stringifyFormat(decision.format);
}

double prec::getStoredBytes(const Decision &decision, double elements) {
  return getBytes(getStoredName(decision), elements);
}

namespace {

struct Assigner {
  Assigner(const Graph &graph, const Classification &facts,
           const Recipe &recipe, const Target &target,
           const AssignmentInputs &inputs, Assignment &assignment)
      : graph(graph), facts(facts), recipe(recipe), target(target),
        inputs(inputs), rules(inputs.rules, graph, facts, assignment),
        assignment(assignment) {
    if (inputs.rules)
      assignment.ruleOutcomes.resize(inputs.rules->rules.size());
  }

  void run();

private:
  void buildChoices();
  void settle(ContractionChoice &choice);
  /// Operands that a composite reads in a format of its own.
  void assignComposite(NodeId id);
  /// Operands of a custom operation, which no recipe decides.
  void assignCustom(NodeId id);
  Decision make(Format format, const Twine &rule, Reason reason = {}) {
    return {format, Scaling::None, Accumulator::Full, assignment.save(rule),
            reason};
  }

  const Graph &graph;
  const Classification &facts;
  const Recipe &recipe;
  const Target &target;
  const AssignmentInputs &inputs;
  RuleApplication rules;
  Assignment &assignment;
};

} // namespace

void Assigner::buildChoices() {
  CandidateBuilder builder(graph, facts, recipe, target, inputs, rules,
                           assignment);
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (!graph.isFloatContraction(id))
      continue;
    Decision &result = assignment.values[graph.nodes[id].results[0]];
    result =
        decideContractionResult(graph, facts, recipe, rules, assignment, id);
    assignment.choices.push_back(builder.build(id, result));
  }
}

/// Writes the winner down; where it is not what the recipe wants because that
/// is not legal, forbidden or breaks a bound, says so.
void Assigner::settle(ContractionChoice &choice) {
  const Candidate &wanted = choice.candidates.front();
  bool isVetoed = wanted.veto == Veto::Legality || wanted.veto == Veto::Bound;
  if (!choice.getWinner()) {
    assignment.fallbacks.push_back(
        {choice.node, wanted.vetoReason.str(), std::nullopt});
    assignment.uses[choice.node].assign(wanted.uses.begin(), wanted.uses.end());
    return;
  }
  Candidate &winner = choice.candidates[choice.winner];
  if (isVetoed)
    assignment.fallbacks.push_back(
        {choice.node, wanted.vetoRule.str(), winner.uses[0].format});
  bool isForbidden = wanted.veto == Veto::Rule && choice.reason.empty();
  bool isPromoted = wanted.uses[0].accumulator == Accumulator::Fast &&
                    winner.uses[0].accumulator == Accumulator::Promoted;
  if (isVetoed || isForbidden) {
    StringRef text = assignment.save(
        recipe.name + " " + stringifyDirection(facts.directions[choice.node]) +
        " would read " + wanted.getName() + ", but " + wanted.vetoReason +
        ": reads " + stringifyFormat(winner.uses[0].format) +
        (isPromoted ? ", promoted" : ""));
    for (Decision &use : winner.uses)
      use.decide(text);
  }
  assignment.uses[choice.node].assign(winner.uses.begin(), winner.uses.end());
  Decision &result = assignment.values[graph.nodes[choice.node].results[0]];
  if (result.format != winner.result)
    result = make(winner.result,
                  "contraction result: an f32 product has an f32 result");
}

void Assigner::assignComposite(NodeId id) {
  const GraphNode &node = graph.nodes[id];
  TensorClass tensorClass = *facts.classes[id];
  bool isAttention = tensorClass == TensorClass::Attention;
  Aspect aspect = isAttention ? Aspect::Reads : Aspect::Parameter;
  // What is stored in a format needs its parameters in no other.
  if (!isAttention && !recipe.getKeepHigh(tensorClass, aspect))
    aspect = Aspect::Stores;
  const ReasonedFormat *rule = recipe.getKeepHigh(tensorClass, aspect);
  if (!rule)
    return;
  SmallVector<Decision, 2> uses(node.operands.size());
  bool any = false;
  // What a payload picks from is read as it is stored: no operand has its tag.
  auto own = ArrayRef<ValueId>(node.operands).drop_back(node.numCaptured);
  for (auto [index, operand] : llvm::enumerate(own)) {
    const GraphValue &value = graph.values[operand];
    if (node.readsMask(index)) {
      uses[index] = make(Format::F32, "mask: added to scores in f32");
      any = true;
      continue;
    }
    bool isParameter =
        graph.values[facts.roots[operand]].origin == Origin::Parameter;
    // Statistics are read as they are stored.
    bool isStatistic =
        !isParameter && assignment.values[operand].format == Format::F32;
    bool isRead = isAttention ? !isStatistic : isParameter;
    if (!value.isFloatTensor || !isRead)
      continue;
    uses[index] =
        rules.decideUse(id, index,
                        make(rule->format, getRuleText(tensorClass, *rule),
                             Reason::of(aspect, tensorClass)));
    any = true;
  }
  if (any)
    assignment.uses[id] = std::move(uses);
}

void Assigner::assignCustom(NodeId id) {
  const GraphNode &node = graph.nodes[id];
  SmallVector<Decision, 2> uses(node.operands.size());
  for (auto [index, format] : llvm::enumerate(node.ownReads))
    if (format)
      uses[index] = make(*format, "custom: the operation's own dtype");
  if (llvm::any_of(uses, [](const Decision &use) { return use.isDecided(); }))
    assignment.uses[id] = std::move(uses);
}

void Assigner::run() {
  assignment.values.resize(graph.values.size());
  assignment.uses.resize(graph.nodes.size());
  buildChoices();
  std::optional<OperandBounds> bounds;
  if (inputs.bounds)
    bounds.emplace(*inputs.bounds, graph, facts, target, assignment);
  for (ContractionChoice &choice : assignment.choices) {
    if (bounds)
      bounds->veto(choice);
    // What a rule prefers stands above what a policy or a model says.
    if (choice.winner != kNone || inputs.costs)
      continue;
    choice.winner = choice.getFirstPermitted();
    if (inputs.policy)
      followPolicy(*inputs.policy, choice, assignment);
  }
  if (inputs.costs)
    chooseByCost(graph, facts, recipe, target, inputs, assignment);
  for (ContractionChoice &choice : assignment.choices)
    settle(choice);
  assignStorage(graph, facts, recipe, rules, assignment);
  for (auto [id, node] : llvm::enumerate(graph.nodes))
    if (node.is(Structure::Attention) || node.is(Structure::Norm) ||
        node.is(Structure::Embedding))
      assignComposite(id);
    else if (node.is(Structure::Custom))
      assignCustom(id);
  if (inputs.bounds)
    checkValueBounds(*inputs.bounds, graph, facts, recipe, assignment);
}

Assignment prec::assignPrecision(const Graph &graph,
                                 const Classification &facts,
                                 const Recipe &recipe, const Target &target,
                                 const AssignmentInputs &inputs) {
  Assignment assignment;
  Assigner(graph, facts, recipe, target, inputs, assignment).run();
  return assignment;
}
