//===- Analysis.h - the steps of classification -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_CLASSIFY_ANALYSIS_H
#define PREC_LIB_ASSIGN_CLASSIFY_ANALYSIS_H

#include "prec/Assign/Classification.h"

namespace prec {

/// Facts that the steps hand to each other, beside what they classify.
struct Analysis {
  explicit Analysis(const Graph &graph);

  const Graph &graph;
  Classification facts;

  /// By value: the first that is computed alike.
  std::vector<ValueId> numbers;

  /// Values, by their layout root.
  std::vector<bool> isNormInput;
  std::vector<bool> isNormOutput;
  /// Per-row factor of a norm made of primitives.
  std::vector<bool> isNormStatistic;
  std::vector<bool> isSoftmaxInput;
  std::vector<bool> isSoftmaxOutput;
  bool hasSoftmax = false;
  /// Nodes that the loss depends on; all where there is no loss.
  std::vector<bool> leadsToLoss;
  /// Nodes between the loss and the first contraction of the backward.
  std::vector<bool> isLossGradient;

  const GraphNode *getProducer(ValueId value) const;
  NodeId getProducerId(ValueId value) const {
    return graph.values[value].producer;
  }
  ValueId root(ValueId value) const { return facts.roots[value]; }
  /// Whether two values are the same but for layout and constants, computed
  /// once or twice.
  bool isSame(ValueId a, ValueId b) const {
    return numbers[root(a)] == numbers[root(b)];
  }
  bool isConstant(ValueId value) const;
  /// Made larger by a broadcast since its root.
  bool isBroadcast(ValueId value) const;
  StepPhase phaseOf(ValueId value) const;
  bool isForward(NodeId node) const {
    return facts.phases[node] == StepPhase::Forward;
  }
  /// The only operand that is no constant, or kNone.
  ValueId getSingleInput(const GraphNode &node) const;
  void mark(NodeId node, TensorClass tensorClass, bool inside);
  /// Calls `visit` for every use of a value, looking through layout.
  void forEachUse(ValueId value,
                  llvm::function_ref<void(GraphUse)> visit) const;
};

/// Constants, layout roots.
void findConstantsAndRoots(Analysis &analysis);
/// Which values are computed alike, in the order of nodes.
void numberValues(Analysis &analysis);
/// Forward, backward, optimizer; values that become gradients of weights.
void findPhases(Analysis &analysis);
/// Norms and softmaxes, as composites or made of primitives.
void findNorms(Analysis &analysis);
void findSoftmaxes(Analysis &analysis);
/// Exponentials between contractions, whatever becomes of them.
void findExponentials(Analysis &analysis);
void findNormGradients(Analysis &analysis);
/// The loss, its gradient, and the contractions at either side.
void findLossAndHead(Analysis &analysis);
/// What depends on the loss's gradient; directions of contractions.
void findGradients(Analysis &analysis);
void findRouters(Analysis &analysis);
void findAttention(Analysis &analysis);
void findResiduals(Analysis &analysis);
void findRotary(Analysis &analysis);
/// Which parameter a gradient belongs to; low-rank adapters.
void findParameters(Analysis &analysis);
/// The backward of routers, once parameters are known.
void findRouterGradients(Analysis &analysis);
/// Layers of the forward stream, and of the contractions of its backward.
void findLayers(Analysis &analysis);

} // namespace prec

#endif // PREC_LIB_ASSIGN_CLASSIFY_ANALYSIS_H
