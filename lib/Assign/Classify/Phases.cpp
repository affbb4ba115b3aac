//===- Phases.cpp - forward, backward, optimizer, directions --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the phase of each node: forward, backward or optimizer. One pass from
// the last node to the first marks what the loss needs and what an update
// needs. Forward is what the loss needs; backward what an update needs and the
// loss does not; updates are the optimizer. An optimizer made of primitives is
// found from the values that replace arguments: those, all that depends on
// them, and the elementwise chains in front of them that the backward does not
// read. What reads a moment is of the optimizer, too: the products that make a
// direction of it. A backward in a function of its own has no loss; there all
// that depends on a given gradient is backward. Then values that leave the
// backward for the optimizer are weight gradients, and contractions get their
// direction: wgrad if no operand is a parameter and the result is a weight
// gradient, else dgrad.
//
//===----------------------------------------------------------------------===//
#include "Assign/Classify/Analysis.h"

using namespace mlir;
using namespace prec;

namespace {

struct PhaseFinder {
  explicit PhaseFinder(Analysis &analysis)
      : analysis(analysis), graph(analysis.graph), facts(analysis.facts),
        needsLoss(graph.nodes.size()), reachesUpdate(graph.nodes.size()) {}

  void run();

private:
  bool isUpdater(const GraphNode &node) const {
    return node.is(Structure::Optimizer) || node.is(Structure::Clipping);
  }
  std::vector<bool> findLossValues();
  void findBackward();
  void findBackwardOfGradients();
  void spreadBackwards(const std::vector<bool> &isLoss);
  bool isPrimitive(NodeId id) const;
  bool readsMoment(NodeId id) const;
  void spreadLaterPhases();
  void findPrimitiveOptimizer();
  void findWeightGradients();

  Analysis &analysis;
  const Graph &graph;
  Classification &facts;
  /// By node: an ancestor of the loss; an ancestor of an update.
  std::vector<bool> needsLoss, reachesUpdate;
  /// Whether there is a loss, an update, a gradient that the caller gives.
  bool hasLoss = false, hasUpdate = false, isGiven = false;
};

} // namespace

/// The loss is said by its role, computed by an operation that is a loss, or
/// else the first scalar that a step with an optimizer returns, unless its
/// gradients come from outside.
std::vector<bool> PhaseFinder::findLossValues() {
  std::vector<bool> isLoss(graph.values.size());
  for (auto [id, value] : llvm::enumerate(graph.values))
    isLoss[id] = value.isLoss;
  hasLoss = llvm::is_contained(isLoss, true);
  for (const GraphNode &node : graph.nodes)
    if (!hasLoss && node.is(Structure::Loss))
      for (ValueId result : node.results)
        if (graph.values[result].shape.empty())
          isLoss[result] = true;
  hasLoss |= llvm::is_contained(isLoss, true);
  if (hasLoss || !hasUpdate || isGiven)
    return isLoss;
  for (auto [id, value] : llvm::enumerate(graph.values)) {
    const GraphNode *producer = analysis.getProducer(id);
    if (value.isReturned && value.isFloatTensor && value.shape.empty() &&
        producer && !isUpdater(*producer)) {
      isLoss[id] = hasLoss = true;
      break;
    }
  }
  return isLoss;
}

/// What the loss does not need, and an update does.
void PhaseFinder::findBackward() {
  for (auto [id, node] : llvm::enumerate(graph.nodes))
    if (!isUpdater(node) && !facts.isConstant[id] && !needsLoss[id] &&
        (reachesUpdate[id] || !hasUpdate))
      facts.phases[id] = StepPhase::Backward;
}

/// A backward in a function of its own, which has no loss: what depends on a
/// gradient that the caller gives. The rest is recomputed forward.
void PhaseFinder::findBackwardOfGradients() {
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    bool reads = llvm::any_of(node.getRead(), [&](ValueId operand) {
      return graph.values[operand].origin == Origin::Gradient ||
             analysis.phaseOf(operand) != StepPhase::Forward;
    });
    if (reads && !isUpdater(node))
      facts.phases[id] = StepPhase::Backward;
  }
}

void PhaseFinder::spreadBackwards(const std::vector<bool> &isLoss) {
  for (NodeId id = graph.nodes.size(); id-- > 0;) {
    const GraphNode &node = graph.nodes[id];
    if (isUpdater(node))
      reachesUpdate[id] = true;
    for (ValueId result : node.results) {
      const GraphValue &value = graph.values[result];
      if (isLoss[result])
        needsLoss[id] = true;
      if (value.isUpdated)
        reachesUpdate[id] = true;
      for (GraphUse use : value.uses) {
        if (!graph.nodes[use.node].readsElements(use.operand))
          continue;
        if (needsLoss[use.node])
          needsLoss[id] = true;
        if (reachesUpdate[use.node])
          reachesUpdate[id] = true;
      }
    }
  }
}

/// Nothing that the loss needs depends on a later phase; constants are of none.
void PhaseFinder::spreadLaterPhases() {
  for (auto [id, node] : llvm::enumerate(graph.nodes))
    if (!needsLoss[id] && !facts.isConstant[id])
      for (ValueId operand : node.getRead())
        if (!analysis.isConstant(operand))
          facts.phases[id] =
              std::max(facts.phases[id], analysis.phaseOf(operand));
}

