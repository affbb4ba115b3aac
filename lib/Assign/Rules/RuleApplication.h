//===- RuleApplication.h - a user's rules on candidates ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_RULES_RULEAPPLICATION_H
#define PREC_LIB_ASSIGN_RULES_RULEAPPLICATION_H

#include "prec/Assign/Assignment.h"
#include "prec/Support/LLVM.h"

#include "llvm/ADT/DenseMap.h"

namespace prec {

/// The rules that apply to one use or value, once contradictions are reported.
struct AppliedRules {
  unsigned pin = kNone, prefer = kNone;
  SmallVector<unsigned, 1> forbids;
};

/// Applies rules to candidates and stored values; without rules, to none.
class RuleApplication {
public:
  RuleApplication(const RuleSet *rules, const Graph &graph,
                  const Classification &facts, Assignment &assignment)
      : rules(rules), graph(graph), facts(facts), assignment(assignment) {}

  using OperandRules = std::array<AppliedRules, 2>;
  OperandRules collect(NodeId contraction, std::array<OperandKind, 2> kinds);

  /// Puts a pinned candidate first, made from what the recipe wants, and vetoes
  /// all others.
  void pin(const OperandRules &applied, const Candidate &byRecipe,
           ContractionChoice &choice);
  /// Vetoes a candidate that reads what is forbidden.
  void forbid(const OperandRules &applied, Candidate &candidate);
  /// Makes a preferred candidate the winner, if one is permitted.
  void prefer(const OperandRules &applied, ContractionChoice &choice);
  /// Reports a pin that is not legal, and rules that leave no candidate.
  void verify(const OperandRules &applied, const ContractionChoice &choice);

  /// What a composite reads of one operand.
  Decision decideUse(NodeId node, unsigned operand, Decision decision);
  /// What a value is stored in.
  Decision decideStorage(ValueId value, Decision decision);
  /// The rule that pins or forbids what a value is stored in; kNone if none
  /// does.
  unsigned getStorageRule(ValueId value) const;
  /// Once for two rules: what is wrong in one layer is wrong in all.
  void report(RuleProblem problem);

private:
  AppliedRules settle(ArrayRef<unsigned> matched, NodeId node, ValueId value);
  Decision apply(const AppliedRules &applied, Decision decision,
                 llvm::function_ref<std::optional<std::string>(Format)> problem,
                 NodeId node, ValueId value);
  std::string describe(unsigned rule, StringRef verb) const;

  const RuleSet *rules;
  const Graph &graph;
  const Classification &facts;
  Assignment &assignment;
  /// By value, where there is a rule.
  llvm::DenseMap<ValueId, unsigned> storageRules;
};

/// Why a value cannot be stored in a format; none if it can.
std::optional<std::string> findStorageProblem(const Graph &graph,
                                              const Classification &facts,
                                              ValueId value, Format format);

} // namespace prec

#endif // PREC_LIB_ASSIGN_RULES_RULEAPPLICATION_H
