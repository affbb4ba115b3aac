//===- Classify.cpp - classes of a projected graph ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives each node of a projected graph its class, from structure alone and
// never from names. `classify` runs the finders in an order in which each can
// use what those before it found: phases first, then norms and softmaxes (which
// later finders stop at), routers, the loss and its gradient, attention, rotary
// embedding, residual additions. Most finders mark only what has no class yet.
// What is left gets the class of its structure. Parameters and layers come
// last. Every finder is a few passes over the nodes, so time is linear in the
// graph, apart from short chains that the matchers follow. This file has the
// finders of rotary embedding and embeddings.
//
//===----------------------------------------------------------------------===//
#include "prec/Assign/Classify.h"

#include "Assign/Classify/Analysis.h"

using namespace mlir;
using namespace prec;

/// Sines, cosines, the products with them and the sums of two such products.
void prec::findRotary(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  std::vector<bool> isTable(graph.nodes.size());
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    if (node.is(Structure::Rotary)) {
      analysis.mark(id, TensorClass::Rotary, /*inside=*/false);
      continue;
    }
    bool isSum = node.arithmetic == ArithAdd || node.arithmetic == ArithSub;
    auto isRotated = [&](ValueId operand) {
      NodeId producer = analysis.getProducerId(operand);
      return producer != kNone &&
             analysis.facts.classes[producer] == TensorClass::Rotary &&
             !isTable[producer];
    };
    bool readsTable = llvm::any_of(node.getRead(), [&](ValueId operand) {
      NodeId producer = analysis.getProducerId(operand);
      return producer != kNone && isTable[producer];
    });
    if (node.is(Structure::Layout)) {
      isTable[id] = readsTable;
    } else if (!node.is(Structure::Elementwise) || analysis.facts.classes[id]) {
      continue;
    } else if (node.has(ArithSinCos) ||
               (readsTable &&
                llvm::all_of(node.getInputs(), [&](ValueId operand) {
                  NodeId producer = analysis.getProducerId(operand);
                  return analysis.isConstant(operand) ||
                         (producer != kNone && isTable[producer]);
                }))) {
      isTable[id] = true;
      analysis.mark(id, TensorClass::Rotary, /*inside=*/true);
    } else if ((readsTable && node.has(ArithMul)) ||
               (isSum && llvm::all_of(node.getInputs(), isRotated))) {
      analysis.mark(id, TensorClass::Rotary, /*inside=*/false);
    }
  }
}

/// Whether what is looked up in is a parameter: the first operand of an
/// operation, or what a payload picks from.
static bool looksUpParameter(const Analysis &analysis, const GraphNode &node) {
  auto isParameter = [&](ValueId value) {
    return analysis.graph.values[analysis.root(value)].origin ==
           Origin::Parameter;
  };
  if (!node.is(Structure::Gather))
    return false;
  if (node.numCaptured > 0)
    return llvm::any_of(node.getCaptured(), isParameter);
  return node.numInputs > 0 && isParameter(node.operands[0]);
}

/// Lookups of rows of a parameter, and the additions into its gradient.
static void findEmbeddings(Analysis &analysis) {
  const Graph &graph = analysis.graph;
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    bool scatters = node.is(Structure::ScatterAdd) && !node.results.empty() &&
                    analysis.facts.isWeightGradient[node.results[0]];
    if (node.is(Structure::Embedding) || looksUpParameter(analysis, node) ||
        scatters)
      analysis.mark(id, TensorClass::Embedding, /*inside=*/false);
  }
}

/// The class that follows from structure and phase alone.
static std::optional<TensorClass> getPlainClass(const GraphNode &node,
                                                StepPhase phase) {
  bool isOptimizer = phase == StepPhase::Optimizer;
  switch (*node.structure) {
  case Structure::Contraction:
    return isOptimizer          ? TensorClass::Optimizer
           : node.isConvolution ? TensorClass::Convolution
                                : TensorClass::Contraction;
  case Structure::Layout:
  case Structure::Exchange:
    return TensorClass::Layout;
  case Structure::Index:
    return TensorClass::Index;
  case Structure::Optimizer:
    return TensorClass::Optimizer;
  case Structure::Clipping:
    return TensorClass::Clipping;
  case Structure::Reduction:
  case Structure::ScatterAdd:
    return TensorClass::Reduction;
  case Structure::Gather:
    return TensorClass::Layout;
  case Structure::Elementwise:
    return isOptimizer ? TensorClass::Optimizer : TensorClass::Elementwise;
  case Structure::Norm:
    return TensorClass::Norm;
  case Structure::Softmax:
    return TensorClass::Softmax;
  case Structure::Loss:
    return TensorClass::Loss;
  case Structure::Attention:
    return TensorClass::Attention;
  case Structure::Rotary:
    return TensorClass::Rotary;
  case Structure::Embedding:
    return TensorClass::Embedding;
  case Structure::Custom:
    return TensorClass::Custom;
  }
  llvm_unreachable("structure is an enumeration");
}

Classification prec::classify(const Graph &graph) {
  Analysis analysis(graph);
  findConstantsAndRoots(analysis);
  numberValues(analysis);
  findPhases(analysis);
  findEmbeddings(analysis);
  findNorms(analysis);
  findSoftmaxes(analysis);
  findNormGradients(analysis);
  findRouters(analysis);
  findLossAndHead(analysis);
  findGradients(analysis);
  findExponentials(analysis);
  findAttention(analysis);
  findRotary(analysis);
  findResiduals(analysis);
  for (auto [id, node] : llvm::enumerate(graph.nodes))
    if (node.structure && !analysis.facts.classes[id])
      analysis.facts.classes[id] =
          getPlainClass(node, analysis.facts.phases[id]);
  findParameters(analysis);
  findRouterGradients(analysis);
  findLayers(analysis);
  return std::move(analysis.facts);
}
