//===- TokenScales.cpp - where tokens of experts are quantized ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of experts read rows, each of which is looked up of a token: K rows
// are of one token, where K experts are chosen for it. They can be quantized
// behind the lookup, or the tokens in front of it. The latter is less work, and
// ranks that have experts of their own (ep=N) send each other tokens in FP8
// then, which is half the bytes.
//
// What may be done depends on what a scale is of:
//
//   tensors         each expert has a scale of its rows, which is not known
//                   before they are looked up. `expert-scales=shared` gives all
//                   tokens one scale: other numbers, and known before
//   rows or blocks  a scale is of a token's own row, so the bits are the same;
//                   but products for gradients of matrices contract over rows,
//                   and have scales of blocks of an expert's rows. Where these
//                   read the rows, too, they need tokens as they are
//
// A token that something else reads than products in one format, such as a
// multiplication by the weight of its expert in the backward, is needed as it
// is as well. Whatever has two reasons says the first one.
//
//===----------------------------------------------------------------------===//
#include "Assign/TokenScales.h"

#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Prec/Decisions.h"
#include "prec/Dialect/Train/TokenLookup.h"
#include "prec/Support/PassRemark.h"

using namespace mlir;
using namespace prec;

/// Whether operand `index` of `op` is a row for each token and expert.
static bool isOfRows(Operation *op, unsigned index) {
  return (isa<train::GroupedMatmulOp>(op) && index == 0) ||
         (isa<train::GroupedMatmulGradOp>(op) && index < 2);
}

/// Why tokens cannot be quantized in front of a lookup; empty if they can.
std::string TokenScales::findProblem(const DecidedFunction &decided,
                                     train::GatherOp lookup,
                                     const Reads &reads) const {
  for (OpOperand &use : lookup.getResult().getUses())
    if (!isOfRows(use.getOwner(), use.getOperandNumber()))
      return ("rows are read by '" + use.getOwner()->getName().getStringRef() +
              "', too")
          .str();
  auto getUse = [&](const std::pair<NodeId, unsigned> &read) {
    return decided.assignment.uses[read.first][read.second];
  };
  const Decision first = getUse(reads.front());
  for (const auto &read : reads) {
    const Decision use = getUse(read);
    if (use.format != first.format || use.scaling != first.scaling)
      return "products read rows in several formats";
    if (isTensorScaling(use.scaling) && !recipe.sharesExpertScales)
      return "each expert has a scale of its rows (expert-scales=shared: one "
             "of all tokens)";
    if (isFine(use.scaling) && isa<train::GroupedMatmulGradOp>(
                                   decided.projection.operations[read.first]))
      return "gradients of matrices have scales of blocks of an expert's rows";
  }
  return "";
}

void TokenScales::decide(DecidedFunction &decided) {
  DenseMap<Operation *, NodeId> nodes;
  for (auto [id, op] : llvm::enumerate(decided.projection.operations))
    nodes[op] = id;
  Assignment &assignment = decided.assignment;
  for (Operation *op : decided.projection.operations) {
    auto lookup = dyn_cast<train::GatherOp>(op);
    if (!lookup)
      continue;
    Reads reads;
    bool isInFp8 = false;
    for (OpOperand &use : lookup.getResult().getUses()) {
      auto found = nodes.find(use.getOwner());
      if (found == nodes.end() ||
          !isOfRows(use.getOwner(), use.getOperandNumber()))
        continue;
      reads.push_back({found->second, use.getOperandNumber()});
      isInFp8 |=
          isFp8(assignment.uses[found->second][use.getOperandNumber()].format);
    }
    Operation *exchange = train::findTokens(lookup).exchange;
    const bool isSent = exchange != nullptr;
    if (!isInFp8)
      continue;
    Decision &first =
        assignment.uses[reads.front().first][reads.front().second];
    const bool isShared = isTensorScaling(first.scaling);
    std::string why = findProblem(decided, lookup, reads);
    // Rows of one rank stay where they are, and are quantized as ever.
    const bool isQuantized = why.empty() && (isShared || isSent);
    if (isQuantized) {
      why = isShared ? "one scale of all tokens (expert-scales=shared)"
                     : "a scale is of a token's own row";
      anyShared |= isShared;
      marked.push_back(lookup);
      for (auto [node, operand] : reads) {
        Decision &use = assignment.uses[node][operand];
        use.rule = assignment.save(use.rule +
                                   "; tokens are quantized before "
                                   "they are looked up: " +
                                   why);
      }
    }
    if (isSent) {
      const Value table = lookup.getTable();
      Format format = first.format;
      if (!isQuantized)
        for (auto [id, value] : llvm::enumerate(decided.projection.values))
          if (value == table)
            format = assignment.values[id].format;
      ++sent[{format, why}];
      reasons[exchange] = why;
    }
  }
}

void TokenScales::remark(Location loc) const {
  for (const auto &[what, count] : sent)
    emitPassRemark(loc, {"assign-precision", "Tokens", true},
                   "tokens for experts of other ranks are sent in " +
                       stringifyFormat(what.first) + " for " + Twine(count) +
                       " lookups: " + what.second);
}

void TokenScales::mark() const {
  for (train::GatherOp lookup : marked)
    lookup->setAttr(kQuantizedTokens, UnitAttr::get(lookup->getContext()));
  for (auto &[exchange, why] : reasons)
    train::setSentAs(exchange, why);
}
