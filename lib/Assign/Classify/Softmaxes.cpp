//===- Softmaxes.cpp - softmax, as a composite or made of primitives ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds softmaxes made of primitives. A softmax is recognized by the sum of its
// exponentials. From the sum SoftmaxMatcher goes up to the exponential and, if
// its argument is shifted by the maximum of its row, to the input; and down
// through scalar arithmetic to what the sum normalizes. It is a softmax if the
// sum divides the exponential, or its logarithm is subtracted from the
// exponent, or if it divides a contraction of the exponential, as flash
// attention does. Chains are followed for at most 4 steps. Example: e = exp(x -
// max(x)); e / sum(e).
//
//===----------------------------------------------------------------------===//
#include "Assign/Classify/Analysis.h"

using namespace mlir;
using namespace prec;

namespace {

/// A softmax made of primitives, found from the sum of its exponentials: the
/// exponential may be an operation of its own, part of the sum or computed
/// again where it is divided; it may be divided by the sum, multiplied with one
/// over it, shifted by its logarithm, or contracted first and divided then.
struct SoftmaxMatcher {
  explicit SoftmaxMatcher(Analysis &analysis)
      : analysis(analysis), graph(analysis.graph) {}

  void match(NodeId sumNode);

private:
  /// Fills `exponential`, `exponent` and `sum`.
  bool findExponential(NodeId sumNode);
  /// In a difference: the operand that is shifted by its own row maximum; kNone
  /// if none is.
  ValueId findShifted(NodeId difference);
  void findInput(NodeId exponentialNode);
  bool isExponent(ValueId value) const {
    return analysis.isSame(value, exponent) || analysis.isSame(value, input);
  }
  /// The exponential that a contraction makes a value of; kNone if none does.
  ValueId findContracted(ValueId value) const;
  /// Follows the sum through scalar arithmetic to what it normalizes. Only a
  /// logarithm of it is of use in an exponent.
  bool follow(ValueId factor, bool isLog, unsigned depth);
  bool normalizes(GraphUse use, bool isLog);
  bool shifts(GraphUse use);

  Analysis &analysis;
  const Graph &graph;
  /// kNone for an exponential that only its sum reads.
  ValueId exponential = kNone, exponent = kNone, input = kNone, sum = kNone;
  NodeId maximum = kNone;
  SmallVector<NodeId, 8> inside;
  /// What makes probabilities; what divides a contraction's result.
  SmallVector<NodeId, 2> outputs, dividers;
  /// Exponentials that are contracted first.
  SmallVector<ValueId, 2> contracted;
};

} // namespace

ValueId SoftmaxMatcher::findShifted(NodeId difference) {
  const GraphNode &node = graph.nodes[difference];
  if (!node.has(ArithSub) || node.numInputs < 2)
    return kNone;
  for (unsigned shift : {1u, 0u}) {
    ValueId shifted = node.operands[1 - shift];
    NodeId producer =
        analysis.getProducerId(analysis.root(node.operands[shift]));
    if (producer == kNone)
      continue;
    const GraphNode &reduction = graph.nodes[producer];
    if (!reduction.is(Structure::Reduction) || !reduction.has(ArithMax) ||
        reduction.numInputs == 0 ||
        !analysis.isSame(reduction.operands[0], shifted))
      continue;
    maximum = producer;
    inside.push_back(producer);
    return shifted;
  }
  return kNone;
}

bool SoftmaxMatcher::findExponential(NodeId sumNode) {
  const GraphNode &node = graph.nodes[sumNode];
  if (node.numInputs == 0 || node.results.empty())
    return false;
  auto isSmaller = [&](ValueId a, ValueId b) {
    return graph.values[a].shape.size() < graph.values[b].shape.size();
  };
  sum = *llvm::min_element(node.results, isSmaller);
  exponential = kNone;
  if (node.has(ArithExp)) {
    ValueId widest = *llvm::max_element(node.results, isSmaller);
    if (isSmaller(sum, widest))
      exponential = widest;
    findInput(sumNode);
    return true;
  }
  ValueId summand = analysis.root(node.operands[0]);
  NodeId producer = analysis.getProducerId(summand);
  if (producer == kNone || analysis.facts.isConstant[producer])
    return false;
  const GraphNode &source = graph.nodes[producer];
  if (!source.is(Structure::Elementwise) || !source.has(ArithExp) ||
      source.numInputs == 0)
    return false;
  exponential = summand;
  inside.push_back(producer);
  findInput(producer);
  return true;
}

void SoftmaxMatcher::findInput(NodeId exponentialNode) {
  exponent = graph.nodes[exponentialNode].operands[0];
  input = findShifted(exponentialNode);
  if (input != kNone) {
    exponent = input;
    return;
  }
  input = exponent;
  NodeId producer = analysis.getProducerId(analysis.root(exponent));
  if (producer == kNone || !graph.nodes[producer].is(Structure::Elementwise))
    return;
  if (ValueId shifted = findShifted(producer); shifted != kNone) {
    input = shifted;
    inside.push_back(producer);
  }
}

ValueId SoftmaxMatcher::findContracted(ValueId value) const {
  // A scale, a mask or a conversion may lie between.
  constexpr unsigned kLongestChain = 4;
  bool isBehind = false;
  for (unsigned step = 0; step < 2 * kLongestChain; ++step) {
    if (isBehind && exponential != kNone && analysis.isSame(value, exponential))
      return analysis.root(value);
    const GraphNode *producer = analysis.getProducer(analysis.root(value));
    if (!producer || producer->numInputs == 0)
      return kNone;
    if (producer->is(Structure::Contraction)) {
      if (isBehind)
        return kNone;
      isBehind = true;
    } else if (!producer->is(Structure::Elementwise)) {
      return kNone;
    }
    // Probabilities are the contraction's first operand, or its second where
    // everything is transposed.
    value = producer->operands[0];
    if (producer->is(Structure::Contraction) && producer->numInputs > 1 &&
        analysis.isSame(producer->operands[1], exponential))
      value = producer->operands[1];
  }
  return kNone;
}