bool PhaseFinder::isPrimitive(NodeId id) const {
  const GraphNode &node = graph.nodes[id];
  return !needsLoss[id] && !facts.isConstant[id] &&
         (node.is(Structure::Elementwise) || node.is(Structure::Layout));
}

/// A moment is nothing to the loss and its gradient.
bool PhaseFinder::readsMoment(NodeId id) const {
  return !needsLoss[id] &&
         llvm::any_of(graph.nodes[id].getRead(), [&](ValueId operand) {
           return graph.values[facts.roots[operand]].origin == Origin::Moment;
         });
}

/// An optimizer made of primitives: what makes the values that replace
/// arguments, all that depends on these, and the elementwise chains before.
/// What the backward reads, too, belongs to the backward, whoever computed it
/// once instead of twice.
void PhaseFinder::findPrimitiveOptimizer() {
  for (NodeId id = 0; id < graph.nodes.size(); ++id)
    if (readsMoment(id) ||
        (isPrimitive(id) &&
         llvm::any_of(graph.nodes[id].results, [&](ValueId result) {
           return graph.values[result].isUpdated;
         })))
      facts.phases[id] = StepPhase::Optimizer;
  spreadLaterPhases();
  for (NodeId id = graph.nodes.size(); id-- > 0;) {
    if (!isPrimitive(id))
      continue;
    bool isChain = false, isReadBefore = false;
    for (ValueId result : graph.nodes[id].results)
      for (GraphUse use : graph.values[result].uses) {
        const GraphNode &user = graph.nodes[use.node];
        StepPhase phase = facts.phases[use.node];
        if (!user.readsElements(use.operand))
          continue;
        isChain |= phase == StepPhase::Optimizer && !isUpdater(user);
        // A metric of it is of no phase.
        isReadBefore |= phase == StepPhase::Backward && reachesUpdate[use.node];
      }
    if (isChain && !isReadBefore)
      facts.phases[id] = StepPhase::Optimizer;
  }
}

void PhaseFinder::findWeightGradients() {
  for (NodeId id = graph.nodes.size(); id-- > 0;) {
    const GraphNode &node = graph.nodes[id];
    if (facts.phases[id] != StepPhase::Backward)
      continue;
    for (ValueId result : node.results) {
      const GraphValue &value = graph.values[result];
      bool leaves = value.isReturned && !value.isInputGradient && !hasUpdate;
      for (GraphUse use : value.uses) {
        const GraphNode &user = graph.nodes[use.node];
        leaves |= facts.phases[use.node] == StepPhase::Optimizer;
        if (user.is(Structure::Elementwise) || user.is(Structure::Layout))
          for (ValueId next : user.results)
            leaves |= facts.isWeightGradient[next];
      }
      facts.isWeightGradient[result] = leaves;
    }
  }
}

void PhaseFinder::run() {
  hasUpdate =
      llvm::any_of(graph.nodes,
                   [&](const GraphNode &node) { return isUpdater(node); }) ||
      llvm::any_of(graph.values,
                   [](const GraphValue &value) { return value.isUpdated; });
  isGiven = llvm::any_of(graph.values, [](const GraphValue &value) {
    return value.origin == Origin::Gradient;
  });
  spreadBackwards(findLossValues());
  for (auto [id, node] : llvm::enumerate(graph.nodes))
    if (isUpdater(node))
      facts.phases[id] = StepPhase::Optimizer;
  if (hasLoss)
    findBackward();
  else if (isGiven)
    findBackwardOfGradients();
  if (hasLoss || isGiven)
    findPrimitiveOptimizer();
  spreadLaterPhases();
  findWeightGradients();
  if (!hasLoss)
    needsLoss.assign(graph.nodes.size(), true);
  analysis.leadsToLoss = std::move(needsLoss);
}

void prec::findPhases(Analysis &analysis) { PhaseFinder(analysis).run(); }

void prec::findGradients(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  Classification &facts = analysis.facts;
  bool hasSeed = llvm::is_contained(analysis.isLossGradient, true);
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    if (facts.phases[id] != StepPhase::Backward)
      continue;
    // Without a recognized loss nothing tells recomputation from gradients.
    facts.isGradient[id] =
        !hasSeed || analysis.isLossGradient[id] ||
        llvm::any_of(node.getRead(), [&](ValueId operand) {
          NodeId producer = analysis.getProducerId(operand);
          return producer != kNone && facts.isGradient[producer];
        });
    if (!node.is(Structure::Contraction) || !facts.isGradient[id])
      continue;
    bool readsWeight = llvm::any_of(
        ArrayRef<ValueId>(node.operands).take_front(2), [&](ValueId operand) {
          return graph.values[analysis.root(operand)].origin ==
                 Origin::Parameter;
        });
    bool isWgrad =
        !readsWeight && llvm::any_of(node.results, [&](ValueId result) {
          return facts.isWeightGradient[result];
        });
    facts.directions[id] = isWgrad ? Direction::Wgrad : Direction::Dgrad;
  }
}
