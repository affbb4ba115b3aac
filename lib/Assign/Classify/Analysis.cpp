//===- Analysis.cpp - constants, roots and helpers of classification ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all finders of classes share. Constants are nodes that are computed from
// nothing but constants. The root of a value is the value that it is a new
// layout of: reshapes, transpositions, broadcasts and slices of one input lead
// to it, so finders compare roots and need not know about layout. forEachUse
// visits the readers of a value, looking through such layout operations in the
// other direction.
//
//===----------------------------------------------------------------------===//
#include "Assign/Classify/Analysis.h"

using namespace mlir;
using namespace prec;

Analysis::Analysis(const Graph &graph) : graph(graph) {
  size_t nodes = graph.nodes.size(), values = graph.values.size();
  facts.classes.resize(nodes);
  facts.phases.resize(nodes, StepPhase::Forward);
  facts.isGradient.resize(nodes, false);
  isLossGradient.resize(nodes, false);
  facts.directions.resize(nodes, Direction::Fprop);
  facts.isConstant.resize(nodes, false);
  facts.isInside.resize(nodes, false);
  facts.roots.resize(values);
  facts.isWeightGradient.resize(values, false);
  facts.gradientOf.resize(values, kNone);
  facts.isAdapter.resize(values, false);
  facts.isChosenBy.resize(values, false);
  facts.logits.resize(values, kNone);
  facts.layers.resize(nodes, kNone);
  isNormInput.resize(values, false);
  isNormOutput.resize(values, false);
  isNormStatistic.resize(values, false);
  isSoftmaxInput.resize(values, false);
  isSoftmaxOutput.resize(values, false);
}

bool Classification::holdsGradient(const Graph &graph, ValueId value) const {
  NodeId producer = graph.values[value].producer;
  return producer == kNone ? graph.values[value].origin == Origin::Gradient
                           : isGradient[producer];
}

const GraphNode *Analysis::getProducer(ValueId value) const {
  NodeId producer = graph.values[value].producer;
  return producer == kNone ? nullptr : &graph.nodes[producer];
}

bool Analysis::isConstant(ValueId value) const {
  NodeId producer = graph.values[value].producer;
  return producer != kNone && facts.isConstant[producer];
}

bool Analysis::isBroadcast(ValueId value) const {
  ValueId source = root(value);
  return source != value &&
         graph.values[source].getElements() < graph.values[value].getElements();
}

StepPhase Analysis::phaseOf(ValueId value) const {
  NodeId producer = graph.values[value].producer;
  return producer == kNone ? StepPhase::Forward : facts.phases[producer];
}

ValueId Analysis::getSingleInput(const GraphNode &node) const {
  ValueId single = kNone;
  for (unsigned i = 0; i < node.numInputs; ++i) {
    if (isConstant(node.operands[i]))
      continue;
    if (single != kNone && !isSame(single, node.operands[i]))
      return kNone;
    single = node.operands[i];
  }
  return single;
}

void Analysis::mark(NodeId node, TensorClass tensorClass, bool inside) {
  if (graph.nodes[node].is(Structure::Layout))
    return;
  facts.classes[node] = tensorClass;
  if (inside)
    facts.isInside[node] = true;
}

void Analysis::forEachUse(ValueId value,
                          llvm::function_ref<void(GraphUse)> visit) const {
  SmallVector<ValueId> worklist = {value};
  while (!worklist.empty()) {
    ValueId current = worklist.pop_back_val();
    for (GraphUse use : graph.values[current].uses) {
      const GraphNode &user = graph.nodes[use.node];
      ValueId result = user.results.empty() ? kNone : user.results[0];
      // A layout operation with this root continues the value.
      if (user.is(Structure::Layout) && result != kNone && result > current &&
          root(result) == root(value))
        worklist.push_back(result);
      else
        visit(use);
    }
  }
}

void prec::findConstantsAndRoots(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  Classification &facts = analysis.facts;
  for (ValueId value = 0; value < graph.values.size(); ++value)
    facts.roots[value] = value;
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    bool structural = node.is(Structure::Layout) || node.is(Structure::Index) ||
                      node.is(Structure::Elementwise) ||
                      node.is(Structure::Reduction);
    facts.isConstant[id] =
        structural && llvm::all_of(node.getRead(), [&](ValueId operand) {
          return analysis.isConstant(operand);
        });
    if (node.is(Structure::Layout) && node.numInputs == 1 &&
        node.results.size() == 1)
      facts.roots[node.results[0]] = facts.roots[node.operands[0]];
  }
}
