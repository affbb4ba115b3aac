//===- RuleMatching.cpp - what a rule applies to --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Rules.h"

using namespace mlir;
using namespace prec;

bool SizeRange::contains(int64_t size) const {
  return size >= 0 && (!least || size >= *least) && (!most || size <= *most) &&
         (!multipleOf || size % *multipleOf == 0);
}

RulePhase prec::getRulePhase(const Classification &facts, NodeId node) {
  switch (facts.phases[node]) {
  case StepPhase::Forward:
    return RulePhase::Forward;
  case StepPhase::Backward:
    return facts.isGradient[node] ? RulePhase::Backward : RulePhase::Recompute;
  case StepPhase::Optimizer:
    return RulePhase::Optimizer;
  }
  llvm_unreachable("phase is an enumeration");
}

static bool matchesValueSizes(const RuleMatch &match, const GraphValue &value) {
  auto holds = [&](RuleSize size, int64_t actual) {
    const auto &range = match.sizes[static_cast<unsigned>(size)];
    return !range || range->contains(actual);
  };
  bool isKnown =
      llvm::all_of(value.shape, [](int64_t size) { return size >= 0; });
  return holds(RuleSize::Elements, isKnown ? value.getElements() : -1) &&
         holds(RuleSize::Rank, value.shape.size());
}

/// Sizes of a contraction; no other operation has them.
static bool matchesShape(const RuleMatch &match, const Graph &graph,
                         const Classification &facts, NodeId id) {
  constexpr unsigned kFirst = static_cast<unsigned>(RuleSize::Elements);
  std::array<int64_t, kFirst> sizes;
  sizes.fill(-1);
  if (id != kNone && graph.nodes[id].is(Structure::Contraction)) {
    const ContractionShape &shape = graph.nodes[id].shape;
    bool isWgrad = facts.directions[id] == Direction::Wgrad;
    sizes = {shape.m, shape.n, shape.k, shape.batch,
             isWgrad ? shape.k : shape.m};
  }
  for (auto [size, range] : llvm::zip_first(sizes, match.sizes))
    if (range && !range->contains(size))
      return false;
  return true;
}

/// Predicates about an operation; a value that none computes has no class,
/// phase, direction or layer.
static bool matchesNode(const RuleMatch &match, const Graph &graph,
                        const Classification &facts, NodeId id) {
  const GraphNode *node = id == kNone ? nullptr : &graph.nodes[id];
  if (!matchesShape(match, graph, facts, id))
    return false;
  if (!node)
    return !match.tensorClass && !match.phase && !match.direction &&
           !match.layer;
  if (match.tensorClass && facts.classes[id] != match.tensorClass)
    return false;
  if (match.phase && getRulePhase(facts, id) != *match.phase)
    return false;
  if (match.direction && (!node->is(Structure::Contraction) ||
                          facts.directions[id] != *match.direction))
    return false;
  uint32_t layer = facts.layers[id];
  return !match.layer ||
         match.layer->contains(layer == kNone ? -1 : int64_t(layer));
}

/// A tied parameter has several names.
static bool matchesName(const PathGlob &path, const GraphValue &value) {
  return path.match(value.path) ||
         llvm::any_of(value.aliases,
                      [&](StringRef alias) { return path.match(alias); });
}

/// An operation is named by its own path or by that of its parameter, which the
/// two products of the backward have in common with the forward.
static bool matchesPath(const RuleMatch &match, const Graph &graph,
                        const Classification &facts, NodeId id) {
  if (!match.path || match.path->match(graph.nodes[id].path))
    return true;
  if (!graph.nodes[id].is(Structure::Contraction))
    return false;
  ValueId parameter = facts.getParameter(graph, id);
  return parameter != kNone &&
         matchesName(*match.path, graph.values[parameter]);
}

bool prec::matchesUse(const UserRule &rule, const Graph &graph,
                      const Classification &facts, NodeId id, unsigned operand,
                      OperandKind kind) {
  const RuleMatch &match = rule.match;
  return rule.isReads && (!match.operand || *match.operand == kind) &&
         matchesNode(match, graph, facts, id) &&
         matchesValueSizes(match,
                           graph.values[graph.nodes[id].operands[operand]]) &&
         matchesPath(match, graph, facts, id);
}

static bool isMoved(const Graph &graph, const Classification &facts,
                    NodeId producer) {
  const GraphNode &node = graph.nodes[producer];
  return facts.isConstant[producer] || node.is(Structure::Layout) ||
         (node.is(Structure::Gather) &&
          facts.classes[producer] != TensorClass::Embedding);
}

static bool matchesStorage(const RuleMatch &match, const Graph &graph,
                           const Classification &facts, ValueId id) {
  if (!match.storage)
    return true;
  const GraphValue &value = graph.values[id];
  switch (*match.storage) {
  case StorageKind::Master:
    return value.origin == Origin::Parameter;
  case StorageKind::Moment:
    return value.origin == Origin::Moment;
  case StorageKind::WeightGradient:
    return facts.isWeightGradient[id];
  case StorageKind::Gradient:
    return value.producer != kNone && facts.isGradient[value.producer] &&
           !facts.isWeightGradient[id] &&
           facts.phases[value.producer] == StepPhase::Backward;
  case StorageKind::Activation:
    return value.producer != kNone && !facts.isGradient[value.producer] &&
           facts.phases[value.producer] != StepPhase::Optimizer;
  case StorageKind::Statistic:
    return false;
  }
  llvm_unreachable("storage is an enumeration");
}

/// The argument that an optimizer updates, in the order of its operands the
/// parameter and its moments; the value itself otherwise.
static ValueId getUpdated(const Graph &graph, ValueId id) {
  const GraphValue &value = graph.values[id];
  if (value.producer == kNone)
    return id;
  const GraphNode &node = graph.nodes[value.producer];
  if (!node.is(Structure::Optimizer) || node.operands.empty())
    return id;
  if (value.result == 0)
    return node.operands[0];
  unsigned next = 0;
  for (ValueId operand : node.operands)
    if (graph.values[operand].origin == Origin::Moment &&
        ++next == value.result)
      return operand;
  return id;
}

bool prec::matchesValue(const UserRule &rule, const Graph &graph,
                        const Classification &facts, ValueId id) {
  const RuleMatch &match = rule.match;
  id = getUpdated(graph, id);
  const GraphValue &value = graph.values[id];
  // Of scalars only the loss, if a rule names it.
  bool isNamedLoss = value.isLoss && (match.tensorClass || match.path);
  bool isDecided =
      value.isFloatTensor && (!value.shape.empty() || isNamedLoss) &&
      (value.producer == kNone || !isMoved(graph, facts, value.producer));
  if (rule.isReads || !isDecided || !matchesStorage(match, graph, facts, id) ||
      !matchesNode(match, graph, facts, value.producer) ||
      !matchesValueSizes(match, value))
    return false;
  if (value.producer == kNone)
    return !match.path || matchesName(*match.path, value);
  return matchesPath(match, graph, facts, value.producer);
}
