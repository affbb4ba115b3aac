//===- Assignment.h - the decided formats of a graph ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_ASSIGNMENT_H
#define PREC_ASSIGN_ASSIGNMENT_H

#include "prec/Assign/Bounds.h"
#include "prec/Assign/Candidates.h"
#include "prec/Assign/CostModel.h"
#include "prec/Assign/PolicyChoices.h"
#include "prec/Assign/Rules.h"
#include "prec/Support/LLVM.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace prec {

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

/// What a cost model predicts for one step, in microseconds: products, and
/// what is done to tensors so that products can read them.
struct CostReport {
  std::string device;
  double chosen = 0;
  /// No permitted assignment takes less; equals `chosen` where that is the
  /// best.
  double bound = 0;
  /// What the recipe alone would take, and each contraction deciding for
  /// itself, paying its quantizations in full.
  double recipe = 0, local = 0;
  /// Contractions that had a choice; those whose times were measured; those
  /// that take another candidate than the recipe's.
  unsigned decided = 0, measured = 0, changed = 0;
  /// Contractions whose times were modelled and corrected by measured ones.
  unsigned corrected = 0;
  /// Signal to noise ratios of the gradient, in decibels, with what was chosen
  /// and with the recipe; none if that is not known.
  std::optional<double> snr, recipeSnr;
  /// "PATH fprop": a contraction whose noise would have to be known, and is
  /// not.
  std::optional<std::string> unmeasured;
};

/// A format that a user's rule keeps a value from.
struct RuledOut {
  Format format;
  llvm::StringRef rule;
};

struct Assignment {
  /// By value.
  std::vector<Decision> values;
  /// By node and operand; empty for nodes whose uses need no format.
  std::vector<SmallVector<Decision, 2>> uses;
  /// Of the contractions, in the order of nodes.
  std::vector<ContractionChoice> choices;
  std::vector<Fallback> fallbacks;
  /// Of values, where a rule of the user's says so.
  llvm::DenseMap<ValueId, SmallVector<RuledOut, 2>> ruledOut;
  /// By rule.
  std::vector<RuleOutcome> ruleOutcomes;
  std::vector<RuleProblem> ruleProblems;
  /// None unless a cost model chose.
  std::optional<CostReport> costs;
  /// Numeric bounds that no permitted choice keeps.
  std::vector<BoundFinding> findings;

  llvm::StringRef save(const llvm::Twine &text) { return texts->save(text); }

private:
  std::unique_ptr<RuleTexts> texts = std::make_unique<RuleTexts>();
};

/// What decides beside the recipe and the target.
struct AssignmentInputs {
  /// Chooses among the permitted candidates of contractions.
  const PolicyChoices *policy = nullptr;
  const RuleSet *rules = nullptr;
  /// The same by predicted time, for all contractions together; not with a
  /// policy.
  const CostModel *costs = nullptr;
  /// Vetoes candidates, and looks at what is stored.
  const BoundInputs *bounds = nullptr;
  /// With costs: what narrow formats do to the gradient. Null if not known.
  const GradientNoise *noise = nullptr;
  /// Least signal to noise ratio of the gradient, in decibels.
  std::optional<double> leastSnr;
  /// Whether zeros may make a size of the head one that FP8 takes.
  bool padsHead = true;
};

} // namespace prec

#endif // PREC_ASSIGN_ASSIGNMENT_H
