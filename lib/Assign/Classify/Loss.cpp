//===- Loss.cpp - the loss, its gradient, and the head --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the loss, its gradient and the head. From the last node to the first: a
// node leads to the loss if its result is the loss, or is read by a loss or by
// a node that leads to it and only passes values through (elementwise, layout,
// reductions, gathers). The contraction at the front of that region is the
// head; its other nodes are the loss, unless the loss is one composite
// operation. Then forward over the backward: what reads the loss and only
// passes values through is the gradient of the loss; the contractions that read
// it are the head's.
//
//===----------------------------------------------------------------------===//
#include "Assign/Classify/Analysis.h"

using namespace mlir;
using namespace prec;

namespace {

struct LossFinder {
  explicit LossFinder(Analysis &analysis)
      : analysis(analysis), graph(analysis.graph),
        isLossGradient(analysis.isLossGradient),
        leadsToLoss(graph.nodes.size()) {}

  void run();

private:
  bool isPassedThrough(NodeId id) const {
    const GraphNode &node = graph.nodes[id];
    return node.is(Structure::Elementwise) || node.is(Structure::Layout) ||
           node.is(Structure::Reduction) || node.is(Structure::Gather) ||
           node.is(Structure::Index) || node.is(Structure::Softmax) ||
           !node.structure;
  }
  void findInputs();
  /// A product of two values that follow from the batch: similarities, such as
  /// of images and texts, and their gradients.
  bool isContrastive(NodeId id) const;
  /// Scores of a router that have a loss of their own remain a router's.
  void markLogits(NodeId id) {
    if (!analysis.facts.classes[id])
      analysis.mark(
          id, isContrastive(id) ? TensorClass::Contrastive : TensorClass::Head,
          /*inside=*/false);
  }
  void findForward();
  void findBackward();

  Analysis &analysis;
  const Graph &graph;
  std::vector<bool> &isLossGradient;
  /// By node: between the last contraction (or norm, ...) and the loss.
  std::vector<bool> leadsToLoss;
  /// By value: an input of the function, or computed of one.
  std::vector<bool> isOfInput;
  /// The loss is no composite.
  bool isPrimitive = true;
};

} // namespace

void LossFinder::findInputs() {
  isOfInput.resize(graph.values.size());
  // Where nothing is known to be a parameter, weights may be inputs.
  if (llvm::none_of(graph.values, [](const GraphValue &value) {
        return value.origin == Origin::Parameter;
      }))
    return;
  for (auto [id, value] : llvm::enumerate(graph.values))
    isOfInput[id] = value.producer == kNone && value.origin == Origin::Input;
  for (const GraphNode &node : graph.nodes)
    if (llvm::any_of(node.getRead(),
                     [&](ValueId operand) { return isOfInput[operand]; }))
      for (ValueId result : node.results)
        isOfInput[result] = true;
}

bool LossFinder::isContrastive(NodeId id) const {
  const GraphNode &node = graph.nodes[id];
  return !analysis.facts.isWeightGradient[node.results[0]] &&
         node.getInputs().size() >= 2 &&
         llvm::all_of(node.getInputs().take_front(2),
                      [&](ValueId operand) { return isOfInput[operand]; });
}

void LossFinder::findForward() {
  for (NodeId id = graph.nodes.size(); id-- > 0;) {
    const GraphNode &node = graph.nodes[id];
    if (!analysis.isForward(id))
      continue;
    bool leads = false;
    for (ValueId result : node.results) {
      const GraphValue &value = graph.values[result];
      leads |= value.isLoss;
      for (GraphUse use : value.uses) {
        const GraphNode &user = graph.nodes[use.node];
        leads |= analysis.isForward(use.node) &&
                 user.readsElements(use.operand) &&
                 (user.is(Structure::Loss) ||
                  (leadsToLoss[use.node] && isPassedThrough(use.node)));
      }
    }
    leadsToLoss[id] = leads;
    if (!leads || node.is(Structure::Loss))
      continue;
    if (node.is(Structure::Contraction))
      markLogits(id);
    else if (isPrimitive && isPassedThrough(id) && node.structure &&
             !node.is(Structure::Index) && !analysis.facts.isConstant[id])
      analysis.mark(id, TensorClass::Loss, /*inside=*/true);
  }
}

void LossFinder::findBackward() {
  // Behind a contraction, norm or the like the gradient is no longer the
  // loss's.
  std::vector<bool> isBehind(graph.nodes.size());
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    if (analysis.facts.phases[id] != StepPhase::Backward)
      continue;
    bool reads = node.is(Structure::Loss);
    for (ValueId operand : node.getRead()) {
      NodeId producer = analysis.getProducerId(operand);
      if (producer == kNone)
        continue;
      if (analysis.facts.phases[producer] == StepPhase::Backward) {
        isBehind[id] = isBehind[id] || isBehind[producer] ||
                       !(isPassedThrough(producer) ||
                         graph.nodes[producer].is(Structure::Loss));
        reads |= isLossGradient[producer];
      } else {
        reads |= isPrimitive &&
                 analysis.facts.classes[producer] == TensorClass::Loss;
      }
    }
    if (node.is(Structure::Loss))
      isBehind[id] = false;
    if (node.is(Structure::Contraction)) {
      bool isHead = llvm::any_of(node.getRead(), [&](ValueId operand) {
        NodeId producer = analysis.getProducerId(operand);
        return producer != kNone && isLossGradient[producer];
      });
      if (isHead)
        markLogits(id);
      continue;
    }
    bool ends = !isPassedThrough(id) && !node.is(Structure::Loss);
    isLossGradient[id] = reads && !isBehind[id] && !ends;
    if (isLossGradient[id] && isPrimitive && node.structure &&
        !node.is(Structure::Index))
      analysis.mark(id, TensorClass::Loss, /*inside=*/true);
  }
}

void LossFinder::run() {
  for (auto [id, node] : llvm::enumerate(graph.nodes))
    if (node.is(Structure::Loss)) {
      isPrimitive = false;
      analysis.mark(id, TensorClass::Loss, /*inside=*/false);
    }
  findInputs();
  findForward();
  findBackward();
}

void prec::findLossAndHead(Analysis &analysis) { LossFinder(analysis).run(); }
