//===- Residuals.cpp - the running stream, forward and backward -----------===//
#include "Analysis.h"

using namespace mlir;
using namespace mlir::prec;

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

/// Backward: a sum one term of which comes out of a norm's gradient.
static void findBackward(Analysis &analysis, ArrayRef<NodeId> candidates) {
  for (NodeId id : candidates) {
    if (analysis.facts.phases[id] != StepPhase::Backward)
      continue;
    bool isSum =
        llvm::any_of(analysis.graph.nodes[id].operands, [&](ValueId operand) {
          NodeId producer = analysis.getProducerId(analysis.root(operand));
          return producer != kNone &&
                 analysis.facts.phases[producer] == StepPhase::Backward &&
                 analysis.facts.classes[producer] == TensorClass::Norm &&
                 !analysis.graph.nodes[producer].is(Structure::Reduction);
        });
    bool isWeightGradient =
        analysis.facts.isWeightGradient[analysis.graph.nodes[id].results[0]];
    if (isSum && !isWeightGradient)
      analysis.mark(id, TensorClass::Residual, /*inside=*/false);
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
