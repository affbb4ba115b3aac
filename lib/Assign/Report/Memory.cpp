//===- Memory.cpp - what an assignment stores -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Report/Memory.h"

#include <map>

using namespace mlir;
using namespace prec;

namespace {

/// A copy that contractions read: of a value, in a format, along the dimension
/// that fprop contracts, or another.
struct CopyKey {
  ValueId value;
  Format format;
  bool isTransposed;

  bool operator<(const CopyKey &other) const {
    return std::tie(value, format, isTransposed) <
           std::tie(other.value, other.format, other.isTransposed);
  }
};

struct MemoryCollector {
  MemoryCollector(const Graph &graph, const Classification &facts,
                  const Assignment &assignment)
      : graph(graph), facts(facts), assignment(assignment),
        lastUses(graph.values.size(), kNone),
        isCopiesAlone(findCopiesAlone(graph, facts, assignment)) {}

  std::vector<MemoryItem> run();

private:
  void findLastUses();
  void findActiveParts();
  void addArgument(const GraphValue &value, const Decision &decision);
  void addResult(ValueId id);
  void addCopies();
  void addItem(MemoryClass memoryClass, StringRef format, ValueId value,
               std::optional<LiveRange> live);
  void addItem(MemoryClass memoryClass, Format format, ValueId value,
               std::optional<LiveRange> live) {
    addItem(memoryClass, stringifyFormat(format), value, live);
  }
  MemoryClass classifyResult(ValueId id, NodeId lastUse) const;

  const Graph &graph;
  const Classification &facts;
  const Assignment &assignment;
  /// By value: the last node that reads it; kNone if none does.
  std::vector<NodeId> lastUses;
  /// findCopiesAlone, less those whose first copy was added.
  std::vector<bool> isCopiesAlone;
  /// By parameter of experts: the part of it that meets one token.
  std::map<ValueId, double> activeParts;
  std::vector<MemoryItem> items;
};

} // namespace

/// Of matrices of experts as many meet a token as there are rows for it. What
/// chooses them is a product in front, with a row for each token.
void MemoryCollector::findActiveParts() {
  int64_t tokens = 0;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const GraphNode &node = graph.nodes[id];
    if (!graph.isFloatContraction(id) || facts.phases[id] != StepPhase::Forward)
      continue;
    if (!node.isGrouped) {
      tokens = node.shape.m;
      continue;
    }
    ValueId matrices = facts.roots[node.operands[1]];
    const GraphValue &value = graph.values[matrices];
    if (value.origin != Origin::Parameter || value.shape.size() != 3 ||
        tokens <= 0 || node.shape.m % tokens != 0)
      continue;
    const int64_t chosen = node.shape.m / tokens;
    activeParts[matrices] =
        std::min(double(chosen) / double(value.shape[0]), 1.0);
  }
}

void MemoryCollector::findLastUses() {
  auto extend = [](NodeId &last, NodeId node) {
    if (node != kNone && (last == kNone || node > last))
      last = node;
  };
  for (ValueId id = graph.values.size(); id-- > 0;)
    for (GraphUse use : graph.values[id].uses) {
      extend(lastUses[id], use.node);
      // What is not stored reads its operands when it is read.
      for (ValueId result : graph.nodes[use.node].results)
        if (!assignment.values[result].isStored)
          extend(lastUses[id], lastUses[result]);
    }
}

void MemoryCollector::addItem(MemoryClass memoryClass, StringRef format,
                              ValueId value, std::optional<LiveRange> live) {
  auto elements = static_cast<double>(graph.values[value].getElements());
  NodeId producer = graph.values[value].producer;
  items.push_back({memoryClass, format.str(), elements, live,
                   producer == kNone ? graph.values[value].path
                                     : graph.nodes[producer].path});
  items.back().isWhole = graph.values[value].isFrozen;
  if (auto part = activeParts.find(value); part != activeParts.end())
    items.back().activePart = part->second;
}

