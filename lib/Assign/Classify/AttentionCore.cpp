//===- AttentionCore.cpp - contractions around a softmax ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds contractions around a softmax, through elementwise and layout
// operations. Two passes from the last value to the first say which values lead
// to a softmax, and whether that softmax is contracted again; one pass forward
// says which values come from a softmax. A contraction that leads to such a
// softmax (Q K') or reads one (P V) is attention. One whose softmax nothing
// contracts is a head. In the backward, contractions that read no argument and
// give no parameter's gradient belong to attention. The result of a router's
// softmax is left out: it weighs experts.
//
//===----------------------------------------------------------------------===//
#include "Assign/Classify/Analysis.h"

using namespace mlir;
using namespace prec;

/// Elementwise and layout operations, and sums and maxima inside a softmax.
static bool passesOn(const Analysis &analysis, NodeId id) {
  const GraphNode &node = analysis.graph.nodes[id];
  return node.is(Structure::Elementwise) || node.is(Structure::Layout) ||
         node.is(Structure::Softmax) ||
         analysis.facts.classes[id] == TensorClass::Softmax;
}

/// Marks contractions whose result a softmax reads and contractions that read a
/// softmax's result, elementwise and layout operations apart: the core of an
/// attention; a head if nothing that contracts reads the softmax.
static void findAroundSoftmax(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  size_t values = graph.values.size();
  // By value: what a softmax result leads to.
  std::vector<bool> toContraction(values), toSoftmax(values);
  for (ValueId id = values; id-- > 0;) {
    for (GraphUse use : graph.values[id].uses) {
      const GraphNode &user = graph.nodes[use.node];
      if (!analysis.isForward(use.node))
        continue;
      toContraction[id] = toContraction[id] || user.is(Structure::Contraction);
      if (!passesOn(analysis, use.node))
        continue;
      for (ValueId result : user.results) {
        if (result < id)
          continue;
        toContraction[id] = toContraction[id] || toContraction[result];
      }
    }
  }
  // What the softmax of a softmax input leads to, carried to its producers.
  std::vector<bool> isScore(values);
  for (ValueId id = values; id-- > 0;) {
    toSoftmax[id] = analysis.isSoftmaxInput[id];
    isScore[id] = analysis.isSoftmaxInput[id] && toContraction[id];
    for (GraphUse use : graph.values[id].uses) {
      const GraphNode &user = graph.nodes[use.node];
      bool inSoftmax = analysis.facts.classes[use.node] == TensorClass::Softmax;
      if (!passesOn(analysis, use.node) || inSoftmax ||
          !analysis.isForward(use.node))
        continue;
      for (ValueId result : user.results) {
        if (result < id)
          continue;
        toSoftmax[id] = toSoftmax[id] || toSoftmax[result];
        isScore[id] = isScore[id] || isScore[result];
      }
    }
  }
  std::vector<bool> fromSoftmax(values);
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    bool reads = llvm::any_of(node.getRead(), [&](ValueId operand) {
      // A gate weights what is no attention.
      return (analysis.isSoftmaxOutput[operand] &&
              !analysis.facts.isChosenBy[operand]) ||
             fromSoftmax[operand];
    });
    if (reads && passesOn(analysis, id))
      for (ValueId result : node.results)
        fromSoftmax[result] = true;
    if (!node.is(Structure::Contraction) || analysis.facts.classes[id])
      continue;
    ValueId result = node.results.empty() ? kNone : node.results[0];
    if (reads || (result != kNone && isScore[result]))
      analysis.mark(id, TensorClass::Attention, /*inside=*/false);
    else if (result != kNone && toSoftmax[result])
      analysis.mark(id, TensorClass::Head, /*inside=*/false);
  }
}

void prec::findAttention(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  if (analysis.hasSoftmax)
    findAroundSoftmax(analysis);
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    if (node.is(Structure::Attention))
      analysis.mark(id, TensorClass::Attention, /*inside=*/false);
    // In the backward of an attention core neither operand is a weight and the
    // result is no weight's gradient.
    if (!node.is(Structure::Contraction) || analysis.facts.classes[id] ||
        !analysis.hasSoftmax ||
        analysis.facts.phases[id] != StepPhase::Backward ||
        analysis.facts.directions[id] != Direction::Dgrad || node.numInputs < 2)
      continue;
    bool readsArgument = llvm::any_of(
        ArrayRef<ValueId>(node.operands).take_front(2), [&](ValueId operand) {
          return analysis.getProducer(analysis.root(operand)) == nullptr;
        });
    if (!readsArgument)
      analysis.mark(id, TensorClass::Attention, /*inside=*/false);
  }
}
