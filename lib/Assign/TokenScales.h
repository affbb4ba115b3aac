//===- TokenScales.h - where tokens of experts are quantized ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_TOKENSCALES_H
#define PREC_LIB_ASSIGN_TOKENSCALES_H

#include "Assign/Decided.h"

#include "prec/Assign/Recipe.h"
#include "prec/Dialect/Train/Train.h"

#include <map>
#include <string>

namespace prec {

/// Decides of each lookup of tokens that experts read in FP8 whether the tokens
/// are quantized in front of it.
class TokenScales {
public:
  explicit TokenScales(const Recipe &recipe) : recipe(recipe) {}

  /// Adds to the rules of the reads that follow from it why that is so.
  void decide(DecidedFunction &decided);
  /// Whether tokens have one scale because the user asked for it.
  bool hasShared() const { return anyShared; }
  /// Says in which format tokens are sent to other ranks, and why.
  void remark(Location loc) const;
  /// Marks the lookups in front of which tokens are quantized.
  void mark() const;

private:
  /// What is read of a lookup, by node and operand.
  using Reads = SmallVector<std::pair<NodeId, unsigned>>;
  std::string findProblem(const DecidedFunction &decided,
                          train::GatherOp lookup, const Reads &reads) const;

  const Recipe &recipe;
  SmallVector<train::GatherOp> marked;
  bool anyShared = false;
  /// Of tokens that ranks send each other: why in their format.
  std::map<Operation *, std::string> reasons;
  /// How many lookups of what ranks send each other there are, by the format
  /// that is sent and why.
  std::map<std::pair<Format, std::string>, unsigned> sent;
};

} // namespace prec

#endif // PREC_LIB_ASSIGN_TOKENSCALES_H
