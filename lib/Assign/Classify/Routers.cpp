//===- Routers.cpp - contractions that choose experts ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds contractions that choose experts: their result leads, through
// elementwise and layout operations and softmaxes, to an operation that turns
// floats into indices which something reads (a top-k). One pass from the last
// value to the first says which values lead there. The backward contractions of
// a router are found by its weight: the one that reads the weight also reads
// the gradient of the scores, and the other one reads that gradient.
//
//===----------------------------------------------------------------------===//
#include "Assign/Classify/Analysis.h"

using namespace mlir;
using namespace prec;

/// Turns floats into indices that something reads: top-k, or a reduction to the
/// place of the largest. A comparison or a conversion chooses nothing.
static bool isChoice(const Graph &graph, const GraphNode &node) {
  bool readsFloats = llvm::any_of(node.getRead(), [&](ValueId operand) {
    return graph.values[operand].isFloatTensor;
  });
  bool canChoose = node.is(Structure::Index) || node.is(Structure::Reduction);
  return canChoose && readsFloats &&
         llvm::any_of(node.results, [&](ValueId result) {
           const GraphValue &value = graph.values[result];
           return !value.isFloatTensor && !value.uses.empty();
         });
}

/// Whether indices are chosen by a value, elementwise and layout operations and
/// softmaxes apart. Gates may be softmaxes or sigmoids.
static std::vector<bool> findChosen(const Analysis &analysis) {
  const Graph &graph = analysis.graph;
  std::vector<bool> isChosen(graph.values.size());
  for (ValueId id = graph.values.size(); id-- > 0;)
    for (GraphUse use : graph.values[id].uses) {
      const GraphNode &user = graph.nodes[use.node];
      if (!analysis.isForward(use.node) || !user.readsElements(use.operand))
        continue;
      bool isPassed = user.is(Structure::Elementwise) ||
                      user.is(Structure::Layout) ||
                      user.is(Structure::Softmax) ||
                      analysis.facts.classes[use.node] == TensorClass::Softmax;
      isChosen[id] =
          isChosen[id] || isChoice(graph, user) ||
          (isPassed && llvm::any_of(user.results, [&](ValueId result) {
             return result > id && isChosen[result];
           }));
    }
  return isChosen;
}

void prec::findRouters(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  analysis.isChosen = findChosen(analysis);
  for (auto [id, node] : llvm::enumerate(graph.nodes))
    if (node.is(Structure::Contraction) && !analysis.facts.classes[id] &&
        analysis.isForward(id) && !node.results.empty() &&
        analysis.isChosen[node.results[0]])
      analysis.mark(id, TensorClass::Router, /*inside=*/false);
}

void prec::findRouterGradients(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  Classification &facts = analysis.facts;
  // Values: the weights of routers, and gradients of their scores.
  std::vector<bool> isWeight(graph.values.size()),
      isScoreGradient(graph.values.size());
  for (auto [id, node] : llvm::enumerate(graph.nodes))
    if (facts.classes[id] == TensorClass::Router)
      if (ValueId weight = facts.getParameter(graph, id); weight != kNone)
        isWeight[weight] = true;
  auto forEachGradient = [&](llvm::function_ref<void(NodeId)> visit) {
    for (NodeId id = 0; id < graph.nodes.size(); ++id)
      if (graph.isFloatContraction(id) && facts.isGradient[id] &&
          (facts.classes[id] == TensorClass::Contraction ||
           facts.classes[id] == TensorClass::Attention))
        visit(id);
  };
  // Both products of the backward read the gradient of the scores; only one of
  // them reads the weight.
  forEachGradient([&](NodeId id) {
    ValueId parameter = facts.getParameter(graph, id);
    if (parameter == kNone || !isWeight[parameter])
      return;
    facts.classes[id] = TensorClass::Router;
    if (facts.directions[id] == Direction::Dgrad)
      for (ValueId operand : graph.nodes[id].operands)
        isScoreGradient[analysis.root(operand)] =
            isScoreGradient[analysis.root(operand)] ||
            analysis.root(operand) != parameter;
  });
  forEachGradient([&](NodeId id) {
    ArrayRef<ValueId> operands = graph.nodes[id].operands;
    if (facts.directions[id] == Direction::Wgrad &&
        llvm::any_of(operands.take_front(2), [&](ValueId operand) {
          return isScoreGradient[analysis.root(operand)];
        }))
      facts.classes[id] = TensorClass::Router;
  });
}
