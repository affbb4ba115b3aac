//===- Norms.cpp - norms, as composites or made of primitives -------------===//
#include "Analysis.h"

using namespace mlir;
using namespace mlir::prec;

namespace {

/// A norm made of primitives, found from its root: the value that is squared,
/// the mean of squares behind scalar arithmetic, the root, the product.
struct NormMatcher {
  explicit NormMatcher(Analysis &analysis)
      : analysis(analysis), graph(analysis.graph) {}

  void match(NodeId rootNode);

private:
  /// Follows single-input scalar arithmetic up to a sum; kNone if there is
  /// none.
  NodeId findSum(ValueId value);
  /// The value whose squares are summed; kNone if they are no squares.
  ValueId findSquared(NodeId sum);
  /// The input of a norm, given what is squared: x, or x of x - mean(x).
  ValueId findInput(ValueId squared);
  void matchScale(ValueId normalized);

  Analysis &analysis;
  const Graph &graph;
  SmallVector<NodeId, 8> chain;
};

} // namespace

NodeId NormMatcher::findSum(ValueId value) {
  constexpr unsigned kLongestChain = 8;
  for (unsigned i = 0; i < kLongestChain; ++i) {
    NodeId producer = analysis.getProducerId(analysis.root(value));
    if (producer == kNone)
      return kNone;
    const GraphNode &node = graph.nodes[producer];
    chain.push_back(producer);
    if (node.is(Structure::Reduction))
      return node.has(ArithAdd) ? producer : kNone;
    if (!node.is(Structure::Elementwise))
      return kNone;
    value = analysis.getSingleInput(node);
    if (value == kNone)
      return kNone;
  }
  return kNone;
}

ValueId NormMatcher::findSquared(NodeId sum) {
  const GraphNode &reduction = graph.nodes[sum];
  if (reduction.numInputs == 0)
    return kNone;
  // A fused sum of squares.
  if (reduction.has(ArithMul))
    return analysis.getSingleInput(reduction);
  ValueId source = analysis.root(reduction.operands[0]);
  const GraphNode *square = analysis.getProducer(source);
  if (!square || !square->is(Structure::Elementwise) ||
      !(square->has(ArithMul) || square->has(ArithPow)))
    return kNone;
  chain.push_back(analysis.getProducerId(source));
  // A product with a constant is no square.
  if (square->has(ArithMul) && square->numInputs == 2 &&
      analysis.root(square->operands[0]) != analysis.root(square->operands[1]))
    return kNone;
  return analysis.getSingleInput(*square);
}

ValueId NormMatcher::findInput(ValueId squared) {
  const GraphNode *centred = analysis.getProducer(analysis.root(squared));
  if (!centred || !centred->is(Structure::Elementwise) ||
      !centred->has(ArithSub) || centred->numInputs != 2)
    return squared;
  size_t length = chain.size();
  NodeId sum = findSum(centred->operands[1]);
  if (sum != kNone && graph.nodes[sum].numInputs > 0 &&
      analysis.root(graph.nodes[sum].operands[0]) ==
          analysis.root(centred->operands[0])) {
    analysis.mark(analysis.getProducerId(analysis.root(squared)),
                  TensorClass::Norm, /*inside=*/false);
    return centred->operands[0];
  }
  chain.truncate(length);
  return squared;
}

/// Products and sums of the normalized value with broadcast parameters.
void NormMatcher::matchScale(ValueId normalized) {
  analysis.isNormOutput[normalized] = true;
  for (unsigned step = 0; step < 2; ++step) {
    ValueId next = kNone;
    analysis.forEachUse(normalized, [&](GraphUse use) {
      const GraphNode &user = graph.nodes[use.node];
      if (!user.is(Structure::Elementwise) || user.numInputs != 2 ||
          !(user.has(ArithMul) || user.has(ArithAdd)) || use.operand > 1 ||
          !analysis.isForward(use.node))
        return;
      ValueId other = user.operands[1 - use.operand];
      if (analysis.getProducer(analysis.root(other)) ||
          !analysis.isBroadcast(other))
        return;
      analysis.mark(use.node, TensorClass::Norm, /*inside=*/false);
      next = user.results[0];
    });
    if (next == kNone)
      return;
    normalized = next;
    analysis.isNormOutput[normalized] = true;
  }
}

