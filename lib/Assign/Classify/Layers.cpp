//===- Layers.cpp - layers of the forward stream --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the layers of the forward. A layer has no name that every framework
// gives it. What all have in common is the residual stream: each addition to it
// ends a block, and a layer begins with the block that attends. A stack without
// attention has a layer for each block that contracts. Example: the blocks
// attention, MLP, attention, MLP are of layers 0, 0, 1, 1. A backward
// contraction gets the layer of the forward one that reads the same parameter
// or, for scores, the same activation.
//
//===----------------------------------------------------------------------===//
#include "Assign/Classify/Analysis.h"

using namespace mlir;
using namespace prec;

/// By node: additions to the stream that came before it.
static std::vector<uint32_t> countBlocks(const Analysis &analysis) {
  const Graph &graph = analysis.graph;
  std::vector<uint32_t> blocks(graph.nodes.size(), 0);
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    if (!analysis.isForward(id))
      continue;
    for (ValueId operand : node.getRead()) {
      NodeId producer = analysis.getProducerId(operand);
      if (producer == kNone || producer >= id)
        continue;
      bool ends = analysis.facts.classes[producer] == TensorClass::Residual;
      blocks[id] = std::max(blocks[id], blocks[producer] + ends);
    }
  }
  return blocks;
}

static bool isContractionInLayer(const Analysis &analysis, NodeId id) {
  const std::optional<TensorClass> &c = analysis.facts.classes[id];
  return analysis.graph.nodes[id].is(Structure::Contraction) &&
         (c == TensorClass::Contraction || c == TensorClass::Convolution ||
          c == TensorClass::Router || c == TensorClass::Attention);
}

/// By block: its layer.
static std::vector<uint32_t> numberLayers(Analysis &analysis,
                                          const std::vector<uint32_t> &blocks) {
  uint32_t numBlocks = 0;
  for (NodeId id = 0; id < blocks.size(); ++id)
    if (analysis.isForward(id) &&
        analysis.facts.classes[id] == TensorClass::Residual)
      numBlocks = std::max(numBlocks, blocks[id] + 1);
  std::vector<bool> attends(numBlocks), contracts(numBlocks);
  for (NodeId id = 0; id < blocks.size(); ++id) {
    if (!analysis.isForward(id) || blocks[id] >= numBlocks)
      continue;
    if (analysis.facts.classes[id] == TensorClass::Attention)
      attends[blocks[id]] = true;
    if (isContractionInLayer(analysis, id))
      contracts[blocks[id]] = true;
  }
  const std::vector<bool> &begins =
      llvm::is_contained(attends, true) ? attends : contracts;
  std::vector<uint32_t> layers(numBlocks, 0);
  uint32_t count = 0;
  for (uint32_t block = 0; block < numBlocks; ++block) {
    count += begins[block];
    layers[block] = count == 0 ? 0 : count - 1;
  }
  analysis.facts.numLayers = count;
  return layers;
}

/// A backward contraction is in the layer of the forward one that reads the
/// same parameter or activation.
static void followForward(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  Classification &facts = analysis.facts;
  std::vector<uint32_t> layerOf(graph.values.size(), kNone);
  for (NodeId id = 0; id < graph.nodes.size(); ++id)
    if (facts.layers[id] != kNone && isContractionInLayer(analysis, id))
      for (ValueId operand : graph.nodes[id].operands)
        if (uint32_t &layer = layerOf[analysis.root(operand)]; layer == kNone)
          layer = facts.layers[id];
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    if (facts.layers[id] != kNone || !isContractionInLayer(analysis, id) ||
        facts.phases[id] != StepPhase::Backward)
      continue;
    ValueId parameter = facts.getParameter(graph, id);
    if (parameter != kNone)
      facts.layers[id] = layerOf[parameter];
    for (ValueId operand : node.operands)
      if (facts.layers[id] == kNone)
        facts.layers[id] = layerOf[analysis.root(operand)];
  }
}

void prec::findLayers(Analysis &analysis) {
  std::vector<uint32_t> blocks = countBlocks(analysis);
  std::vector<uint32_t> layers = numberLayers(analysis, blocks);
  if (analysis.facts.numLayers == 0)
    return;
  for (NodeId id = 0; id < blocks.size(); ++id) {
    const std::optional<TensorClass> &c = analysis.facts.classes[id];
    bool isOutside = c == TensorClass::Embedding || c == TensorClass::Head ||
                     c == TensorClass::Contrastive || c == TensorClass::Loss ||
                     !c;
    if (analysis.isForward(id) && !isOutside && blocks[id] < layers.size())
      analysis.facts.layers[id] = layers[blocks[id]];
  }
  followForward(analysis);
}
