//===- Assignment.h - the decided formats of a graph ------------*- C++ -*-===//
#ifndef PREC_ASSIGN_ASSIGNMENT_H
#define PREC_ASSIGN_ASSIGNMENT_H

#include "prec/Assign/Legality.h"
#include "prec/Assign/Recipe.h"

#include "llvm/Support/StringSaver.h"

#include <memory>

namespace mlir::prec {

/// One decided format: of a value or of an operand's use.
struct Decision {
  Format format = Format::F32;
  Scaling scaling = Scaling::None;
  Accumulator accumulator = Accumulator::Full;
  /// Why, in one line; empty where nothing was decided.
  llvm::StringRef rule;
  /// False for what only passes through registers or is a view.
  bool isStored = true;

  bool isDecided() const { return !rule.empty(); }
};

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
  std::vector<Fallback> fallbacks;

  /// Owns the texts of rules, each once.
  llvm::StringRef save(const llvm::Twine &text) {
    return saver->strings.save(text);
  }

private:
  struct Saver {
    llvm::BumpPtrAllocator allocator;
    llvm::UniqueStringSaver strings{allocator};
  };
  std::unique_ptr<Saver> saver = std::make_unique<Saver>();
};

/// Decides storage and uses under a recipe and a target's legality. Linear in
/// the number of operations and uses.
Assignment assignPrecision(const Graph &graph, const Classification &facts,
                           const Recipe &recipe, const Target &target);

} // namespace mlir::prec

#endif // PREC_ASSIGN_ASSIGNMENT_H
