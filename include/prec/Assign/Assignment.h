//===- Assignment.h - the decided formats of a graph ------------*- C++ -*-===//
#ifndef PREC_ASSIGN_ASSIGNMENT_H
#define PREC_ASSIGN_ASSIGNMENT_H

#include "prec/Assign/Candidates.h"
#include "prec/Assign/PolicyChoices.h"
#include "prec/Assign/Rules.h"

#include <memory>

namespace mlir::prec {

/// A contraction that does not read what the recipe says, and why.
struct Fallback {
  NodeId node;
  std::string reason;
  /// What it reads; none if the target has no such product at all.
  std::optional<Format> format;
};

/// How often a user's rule applied, and was followed.
struct RuleOutcome {
  unsigned matched = 0, followed = 0;
  /// Why it was not followed where it was not first.
  std::string obstacle;
};

/// Rules that cannot all hold.
struct RuleProblem {
  unsigned rule;
  /// The other rule, or kNone.
  unsigned other = kNone;
  /// What it is about: an operation's operands or a value; the other is kNone.
  NodeId node = kNone;
  ValueId value = kNone;
  /// The rule of rules that is broken: "a use must have one format, ...".
  std::string message;
};

struct Assignment {
  /// By value.
  std::vector<Decision> values;
  /// By node and operand; empty for nodes whose uses need no format.
  std::vector<SmallVector<Decision, 2>> uses;
  /// Of the contractions, in the order of nodes.
  std::vector<ContractionChoice> choices;
  std::vector<Fallback> fallbacks;
  /// By rule.
  std::vector<RuleOutcome> ruleOutcomes;
  std::vector<RuleProblem> ruleProblems;

  llvm::StringRef save(const llvm::Twine &text) { return texts->save(text); }

private:
  std::unique_ptr<RuleTexts> texts = std::make_unique<RuleTexts>();
};

/// What decides beside the recipe and the target.
struct AssignmentInputs {
  /// Chooses among the permitted candidates of contractions.
  const PolicyChoices *policy = nullptr;
  const RuleSet *rules = nullptr;
};

/// Decides storage and uses under a recipe and a target's legality. Linear in
/// the number of operations and uses.
Assignment assignPrecision(const Graph &graph, const Classification &facts,
                           const Recipe &recipe, const Target &target,
                           const AssignmentInputs &inputs = {});

} // namespace mlir::prec

#endif // PREC_ASSIGN_ASSIGNMENT_H
