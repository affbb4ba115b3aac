//===- Parameters.cpp - gradients of which parameter, adapters ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds which parameter a gradient belongs to, and which parameters are
// adapters. An optimizer operation names its parameter; from there the
// parameter is carried back through elementwise and layout operations to what
// computes the gradient. Adapters are found by their form, x W + s (x A) B: two
// trained contractions, the first one narrowing, whose result is added to that
// of a frozen one. One pass forward carries with each value which trained
// contraction it comes from and whether a frozen one is behind it; the addition
// of both decides.
//
//===----------------------------------------------------------------------===//
#include "Assign/Classify/Analysis.h"

using namespace mlir;
using namespace prec;

ValueId Classification::getParameter(const Graph &graph, NodeId id) const {
  const GraphNode &node = graph.nodes[id];
  for (unsigned i = 0; i < std::min<unsigned>(node.numInputs, 2); ++i) {
    ValueId root = roots[node.operands[i]];
    if (graph.values[root].origin == Origin::Parameter)
      return root;
  }
  return node.results.empty() ? kNone : gradientOf[node.results[0]];
}

/// Carries the parameter of an optimizer operation back to what computes its
/// gradient.
static void findGradientOf(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  Classification &facts = analysis.facts;
  for (NodeId id = graph.nodes.size(); id-- > 0;) {
    const GraphNode &node = graph.nodes[id];
    ValueId parameter = kNone;
    bool isUpdate = node.is(Structure::Optimizer) && !node.operands.empty();
    if (isUpdate)
      parameter = analysis.root(node.operands[0]);
    else if ((node.is(Structure::Elementwise) || node.is(Structure::Layout)) &&
             !node.results.empty())
      parameter = facts.gradientOf[node.results[0]];
    if (parameter == kNone)
      continue;
    for (ValueId operand : node.getRead())
      if (facts.isWeightGradient[operand] && facts.gradientOf[operand] == kNone)
        facts.gradientOf[operand] = parameter;
  }
}

namespace {
/// Values that a contraction with one parameter computes, carried through
/// elementwise and layout operations.
struct Stems {
  explicit Stems(size_t values) : trained(values, kNone), frozen(values) {}
  /// The contraction with a trained parameter behind a value.
  std::vector<NodeId> trained;
  std::vector<bool> frozen;
};
} // namespace

/// The parameter that a forward contraction multiplies with; kNone if both or
/// neither operand is one.
static ValueId getWeight(const Analysis &analysis, NodeId id) {
  const GraphNode &node = analysis.graph.nodes[id];
  ValueId weight = kNone;
  for (unsigned i = 0; i < std::min<unsigned>(node.numInputs, 2); ++i) {
    ValueId root = analysis.root(node.operands[i]);
    if (analysis.graph.values[root].origin != Origin::Parameter)
      continue;
    if (weight != kNone)
      return kNone;
    weight = root;
  }
  return weight;
}

/// `up` multiplies what `down` made narrower: both are factors of one update of
/// low rank.
static bool isLowRank(const Graph &graph, NodeId down, NodeId up) {
  const ContractionShape &first = graph.nodes[down].shape,
                         &second = graph.nodes[up].shape;
  return first.n > 0 && first.n < first.k && second.n > second.k &&
         second.k == first.n;
}

/// x W + s (x A) B with W frozen, A and B trained.
static void findAdapters(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  Stems stems(graph.values.size());
  // By node: the contraction with A, of one with B.
  std::vector<NodeId> downOf(graph.nodes.size(), kNone);
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    if (!analysis.isForward(id) || node.results.empty())
      continue;
    ValueId result = node.results[0];
    if (node.is(Structure::Contraction)) {
      ValueId weight = getWeight(analysis, id);
      if (weight == kNone)
        continue;
      stems.frozen[result] = graph.values[weight].isFrozen;
      if (graph.values[weight].isFrozen)
        continue;
      stems.trained[result] = id;
      for (ValueId operand : node.operands)
        if (NodeId down = stems.trained[operand];
            down != kNone && isLowRank(graph, down, id))
          downOf[id] = down;
    } else if (node.is(Structure::Elementwise) || node.is(Structure::Layout)) {
      NodeId trained = kNone;
      bool frozen = false;
      for (unsigned i = 0; i < node.numInputs; ++i) {
        ValueId operand = node.operands[i];
        if (stems.trained[operand] != kNone)
          trained = stems.trained[operand];
        frozen = frozen || stems.frozen[operand];
      }
      bool isSum = node.arithmetic == ArithAdd;
      if (isSum && frozen && trained != kNone && downOf[trained] != kNone)
        for (NodeId factor : {trained, downOf[trained]})
          analysis.facts.isAdapter[getWeight(analysis, factor)] = true;
      stems.trained[result] = trained;
      stems.frozen[result] = frozen;
    }
  }
}

void prec::findParameters(Analysis &analysis) {
  findGradientOf(analysis);
  if (llvm::any_of(analysis.graph.values,
                   [](const GraphValue &value) { return value.isFrozen; }))
    findAdapters(analysis);
}
