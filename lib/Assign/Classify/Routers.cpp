//===- Routers.cpp - contractions that choose experts ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds contractions that choose experts: their result leads, through
// elementwise and layout operations and softmaxes, to a choice that the loss
// depends on: a lookup by whole numbers that are made of floats, as a sort or a
// top-k makes them, or a reduction to the place of the largest. Written out,
// the latter compares the scores with their largest and takes the smallest of
// the places where they are equal; then comparisons stand between the floats
// and a reduction of whole numbers. One pass from the last value to the first
// says which values are chosen among. What is chosen for a metric, such as an
// accuracy, or for the backward alone, such as the places of a max pooling, is
// no choice. The backward contractions of a router are found by its weight: the
// one that reads the weight also reads the gradient of the scores, and the
// other one reads that gradient.
//
//===----------------------------------------------------------------------===//
#include "Assign/Classify/Analysis.h"

using namespace mlir;
using namespace prec;

/// Chooses by an operand, and the loss depends on what: looks up by whole
/// numbers, or takes the place of the largest. A reduction of whole numbers
/// that adds them up counts; a comparison or a conversion chooses nothing.
static bool chooses(const Analysis &analysis, GraphUse use) {
  const Graph &graph = analysis.graph;
  const GraphNode &node = graph.nodes[use.node];
  if (!analysis.leadsToLoss[use.node])
    return false;
  bool readsFloats = graph.values[node.operands[use.operand]].isFloatTensor;
  if (node.is(Structure::Gather) || node.is(Structure::ScatterAdd))
    return !readsFloats;
  bool canChoose =
      node.is(Structure::Reduction) && (readsFloats || !node.has(ArithAdd));
  return canChoose && llvm::any_of(node.results, [&](ValueId result) {
           const GraphValue &value = graph.values[result];
           return !value.isFloatTensor &&
                  llvm::any_of(value.uses, [&](GraphUse reader) {
                    return analysis.leadsToLoss[reader.node];
                  });
         });
}

/// Whether something is chosen by a value, through elementwise and layout
/// operations and softmaxes. Gates may be softmaxes or sigmoids. Whole numbers
/// that lead to floats, such as masks, stand for no choice.
static std::vector<bool> findChosenBy(const Analysis &analysis) {
  const Graph &graph = analysis.graph;
  std::vector<bool> isChosenBy(graph.values.size());
  for (ValueId id = graph.values.size(); id-- > 0;)
    for (GraphUse use : graph.values[id].uses) {
      const GraphNode &user = graph.nodes[use.node];
      if (!analysis.isForward(use.node) || !user.readsElements(use.operand))
        continue;
      bool isPassed = user.is(Structure::Elementwise) ||
                      user.is(Structure::Layout) || user.is(Structure::Index) ||
                      user.is(Structure::Softmax) ||
                      analysis.facts.classes[use.node] == TensorClass::Softmax;
      isChosenBy[id] =
          isChosenBy[id] || chooses(analysis, use) ||
          (isPassed && llvm::any_of(user.results, [&](ValueId result) {
             bool isMask = !graph.values[id].isFloatTensor &&
                           graph.values[result].isFloatTensor;
             return result > id && isChosenBy[result] && !isMask;
           }));
    }
  return isChosenBy;
}

void prec::findRouters(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  analysis.facts.isChosenBy = findChosenBy(analysis);
  for (auto [id, node] : llvm::enumerate(graph.nodes))
    if (node.is(Structure::Contraction) && !node.isConvolution &&
        !analysis.facts.classes[id] && analysis.isForward(id) &&
        !node.results.empty() && analysis.facts.isChosenBy[node.results[0]])
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
           facts.classes[id] == TensorClass::Attention ||
           facts.classes[id] == TensorClass::Head))
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
