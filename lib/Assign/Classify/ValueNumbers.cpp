//===- ValueNumbers.cpp - values that are computed alike ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives values that are computed alike one number, so that finders see x -
// mean(x) as one value where a graph computes it twice. The key of a value is
// its operation, the numbers of its operands and its shape; the first value
// with a key gives its number to all. Only operations whose arithmetic says all
// but their constants take part. All constants count as one, so x * 2 and x * 3
// have the same number: finders use numbers to follow a value, not to replace
// it.
//
//===----------------------------------------------------------------------===//
#include "Assign/Classify/Analysis.h"

#include "llvm/ADT/bit.h"

#include <map>

using namespace mlir;
using namespace prec;

/// A single operation whose arithmetic says all but its constants. What is
/// fused, or has no bit of its own, may differ in more than its operands.
static bool isNumbered(const GraphNode &node) {
  bool isKnown = node.is(Structure::Elementwise) ||
                 (node.is(Structure::Reduction) && node.numInputs == 1);
  return isKnown && llvm::has_single_bit(node.arithmetic) &&
         node.arithmetic != ArithOther && node.results.size() == 1;
}

void prec::numberValues(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  analysis.numbers.resize(graph.values.size());
  for (ValueId id = 0; id < graph.values.size(); ++id)
    analysis.numbers[id] = id;
  // Structure, arithmetic, operands, sizes.
  std::map<SmallVector<int64_t, 12>, ValueId> known;
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    if (!isNumbered(node) || analysis.facts.isConstant[id])
      continue;
    SmallVector<int64_t, 12> key = {int64_t(*node.structure), node.arithmetic,
                                    node.numInputs};
    for (ValueId operand : node.getRead())
      key.push_back(analysis.isConstant(operand)
                        ? -1
                        : int64_t(analysis.numbers[analysis.root(operand)]));
    ValueId result = node.results[0];
    llvm::append_range(key, graph.values[result].shape);
    analysis.numbers[result] =
        known.try_emplace(std::move(key), result).first->second;
  }
}