/// In d - log(sum): whether that is exponentiated.
bool SoftmaxMatcher::shifts(GraphUse use) {
  const GraphNode &user = graph.nodes[use.node];
  if (user.has(ArithExp)) {
    outputs.push_back(use.node);
    return true;
  }
  bool found = false;
  analysis.forEachUse(user.results[0], [&](GraphUse next) {
    const GraphNode &node = graph.nodes[next.node];
    if (!node.is(Structure::Elementwise) || !node.has(ArithExp) ||
        node.results.size() != 1 || analysis.getSingleInput(node) == kNone)
      return;
    outputs.push_back(next.node);
    found = true;
  });
  if (found)
    inside.push_back(use.node);
  return found;
}

bool SoftmaxMatcher::normalizes(GraphUse use, bool isLog) {
  const GraphNode &user = graph.nodes[use.node];
  auto readsBeside = [&](auto isWanted) {
    for (unsigned i = 0; i < user.numInputs; ++i)
      if (i != use.operand && isWanted(user.operands[i]))
        return true;
    return false;
  };
  auto isAnExponent = [&](ValueId operand) { return isExponent(operand); };
  bool logsHere = user.has(ArithOther | ArithSub | ArithExp);
  if (isLog || logsHere)
    return user.has(ArithSub) && readsBeside(isAnExponent) && shifts(use);
  if (!user.has(ArithDiv) && !user.has(ArithMul))
    return false;
  ValueId contractedHere = kNone;
  bool found =
      (user.has(ArithExp) && readsBeside(isAnExponent)) ||
      readsBeside([&](ValueId operand) {
        if (exponential != kNone && analysis.isSame(operand, exponential))
          return true;
        contractedHere = findContracted(operand);
        return contractedHere != kNone;
      });
  if (!found)
    return false;
  if (contractedHere == kNone) {
    outputs.push_back(use.node);
  } else {
    contracted.push_back(contractedHere);
    dividers.push_back(use.node);
  }
  return true;
}

bool SoftmaxMatcher::follow(ValueId factor, bool isLog, unsigned depth) {
  constexpr unsigned kLongestChain = 4;
  bool found = false;
  analysis.forEachUse(factor, [&](GraphUse use) {
    const GraphNode &user = graph.nodes[use.node];
    if (!user.is(Structure::Elementwise) || use.operand >= user.numInputs ||
        user.results.size() != 1)
      return;
    if (normalizes(use, isLog)) {
      found = true;
      return;
    }
    // The logarithm of the sum of all that was not shifted.
    bool addsMaximum =
        isLog && user.has(ArithAdd) && maximum != kNone &&
        llvm::any_of(user.getInputs(), [&](ValueId operand) {
          return analysis.getProducerId(analysis.root(operand)) == maximum;
        });
    if (depth == kLongestChain ||
        (analysis.getSingleInput(user) == kNone && !addsMaximum))
      return;
    if (follow(user.results[0], isLog || user.has(ArithOther), depth + 1)) {
      inside.push_back(use.node);
      found = true;
    }
  });
  return found;
}

void SoftmaxMatcher::match(NodeId sumNode) {
  inside.assign(1, sumNode);
  outputs.clear();
  dividers.clear();
  contracted.clear();
  maximum = kNone;
  if (!findExponential(sumNode) || !follow(sum, /*isLog=*/false, /*depth=*/0))
    return;
  for (NodeId part : inside)
    analysis.mark(part, TensorClass::Softmax, /*inside=*/true);
  for (NodeId output : llvm::concat<NodeId>(outputs, dividers)) {
    analysis.mark(output, TensorClass::Softmax, /*inside=*/false);
    analysis.facts.isInside[output] = false;
  }
  for (NodeId output : outputs) {
    ValueId probabilities = graph.nodes[output].results[0];
    if (contracted.empty())
      analysis.isSoftmaxOutput[probabilities] = true;
    analysis.facts.logits[probabilities] = input;
  }
  if (!contracted.empty())
    analysis.isSoftmaxOutput[exponential] = true;
  // Without a shift the largest of a row is not 1 but anything.
  if (maximum != kNone)
    for (ValueId unnormalized : contracted)
      analysis.facts.logits[unnormalized] = input;
  analysis.isSoftmaxInput[analysis.root(input)] = true;
  analysis.hasSoftmax = true;
}

void prec::findSoftmaxes(Analysis &analysis) {
  SoftmaxMatcher matcher(analysis);
  for (auto [id, node] : llvm::enumerate(analysis.graph.nodes)) {
    if (node.is(Structure::Softmax)) {
      analysis.mark(id, TensorClass::Softmax, /*inside=*/false);
      if (node.operands.empty() || node.results.empty())
        continue;
      analysis.facts.logits[node.results[0]] = node.operands[0];
      if (analysis.isForward(id)) {
        analysis.isSoftmaxInput[analysis.root(node.operands[0])] = true;
        analysis.isSoftmaxOutput[node.results[0]] = true;
        analysis.hasSoftmax = true;
      }
    } else if (node.is(Structure::Reduction) && node.has(ArithAdd) &&
               !analysis.facts.isConstant[id]) {
      matcher.match(id);
    }
  }
}
