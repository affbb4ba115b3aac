//===- Residuals.cpp - the running stream, forward and backward -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds additions to the residual stream. A candidate adds two tensors of one
// shape, neither a constant nor a broadcast. Forward: the stream starts at an
// embedding and at what norms read or write; a candidate extends it if one of
// its operands is the stream and its sum is normalized, itself or after further
// additions. Backward: a candidate is the stream if one of its terms comes out
// of a norm's gradient. Where that gradient is made of primitives it is itself
// a sum, whose additions belong to the norm.
//
//===----------------------------------------------------------------------===//
#include "Assign/Classify/Analysis.h"

using namespace mlir;
using namespace prec;

/// An addition of two tensors of one shape, neither a constant nor a broadcast:
/// no bias and no mask.
static bool isCandidate(const Analysis &analysis, NodeId id) {
  const GraphNode &node = analysis.graph.nodes[id];
  if (!node.is(Structure::Elementwise) || node.arithmetic != ArithAdd ||
      node.numInputs != 2 || node.results.size() != 1 ||
      analysis.facts.classes[id])
    return false;
  const auto &values = analysis.graph.values;
  const GraphValue &result = values[node.results[0]];
  return result.shape.size() >= 2 &&
         llvm::all_of(node.getInputs(), [&](ValueId operand) {
           return values[operand].shape == result.shape &&
                  !analysis.isConstant(operand) &&
                  !analysis.isBroadcast(operand);
         });
}

/// Forward: an addition to the stream whose sum is normalized, itself or after
/// further additions. The stream starts at an embedding and at what norms read
/// (or, in a network that normalizes after adding, write).
static void findForward(Analysis &analysis, ArrayRef<NodeId> candidates,
                        const std::vector<bool> &isCandidateNode) {
  const Graph &graph = analysis.graph;
  std::vector<bool> isNormalized(graph.values.size());
  for (ValueId id = graph.values.size(); id-- > 0;) {
    isNormalized[id] = isNormalized[id] || analysis.isNormInput[id];
    for (GraphUse use : graph.values[id].uses) {
      bool passes = graph.nodes[use.node].is(Structure::Layout) ||
                    isCandidateNode[use.node];
      if (passes && !graph.nodes[use.node].results.empty() &&
          isNormalized[graph.nodes[use.node].results[0]])
        isNormalized[id] = true;
    }
  }
  std::vector<bool> isStream(graph.values.size());
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const GraphNode *producer = analysis.getProducer(id);
    isStream[id] = analysis.isNormInput[id] || analysis.isNormOutput[id] ||
                   (producer && producer->is(Structure::Embedding));
  }
  for (NodeId id : candidates) {
    const GraphNode &node = graph.nodes[id];
    bool extends = llvm::any_of(node.operands, [&](ValueId operand) {
      return isStream[operand] || isStream[analysis.root(operand)];
    });
    if (!analysis.isForward(id) || !extends || !isNormalized[node.results[0]])
      continue;
    analysis.mark(id, TensorClass::Residual, /*inside=*/false);
    isStream[node.results[0]] = true;
  }
}

/// A term of a norm's gradient made of primitives; a composite's is whole.
static bool isNormTerm(const Analysis &analysis, ValueId value) {
  NodeId producer = analysis.getProducerId(analysis.root(value));
  return producer != kNone && !analysis.isForward(producer) &&
         analysis.facts.classes[producer] == TensorClass::Norm &&
         analysis.graph.nodes[producer].is(Structure::Elementwise);
}

/// The only addition that reads a value, or kNone.
static NodeId getOnlySum(const Analysis &analysis, ValueId value) {
  NodeId sum = kNone;
  unsigned uses = 0;
  analysis.forEachUse(value, [&](GraphUse use) {
    ++uses;
    sum = use.node;
  });
  return uses == 1 ? sum : kNone;
}

/// Backward: a sum one term of which comes out of a norm's gradient. Where that
/// gradient is itself a sum, the stream is what is left of adding its terms.
static void findBackward(Analysis &analysis, ArrayRef<NodeId> candidates) {
  const Graph &graph = analysis.graph;
  std::vector<NodeId> terms;
  std::vector<bool> isStream(graph.nodes.size());
  for (NodeId id : candidates) {
    if (analysis.facts.phases[id] != StepPhase::Backward ||
        analysis.facts.isWeightGradient[graph.nodes[id].results[0]])
      continue;
    ArrayRef<ValueId> operands = graph.nodes[id].getInputs();
    if (llvm::all_of(operands, [&](ValueId operand) {
          return isNormTerm(analysis, operand);
        })) {
      terms.push_back(id);
      continue;
    }
    isStream[id] = llvm::any_of(operands, [&](ValueId operand) {
      NodeId producer = analysis.getProducerId(analysis.root(operand));
      return producer != kNone &&
             analysis.facts.phases[producer] == StepPhase::Backward &&
             analysis.facts.classes[producer] == TensorClass::Norm &&
             !graph.nodes[producer].is(Structure::Reduction);
    });
  }
  for (NodeId id : terms)
    analysis.mark(id, TensorClass::Norm, /*inside=*/false);
  for (NodeId id : candidates) {
    if (!isStream[id])
      continue;
    NodeId next = getOnlySum(analysis, graph.nodes[id].results[0]);
    bool isPartial =
        next != kNone && isStream[next] &&
        llvm::any_of(graph.nodes[next].getInputs(), [&](ValueId operand) {
          return isNormTerm(analysis, operand);
        });
    analysis.mark(id, isPartial ? TensorClass::Norm : TensorClass::Residual,
                  /*inside=*/isPartial);
  }
}

void prec::findResiduals(Analysis &analysis) {
  std::vector<NodeId> candidates;
  std::vector<bool> isCandidateNode(analysis.graph.nodes.size());
  for (NodeId id = 0; id < analysis.graph.nodes.size(); ++id)
    if (isCandidate(analysis, id)) {
      candidates.push_back(id);
      isCandidateNode[id] = true;
    }
  findForward(analysis, candidates, isCandidateNode);
  findBackward(analysis, candidates);
}