MemoryClass MemoryCollector::classifyResult(ValueId id, NodeId lastUse) const {
  NodeId producer = graph.values[id].producer;
  if (facts.isWeightGradient[id] &&
      facts.phases[lastUse] == StepPhase::Optimizer)
    return MemoryClass::Gradients;
  bool isSaved = facts.phases[producer] == StepPhase::Forward &&
                 facts.phases[lastUse] == StepPhase::Backward;
  return isSaved ? MemoryClass::Activations : MemoryClass::Temporaries;
}

void MemoryCollector::addResult(ValueId id) {
  const GraphValue &value = graph.values[id];
  const Decision &decision = assignment.values[id];
  bool isInPlace = facts.phases[value.producer] == StepPhase::Optimizer;
  if (!decision.isDecided() || !decision.isStored || isInPlace)
    return;
  NodeId last = lastUses[id] == kNone ? value.producer : lastUses[id];
  addItem(classifyResult(id, last), decision.format, id,
          LiveRange{value.producer, last});
}

/// Copies that contractions and composites read in another format than the
/// value is stored in.
void MemoryCollector::addCopies() {
  std::map<CopyKey, NodeId> copies;
  for (NodeId node = 0; node < graph.nodes.size(); ++node)
    for (auto [operand, use] : llvm::enumerate(assignment.uses[node])) {
      ValueId root = facts.roots[graph.nodes[node].operands[operand]];
      bool isWeight = graph.values[root].origin == Origin::Parameter;
      if (!use.isDecided() || use.format == assignment.values[root].format ||
          (!isWeight && !isNarrow(use.format)))
        continue;
      // Wide formats are multiplied in any layout. Weights lie otherwise in
      // dgrad, activations and gradients in wgrad.
      Direction other = isWeight ? Direction::Dgrad : Direction::Wgrad;
      bool isTransposed =
          isNarrow(use.format) && facts.directions[node] == other;
      copies[{root, use.format, isTransposed}] = node;
    }
  for (const auto &[key, last] : copies) {
    const GraphValue &value = graph.values[key.value];
    if (value.origin == Origin::Parameter) {
      addItem(isNarrow(key.format) ? MemoryClass::ForwardWeights
                                   : MemoryClass::Weights16,
              key.format, key.value, std::nullopt);
      items.back().isParameter = isCopiesAlone[key.value];
      isCopiesAlone[key.value] = false;
    } else {
      addItem(MemoryClass::QuantizedCopies, key.format, key.value,
              LiveRange{value.producer == kNone ? 0 : value.producer, last});
    }
  }
}

std::vector<bool> prec::findCopiesAlone(const Graph &graph,
                                        const Classification &facts,
                                        const Assignment &assignment) {
  std::vector<bool> result(graph.values.size());
  for (auto [id, value] : llvm::enumerate(graph.values))
    result[id] = value.isFrozen && !value.uses.empty();
  for (NodeId node = 0; node < graph.nodes.size(); ++node)
    for (auto [operand, use] : llvm::enumerate(assignment.uses[node])) {
      ValueId root = facts.roots[graph.nodes[node].operands[operand]];
      bool isView =
          llvm::any_of(graph.nodes[node].results, [&](ValueId result) {
            return facts.roots[result] == root;
          });
      if (!isView &&
          (!use.isDecided() || use.format == assignment.values[root].format))
        result[root] = false;
    }
  return result;
}

std::vector<MemoryItem> MemoryCollector::run() {
  findLastUses();
  findActiveParts();
  for (auto [id, value] : llvm::enumerate(graph.values)) {
    if (!value.isFloatTensor)
      continue;
    if (value.producer != kNone)
      addResult(id);
    else if (value.origin == Origin::Parameter && !isCopiesAlone[id])
      addItem(MemoryClass::Masters, assignment.values[id].format, id,
              std::nullopt);
    else if (value.origin == Origin::Moment)
      addItem(MemoryClass::Moments, getStoredName(assignment.values[id]), id,
              std::nullopt);
  }
  addCopies();
  return std::move(items);
}

std::vector<MemoryItem> prec::collectMemory(const Graph &graph,
                                            const Classification &facts,
                                            const Assignment &assignment) {
  return MemoryCollector(graph, facts, assignment).run();
}