void NormMatcher::match(NodeId rootNode) {
  chain.assign(1, rootNode);
  const GraphNode &root = graph.nodes[rootNode];
  if (root.results.size() != 1)
    return;
  ValueId scalar = analysis.getSingleInput(root);
  NodeId sum = scalar == kNone ? kNone : findSum(scalar);
  ValueId squared = sum == kNone ? kNone : findSquared(sum);
  if (squared == kNone)
    return;
  ValueId input = findInput(squared);

  // Only what then scales the value itself is a norm; a global norm, say, is
  // not.
  SmallVector<ValueId, 2> outputs;
  analysis.forEachUse(root.results[0], [&](GraphUse use) {
    const GraphNode &user = graph.nodes[use.node];
    if (!user.is(Structure::Elementwise) ||
        !(user.has(ArithMul) || user.has(ArithDiv)))
      return;
    bool scalesInput = llvm::any_of(user.operands, [&](ValueId operand) {
      return analysis.root(operand) == analysis.root(input) ||
             analysis.root(operand) == analysis.root(squared);
    });
    if (!scalesInput)
      return;
    analysis.mark(use.node, TensorClass::Norm, /*inside=*/false);
    outputs.push_back(user.results[0]);
  });
  if (outputs.empty())
    return;
  for (NodeId node : chain)
    analysis.mark(node, TensorClass::Norm, /*inside=*/true);
  analysis.isNormStatistic[root.results[0]] = true;
  if (analysis.isForward(rootNode))
    analysis.isNormInput[analysis.root(input)] = true;
  for (ValueId output : outputs)
    matchScale(output);
}

void prec::findNorms(Analysis &analysis) {
  NormMatcher matcher(analysis);
  const Graph &graph = analysis.graph;
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    if (node.is(Structure::Norm)) {
      analysis.mark(id, TensorClass::Norm, /*inside=*/false);
      if (analysis.isForward(id) && !node.operands.empty()) {
        analysis.isNormInput[analysis.root(node.operands[0])] = true;
        analysis.isNormOutput[node.results[0]] = true;
      }
    } else if (node.is(Structure::Elementwise) &&
               (node.has(ArithRsqrt) || node.has(ArithSqrt))) {
      matcher.match(id);
    }
  }
}

/// The gradient of a norm made of primitives: what in the backward reads its
/// per-row statistic, and the row sums that are combined with it.
void prec::findNormGradients(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  std::vector<bool> reads(graph.nodes.size());
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    if (analysis.facts.phases[id] != StepPhase::Backward ||
        !(node.is(Structure::Elementwise) || node.is(Structure::Layout)))
      continue;
    // Sums of gradients end the region: they are no longer the norm's.
    bool isSum = node.arithmetic == ArithAdd;
    for (ValueId operand : node.operands) {
      NodeId producer = analysis.getProducerId(operand);
      reads[id] = reads[id] ||
                  analysis.isNormStatistic[analysis.root(operand)] ||
                  (producer != kNone && reads[producer] && !isSum);
    }
    if (!reads[id] || isSum || !node.is(Structure::Elementwise))
      continue;
    analysis.mark(id, TensorClass::Norm, /*inside=*/false);
    for (ValueId operand : node.operands) {
      // mean(g * x) and the like, behind scalar factors.
      ValueId value = operand;
      for (unsigned step = 0; step < 4 && value != kNone; ++step) {
        NodeId producer = analysis.getProducerId(analysis.root(value));
        if (producer == kNone ||
            analysis.facts.phases[producer] != StepPhase::Backward)
          break;
        const GraphNode &source = graph.nodes[producer];
        if (source.is(Structure::Reduction)) {
          analysis.mark(producer, TensorClass::Norm, /*inside=*/true);
          if (source.numInputs == 0)
            break;
          NodeId product =
              analysis.getProducerId(analysis.root(source.operands[0]));
          if (product != kNone &&
              graph.nodes[product].is(Structure::Elementwise) &&
              graph.nodes[product].has(ArithMul))
            analysis.mark(product, TensorClass::Norm, /*inside=*/true);
          break;
        }
        if (!source.is(Structure::Elementwise))
          break;
        value = analysis.getSingleInput(source);
      }
    }
  }
}
