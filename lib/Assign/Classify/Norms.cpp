//===- Norms.cpp - norms, as composites or made of primitives -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds norms made of primitives. A norm is recognized by its (reciprocal)
// square root. From there NormMatcher goes up through scalar arithmetic to a
// sum, and from the sum to what is squared: x, or x - mean(x). If the root then
// multiplies or divides that same x, it is a norm; the global norm of gradients
// scales something else and is none. What scales and shifts the result by
// broadcast parameters belongs to it. Chains are followed for at most 8 steps.
// Example: x * rsqrt(mean(x * x) + eps) * w.
//
// findNormGradients marks what in the backward reads the statistic of a norm,
// and the sums of rows that are combined with it.
//
//===----------------------------------------------------------------------===//
#include "Assign/Classify/Analysis.h"

using namespace mlir;
using namespace prec;

namespace {

/// A norm made of primitives, found from its root: the value that is squared,
/// the mean of squares behind scalar arithmetic, the root, the product.
struct NormMatcher {
  explicit NormMatcher(Analysis &analysis)
      : analysis(analysis), graph(analysis.graph) {}

  void match(NodeId rootNode);

private:
  /// Follows single-input scalar arithmetic up to a sum, the first one of sums
  /// of sums; kNone if there is none.
  NodeId findSum(ValueId value);
  static bool isSum(const GraphNode &node) {
    return node.is(Structure::Reduction) && node.has(ArithAdd);
  }
  /// The value whose squares are summed; kNone if they are no squares.
  ValueId findSquared(NodeId sum);
  /// In x - mean(x), alone or with more in one body: x; kNone otherwise.
  ValueId findCentered(const GraphNode &node);
  /// The input of a norm, given what is squared: x, or x of x - mean(x).
  ValueId findInput(ValueId squared);
  /// The difference from the mean, which may be computed more than once.
  void markCentered(ValueId value, ValueId input) {
    if (!analysis.isSame(value, input))
      analysis.mark(analysis.getProducerId(analysis.root(value)),
                    TensorClass::Norm, /*inside=*/false);
  }
  /// A root that is fused with what it scales.
  void matchFused(NodeId rootNode);
  bool isScaled(ValueId value, ValueId input, ValueId squared) const {
    return analysis.isSame(value, input) || analysis.isSame(value, squared);
  }
  /// An argument, or one more than it.
  bool isParameter(ValueId value) const {
    const GraphNode *producer = analysis.getProducer(value);
    if (producer && producer->arithmetic == ArithAdd) {
      ValueId single = analysis.getSingleInput(*producer);
      return single != kNone && !analysis.getProducer(analysis.root(single));
    }
    return !producer;
  }
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
    if (node.is(Structure::Reduction)) {
      if (!node.has(ArithAdd))
        return kNone;
      NodeId inner =
          node.numInputs == 0
              ? kNone
              : analysis.getProducerId(analysis.root(node.operands[0]));
      if (inner == kNone || !isSum(graph.nodes[inner]))
        return producer;
      // Of a group of channels, over the positions of each of them first.
      value = node.operands[0];
      continue;
    }
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
  if (reduction.has(ArithMul)) {
    ValueId single = analysis.getSingleInput(reduction);
    return single == kNone ? findCentered(reduction) : single;
  }
  ValueId source = analysis.root(reduction.operands[0]);
  const GraphNode *square = analysis.getProducer(source);
  if (!square || !square->is(Structure::Elementwise) ||
      !(square->has(ArithMul) || square->has(ArithPow)))
    return kNone;
  chain.push_back(analysis.getProducerId(source));
  // A product with a constant is no square.
  if (square->has(ArithMul) && square->numInputs == 2 &&
      !analysis.isSame(square->operands[0], square->operands[1]))
    return findCentered(*square);
  return analysis.getSingleInput(*square);
}

ValueId NormMatcher::findCentered(const GraphNode &node) {
  if (!node.has(ArithSub) || node.numInputs != 2)
    return kNone;
  for (unsigned mean : {1u, 0u}) {
    size_t length = chain.size();
    NodeId sum = findSum(node.operands[mean]);
    if (sum != kNone && graph.nodes[sum].numInputs > 0 &&
        analysis.isSame(graph.nodes[sum].operands[0], node.operands[1 - mean]))
      return node.operands[1 - mean];
    chain.truncate(length);
  }
  return kNone;
}

ValueId NormMatcher::findInput(ValueId squared) {
  const GraphNode *centered = analysis.getProducer(analysis.root(squared));
  if (!centered || !centered->is(Structure::Elementwise) ||
      centered->arithmetic != ArithSub)
    return squared;
  ValueId input = findCentered(*centered);
  return input == kNone ? squared : input;
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
      if (!isParameter(analysis.root(other)) || !analysis.isBroadcast(other))
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
  if (scalar == kNone)
    return matchFused(rootNode);
  NodeId sum = findSum(scalar);
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
    const ValueId *scaled = llvm::find_if(user.operands, [&](ValueId operand) {
      return isScaled(operand, input, squared);
    });
    if (scaled == user.operands.end())
      return;
    markCentered(*scaled, input);
    analysis.mark(use.node, TensorClass::Norm, /*inside=*/false);
    outputs.push_back(user.results[0]);
  });
  if (outputs.empty())
    return;
  markCentered(squared, input);
  for (NodeId node : chain)
    analysis.mark(node, TensorClass::Norm, /*inside=*/true);
  analysis.isNormStatistic[root.results[0]] = true;
  if (analysis.isForward(rootNode))
    analysis.isNormInput[analysis.root(input)] = true;
  for (ValueId output : outputs)
    matchScale(output);
}

void NormMatcher::matchFused(NodeId rootNode) {
  const GraphNode &root = graph.nodes[rootNode];
  if (!(root.has(ArithMul) || root.has(ArithDiv)))
    return;
  for (unsigned i = 0; i < root.numInputs; ++i) {
    chain.clear();
    NodeId sum = findSum(root.operands[i]);
    ValueId squared = sum == kNone ? kNone : findSquared(sum);
    if (squared == kNone)
      continue;
    ValueId input = findInput(squared);
    ArrayRef<ValueId> inputs = root.getInputs();
    const ValueId *scaled = llvm::find_if(inputs, [&](ValueId operand) {
      return isScaled(operand, input, squared);
    });
    if (scaled == inputs.end())
      continue;
    markCentered(squared, input);
    markCentered(*scaled, input);
    for (NodeId node : chain)
      analysis.mark(node, TensorClass::Norm, /*inside=*/true);
    analysis.mark(rootNode, TensorClass::Norm, /*inside=*/false);
    analysis.isNormStatistic[analysis.root(root.operands[i])] = true;
    if (analysis.isForward(rootNode))
      analysis.isNormInput[analysis.root(input)] = true;
    return matchScale(root.results[0]);
  }
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
    for (ValueId operand : node.getRead()) {
      NodeId producer = analysis.getProducerId(operand);
      reads[id] = reads[id] ||
                  analysis.isNormStatistic[analysis.root(operand)] ||
                  (producer != kNone && reads[producer] && !isSum);
    }
    if (!reads[id] || isSum || !node.is(Structure::Elementwise))
      continue;
    analysis.mark(id, TensorClass::Norm, /*inside=*/false);
    for (ValueId operand : node.getRead()) {
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
