//===- Assignment.h - the decided formats of a graph ------------*- C++ -*-===//
#ifndef PREC_ASSIGN_ASSIGNMENT_H
#define PREC_ASSIGN_ASSIGNMENT_H

#include "prec/Assign/Candidates.h"
#include "prec/Assign/PolicyChoices.h"

#include <memory>

namespace mlir::prec {

/// A contraction that does not read what the recipe says, and why.
struct Fallback {
  NodeId node;
  std::string reason;
  /// What it reads; none if the target has no such product at all.
  std::optional<Format> format;
};

struct Assignment {
  /// By value.
  std::vector<Decision> values;
  /// By node and operand; empty for nodes whose uses need no format.
  std::vector<SmallVector<Decision, 2>> uses;
  /// Of the contractions, in the order of nodes.
  std::vector<ContractionChoice> choices;
  std::vector<Fallback> fallbacks;

  llvm::StringRef save(const llvm::Twine &text) { return texts->save(text); }

private:
  std::unique_ptr<RuleTexts> texts = std::make_unique<RuleTexts>();
};

/// What decides beside the recipe and the target.
struct AssignmentInputs {
  /// Chooses among the permitted candidates of contractions.
  const PolicyChoices *policy = nullptr;
};

/// Decides storage and uses under a recipe and a target's legality. Linear in
/// the number of operations and uses.
Assignment assignPrecision(const Graph &graph, const Classification &facts,
                           const Recipe &recipe, const Target &target,
                           const AssignmentInputs &inputs = {});

} // namespace mlir::prec

#endif // PREC_ASSIGN_ASSIGNMENT_H
