//===- Exponentials.cpp - exponentials that nothing tells to be a softmax -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds exponentials that are probabilities although no softmax was recognized.
// Scores in FP8 can ruin a model, so where the exponential of a contraction's
// result is contracted again, it counts as a softmax, however it is normalized.
// One pass forward carries with each value whether a contraction computes it
// and which exponential it comes from. An activation function ends the
// exponential: a sum or difference with it, or a quotient by a sum, is bounded.
// Example: matmul(exp(matmul(q, k)) * mask, v) is found; matmul(x / (1 +
// exp(-x)), w) is not.
//
//===----------------------------------------------------------------------===//
#include "Assign/Classify/Analysis.h"

using namespace mlir;
using namespace prec;

/// An exponential as it is. Logistic functions, in one body: 1 / (1 + exp(-x)).
static bool isExponential(const GraphNode &node) {
  bool isLogistic = node.has(ArithAdd | ArithDiv);
  return node.is(Structure::Elementwise) && node.has(ArithExp) && !isLogistic;
}

/// Whether an elementwise operation hands an exponential on: sums
/// and differences with it, and quotients with such, are activations.
static bool passesOn(const Analysis &analysis, const GraphNode &node) {
  constexpr uint32_t kBounds = ArithAdd | ArithSub | ArithExp;
  if (node.arithmetic & kBounds)
    return false;
  return !node.has(ArithDiv) ||
         llvm::none_of(node.getInputs(), [&](ValueId operand) {
           const GraphNode *producer =
               analysis.getProducer(analysis.root(operand));
           return producer && producer->is(Structure::Elementwise) &&
                  producer->has(ArithAdd);
         });
}

void prec::findExponentials(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  // By value: computed by a contraction; the exponential behind it.
  std::vector<bool> isContracted(graph.values.size());
  std::vector<NodeId> source(graph.values.size(), kNone);
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    if (!analysis.isForward(id))
      continue;
    bool reads = false;
    NodeId exponential = kNone;
    for (ValueId operand : node.getInputs()) {
      reads = reads || isContracted[operand];
      if (source[operand] != kNone)
        exponential = source[operand];
    }
    if (node.is(Structure::Contraction)) {
      for (ValueId result : node.results)
        isContracted[result] = true;
      if (exponential == kNone)
        continue;
      const GraphNode &origin = graph.nodes[exponential];
      analysis.isSoftmaxInput[analysis.root(origin.operands[0])] = true;
      analysis.isSoftmaxOutput[origin.results[0]] = true;
      analysis.hasSoftmax = true;
      continue;
    }
    if (!node.is(Structure::Elementwise) && !node.is(Structure::Layout))
      continue;
    bool isKnown = analysis.facts.classes[id] == TensorClass::Softmax;
    if (isExponential(node))
      exponential = reads && !isKnown ? id : kNone;
    else if (node.is(Structure::Elementwise) && !passesOn(analysis, node))
      exponential = kNone;
    for (ValueId result : node.results) {
      isContracted[result] = reads;
      source[result] = exponential;
    }
  }
}
