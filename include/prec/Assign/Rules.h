//===- Rules.h - a user's own rules -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_RULES_H
#define PREC_ASSIGN_RULES_H

#include "prec/Assign/Classification.h"
#include "prec/Assign/Recipe.h"
#include "prec/Support/Json.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

#include <memory>

namespace prec {

/// What a rule does to the formats it names.
enum class RuleAction : uint8_t {
  /// The format is taken, whatever recipe and keep-high rules say; it must be
  /// legal.
  Pin,
  /// The format is not taken.
  Forbid,
  /// The format is taken where recipe and keep-high rules permit it.
  Prefer
};
llvm::StringRef stringifyRuleAction(RuleAction action);

/// Part of a step, as rules name it.
enum class RulePhase : uint8_t { Forward, Recompute, Backward, Optimizer };
llvm::StringRef stringifyRulePhase(RulePhase phase);
RulePhase getRulePhase(const Classification &facts, NodeId node);

/// A range of sizes; unknown sizes are in no range.
struct SizeRange {
  std::optional<int64_t> least, most, multipleOf;
  bool contains(int64_t size) const;
};

/// Sizes that a rule may ask for: those of contractions (tokens are M, or K in
/// wgrad), and of any tensor.
enum class RuleSize : uint8_t { M, N, K, Batch, Tokens, Elements, Rank };
inline constexpr unsigned kNumRuleSizes = 7;

/// A glob over dotted paths; `*` matches dots, too. A pattern of LLVM's refers
/// to its text, so that has to stay where it is.
class PathGlob {
public:
  static llvm::Expected<PathGlob> create(llvm::StringRef text);
  bool match(llvm::StringRef path) const { return pattern.match(path); }

private:
  PathGlob(std::unique_ptr<std::string> text, llvm::GlobPattern pattern)
      : text(std::move(text)), pattern(std::move(pattern)) {}

  std::unique_ptr<std::string> text;
  llvm::GlobPattern pattern;
};

/// Every predicate that is set must hold.
struct RuleMatch {
  /// Over the path of an operation, of its parameter or of an argument.
  std::optional<PathGlob> path;
  std::optional<TensorClass> tensorClass;
  std::optional<RulePhase> phase;
  std::optional<Direction> direction;
  std::optional<OperandKind> operand;
  /// What a stored value is; never Statistic.
  std::optional<StorageKind> storage;
  std::optional<SizeRange> layer;
  std::array<std::optional<SizeRange>, kNumRuleSizes> sizes;
};

struct UserRule {
  /// Where the rule stands in its file.
  JsonPosition position;
  RuleMatch match;
  RuleAction action = RuleAction::Pin;
  /// What is read, by contractions and attentions; or what is stored.
  bool isReads = true;
  Format format = Format::F32;
  /// For a narrow format that is read; none takes the recipe's.
  std::optional<Scaling> scaling;
  std::string reason, reference;
};

/// docs/Rules.md explains the file.
struct RuleSet {
  std::string fileName;
  std::vector<UserRule> rules;

  /// "rules.json:3:5: reason (reference)".
  std::string describe(unsigned rule) const;
};

/// Reads rules; messages begin with "file:line:column: error:".
llvm::Expected<RuleSet> parseRules(llvm::StringRef text,
                                   llvm::StringRef fileName);

/// Whether a rule about reading applies to one operand of an operation.
bool matchesUse(const UserRule &rule, const Graph &graph,
                const Classification &facts, NodeId node, unsigned operand,
                OperandKind kind);
/// Whether a rule about storing applies to a value. An updated master goes by
/// its parameter; constants, scalars and what layout operations move have no
/// format of their own.
bool matchesValue(const UserRule &rule, const Graph &graph,
                  const Classification &facts, ValueId value);

} // namespace prec

#endif // PREC_ASSIGN_RULES_H
