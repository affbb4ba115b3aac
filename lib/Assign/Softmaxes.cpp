//===- Softmaxes.cpp - softmax, as a composite or made of primitives ------===//
#include "Analysis.h"

using namespace mlir;
using namespace mlir::prec;

/// In a node with exponential or difference: the operand that is shifted by its
/// own row maximum; kNone if none is. Adds the maximum to `inside`.
static ValueId findShifted(const Analysis &analysis, const GraphNode &node,
                           SmallVectorImpl<NodeId> &inside) {
  if (!node.has(ArithSub) || node.numInputs < 2)
    return kNone;
  NodeId maximum = analysis.getProducerId(analysis.root(node.operands[1]));
  if (maximum == kNone)
    return kNone;
  const GraphNode &reduction = analysis.graph.nodes[maximum];
  if (!reduction.is(Structure::Reduction) || !reduction.has(ArithMax) ||
      reduction.numInputs == 0 ||
      analysis.root(reduction.operands[0]) != analysis.root(node.operands[0]))
    return kNone;
  inside.push_back(maximum);
  return node.operands[0];
}

/// Whether `value` is, or is one over, the sum of the rows of `exponential`.
static bool isRowSum(const Analysis &analysis, ValueId value,
                     ValueId exponential, SmallVectorImpl<NodeId> &inside,
                     bool mayInvert = true) {
  NodeId producer = analysis.getProducerId(analysis.root(value));
  if (producer == kNone)
    return false;
  const GraphNode &node = analysis.graph.nodes[producer];
  if (mayInvert && node.is(Structure::Elementwise) && node.has(ArithDiv)) {
    ValueId input = analysis.getSingleInput(node);
    if (input == kNone ||
        !isRowSum(analysis, input, exponential, inside, /*mayInvert=*/false))
      return false;
    inside.push_back(producer);
    return true;
  }
  if (!node.is(Structure::Reduction) || !node.has(ArithAdd) ||
      node.numInputs == 0 || analysis.root(node.operands[0]) != exponential)
    return false;
  inside.push_back(producer);
  return true;
}

static void matchSoftmax(Analysis &analysis, NodeId id) {
  const GraphNode &node = analysis.graph.nodes[id];
  if (node.numInputs == 0 || node.results.size() != 1)
    return;
  SmallVector<NodeId, 6> inside = {id};
  ValueId input = findShifted(analysis, node, inside);
  if (input == kNone) {
    input = node.operands[0];
    NodeId shift = analysis.getProducerId(analysis.root(input));
    if (shift != kNone &&
        analysis.graph.nodes[shift].is(Structure::Elementwise)) {
      ValueId shifted =
          findShifted(analysis, analysis.graph.nodes[shift], inside);
      if (shifted != kNone) {
        input = shifted;
        inside.push_back(shift);
      }
    }
  }
  ValueId exponential = node.results[0];
  NodeId output = kNone;
  analysis.forEachUse(exponential, [&](GraphUse use) {
    const GraphNode &user = analysis.graph.nodes[use.node];
    if (output != kNone || !user.is(Structure::Elementwise) ||
        user.numInputs != 2 || use.operand > 1)
      return;
    bool divides = user.has(ArithDiv) && use.operand == 0;
    if ((divides || user.has(ArithMul)) &&
        isRowSum(analysis, user.operands[1 - use.operand], exponential, inside))
      output = use.node;
  });
  if (output == kNone)
    return;
  for (NodeId part : inside)
    analysis.mark(part, TensorClass::Softmax, /*inside=*/true);
  analysis.mark(output, TensorClass::Softmax, /*inside=*/false);
  analysis.isSoftmaxInput[analysis.root(input)] = true;
  analysis.isSoftmaxOutput[analysis.graph.nodes[output].results[0]] = true;
  analysis.hasSoftmax = true;
}

void prec::findSoftmaxes(Analysis &analysis) {
  for (auto [id, node] : llvm::enumerate(analysis.graph.nodes)) {
    if (node.is(Structure::Softmax)) {
      analysis.mark(id, TensorClass::Softmax, /*inside=*/false);
      if (analysis.isForward(id) && !node.operands.empty() &&
          !node.results.empty()) {
        analysis.isSoftmaxInput[analysis.root(node.operands[0])] = true;
        analysis.isSoftmaxOutput[node.results[0]] = true;
        analysis.hasSoftmax = true;
      }
    } else if (node.is(Structure::Elementwise) && node.has(ArithExp) &&
               !analysis.facts.isConstant[id]) {
      matchSoftmax(analysis, id);
    }
  }
}
