//===- RuleApplication.cpp - a user's rules on candidates -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Rules/RuleApplication.h"

using namespace mlir;
using namespace prec;

std::string RuleApplication::describe(unsigned rule, StringRef verb) const {
  return (verb + " by " + rules->describe(rule)).str();
}

/// Whether two rules about one use or value cannot both hold.
static bool contradict(const UserRule &a, const UserRule &b) {
  bool isSame = a.format == b.format &&
                (!a.scaling || !b.scaling || *a.scaling == *b.scaling);
  bool aForbids = a.action == RuleAction::Forbid,
       bForbids = b.action == RuleAction::Forbid;
  if (aForbids && bForbids)
    return false;
  return aForbids || bForbids ? isSame : !isSame;
}

void RuleApplication::report(RuleProblem problem) {
  if (llvm::none_of(assignment.ruleProblems, [&](const RuleProblem &other) {
        return other.rule == problem.rule && other.other == problem.other;
      }))
    assignment.ruleProblems.push_back(std::move(problem));
}

AppliedRules RuleApplication::settle(ArrayRef<unsigned> matched, NodeId node,
                                     ValueId value) {
  AppliedRules applied;
  for (auto [index, rule] : llvm::enumerate(matched)) {
    ++assignment.ruleOutcomes[rule].matched;
    for (unsigned other : matched.take_front(index))
      if (contradict(rules->rules[other], rules->rules[rule]))
        report(
            {rule, other, node, value,
             "rules for one use or value must agree, but this one and another "
             "do not"});
    switch (rules->rules[rule].action) {
    case RuleAction::Pin:
      applied.pin = rule;
      break;
    case RuleAction::Prefer:
      applied.prefer = rule;
      break;
    case RuleAction::Forbid:
      applied.forbids.push_back(rule);
      break;
    }
  }
  return applied;
}

RuleApplication::OperandRules
RuleApplication::collect(NodeId node, std::array<OperandKind, 2> kinds) {
  OperandRules applied;
  if (!rules)
    return applied;
  for (unsigned operand = 0; operand < 2; ++operand) {
    SmallVector<unsigned> matched;
    for (auto [index, rule] : llvm::enumerate(rules->rules))
      if (matchesUse(rule, graph, facts, node, operand, kinds[operand]))
        matched.push_back(index);
    applied[operand] = settle(matched, node, kNone);
  }
  return applied;
}

void RuleApplication::pin(const OperandRules &applied,
                          const Candidate &byRecipe,
                          ContractionChoice &choice) {
  if (applied[0].pin == kNone && applied[1].pin == kNone)
    return;
  Candidate pinned = byRecipe;
  std::string reason;
  for (auto [use, rulesOfUse] : llvm::zip_equal(pinned.uses, applied)) {
    if (rulesOfUse.pin == kNone)
      continue;
    const UserRule &rule = rules->rules[rulesOfUse.pin];
    bool keepsScaling = use.format == rule.format && !rule.scaling;
    if (!keepsScaling)
      use.scaling = rule.scaling.value_or(getDefaultScaling(rule.format));
    use.format = rule.format;
    reason = describe(rulesOfUse.pin,
                      ("pinned to " + stringifyFormat(rule.format)).str());
    use.decide(assignment.save(reason), {Reason::Kind::UserRule});
  }
  // An accumulator is chosen for narrow products only; the recipe's is for its
  // own scalings.
  bool isNarrowPair =
      isNarrow(pinned.uses[0].format) && isNarrow(pinned.uses[1].format);
  ScalingPair scalings = pinned.getDispatch().scalings;
  if (!isNarrowPair || scalings != byRecipe.getDispatch().scalings)
    for (Decision &use : pinned.uses)
      use.accumulator =
          isNarrowPair
              ? getDefaultAccumulator(facts.directions[choice.node], scalings)
              : Accumulator::Full;
  pinned.veto = Veto::None;
  pinned.setVetoReason({});
  auto readsTheSame = [&](const Candidate &other) {
    return llvm::all_of(llvm::seq(2), [&](unsigned i) {
      return other.uses[i].format == pinned.uses[i].format &&
             other.uses[i].scaling == pinned.uses[i].scaling;
    });
  };
  llvm::erase_if(choice.candidates, readsTheSame);
  for (Candidate &other : choice.candidates) {
    other.veto = Veto::Rule;
    other.setVetoReason(assignment.save(reason));
  }
  choice.candidates.insert(choice.candidates.begin(), pinned);
}

void RuleApplication::forbid(const OperandRules &applied,
                             Candidate &candidate) {
  for (auto [use, rulesOfUse] : llvm::zip_equal(candidate.uses, applied))
    for (unsigned index : rulesOfUse.forbids) {
      const UserRule &rule = rules->rules[index];
      if (candidate.veto != Veto::None || rule.format != use.format ||
          (rule.scaling && *rule.scaling != use.scaling))
        continue;
      candidate.veto = Veto::Rule;
      candidate.setVetoReason(assignment.save(describe(
          index, (stringifyFormat(rule.format) + " is forbidden").str())));
      ++assignment.ruleOutcomes[index].followed;
    }
}

void RuleApplication::prefer(const OperandRules &applied,
                             ContractionChoice &choice) {
  for (unsigned operand = 0; operand < 2; ++operand) {
    unsigned index = applied[operand].prefer;
    if (index == kNone)
      continue;
    const UserRule &rule = rules->rules[index];
    RuleOutcome &outcome = assignment.ruleOutcomes[index];
    auto isPreferred = [&](const Candidate &candidate) {
      const Decision &use = candidate.uses[operand];
      return use.format == rule.format &&
             (!rule.scaling || *rule.scaling == use.scaling);
    };
    auto preferred = llvm::find_if(choice.candidates, isPreferred);
    if (preferred == choice.candidates.end()) {
      outcome.obstacle =
          ("the recipe does not offer " + stringifyFormat(rule.format)).str();
      continue;
    }
    if (preferred->veto != Veto::None) {
      outcome.obstacle = preferred->vetoReason.str();
      continue;
    }
    ++outcome.followed;
    choice.winner = preferred - choice.candidates.begin();
    if (choice.getFirstPermitted() == choice.winner)
      continue;
    choice.reason = assignment.save(describe(
        index, (stringifyFormat(rule.format) + " is preferred").str()));
    for (Decision &use : preferred->uses)
      use.decide(choice.reason);
  }
}

void RuleApplication::verify(const OperandRules &applied,
                             const ContractionChoice &choice) {
  for (const AppliedRules &rulesOfUse : applied) {
    if (rulesOfUse.pin != kNone) {
      const Candidate &pinned = choice.candidates.front();
      if (pinned.veto == Veto::None) {
        ++assignment.ruleOutcomes[rulesOfUse.pin].followed;
        continue;
      }
      report({rulesOfUse.pin, kNone, choice.node, kNone,
              "a pinned format must be legal, but " + pinned.vetoReason.str()});
      return;
    }
    bool isEmpty = choice.getFirstPermitted() == kNone;
    if (isEmpty && !rulesOfUse.forbids.empty()) {
      unsigned other =
          rulesOfUse.forbids.size() > 1 ? rulesOfUse.forbids[1] : kNone;
      report({rulesOfUse.forbids[0], other, choice.node, kNone,
              "rules must leave a format to read, but nothing else is legal"});
      return;
    }
  }
}

unsigned RuleApplication::getStorageRule(ValueId value) const {
  auto found = storageRules.find(value);
  return found == storageRules.end() ? kNone : found->second;
}
