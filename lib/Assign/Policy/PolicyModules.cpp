//===- PolicyModules.cpp - contractions as a benchmark's modules ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out which of a benchmark's modules a contraction is (qkv, proj, fc1,
// fc2, ...), from the structure of the graph. One pass from the last value to
// the first says what each value leads to before the residual stream:
// attention, a contraction, or a norm in front of these. One pass forward says
// what each value comes from. Both together name a module. Example: from a norm
// to attention is qkv, from attention to the stream is proj, from a norm to a
// contraction is fc1, and from a contraction to the stream is fc2. The backward
// contractions belong to the module of their weight.
//
//===----------------------------------------------------------------------===//
#include "prec/Assign/PolicyModules.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace prec;

namespace {

/// What a value leads to in the forward, through elementwise and layout
/// operations, up to the residual stream.
enum Reach : uint8_t {
  ToAttention = 1 << 0,
  ToContraction = 1 << 1,
  /// A contraction whose result leads to attention.
  ToAttentionInput = 1 << 2,
  /// The same behind a norm.
  NormToAttentionInput = 1 << 3,
};

/// What a value comes from, likewise.
enum Origins : uint8_t {
  FromNorm = 1 << 0,
  FromAttention = 1 << 1,
  FromContraction = 1 << 2,
};

struct ModuleFinder {
  ModuleFinder(const Graph &graph, const Classification &facts)
      : graph(graph), facts(facts), reach(graph.values.size()),
        origins(graph.values.size()), behind(graph.values.size(), kNone),
        moduleOf(graph.values.size(), kNone) {}

  std::vector<PolicyModule> run();

private:
  bool isForward(NodeId id) const {
    return facts.phases[id] == StepPhase::Forward;
  }
  bool isClass(NodeId id, TensorClass tensorClass) const {
    return facts.classes[id] == tensorClass;
  }
  bool passesOn(const GraphNode &node) const {
    return node.is(Structure::Elementwise) || node.is(Structure::Layout) ||
           node.is(Structure::Rotary) || node.is(Structure::Softmax);
  }
  uint8_t getReach(NodeId user) const;
  void findReach();
  void findOrigins(NodeId id);
  /// The operand of a contraction that is a weight; none if there is none or
  /// two.
  std::optional<unsigned> getWeight(NodeId id) const;
  const PolicyModule *getModule(ValueId weight) const {
    return weight == kNone || moduleOf[weight] == kNone
               ? nullptr
               : &modules[moduleOf[weight]];
  }
  std::optional<ModuleKey> nameModule(NodeId id, ValueId activation) const;
  void addForward(NodeId id);
  void addBackward(NodeId id);
  /// The parameter whose gradient a value becomes.
  ValueId findUpdated(ValueId gradient) const;

  const Graph &graph;
  const Classification &facts;
  std::vector<uint8_t> reach, origins;
  /// By value: the weight of the last contraction before it.
  std::vector<ValueId> behind;
  std::vector<PolicyModule> modules;
  /// By weight: its module; kNone without.
  std::vector<uint32_t> moduleOf;
};

} // namespace

uint8_t ModuleFinder::getReach(NodeId id) const {
  const GraphNode &user = graph.nodes[id];
  uint8_t behindUser = 0;
  for (ValueId result : user.results)
    behindUser |= reach[result];
  if (isClass(id, TensorClass::Attention))
    return ToAttention;
  if (isClass(id, TensorClass::Residual) || !isForward(id))
    return 0;
  if (isClass(id, TensorClass::Norm)) {
    // Norms made of primitives are chains of them. Queries and keys may be
    // normed on their way to attention.
    constexpr uint8_t kBehind = ToAttentionInput | NormToAttentionInput;
    return (behindUser & ToAttention) |
           (behindUser & kBehind ? NormToAttentionInput : 0);
  }
  if (user.is(Structure::Contraction))
    return behindUser & ToAttention ? ToContraction | ToAttentionInput
                                    : ToContraction;
  return passesOn(user) ? behindUser : 0;
}

void ModuleFinder::findReach() {
  for (ValueId id = graph.values.size(); id-- > 0;)
    for (GraphUse use : graph.values[id].uses)
      reach[id] |= getReach(use.node);
}

void ModuleFinder::findOrigins(NodeId id) {
  const GraphNode &node = graph.nodes[id];
  uint8_t from = 0;
  ValueId last = kNone;
  unsigned variable = 0;
  for (unsigned i = 0; i < node.numInputs; ++i) {
    ValueId operand = node.operands[i];
    from |= origins[operand];
    last = behind[operand] != kNone ? behind[operand] : last;
    NodeId producer = graph.values[operand].producer;
    variable += producer == kNone || !facts.isConstant[producer];
  }
  bool isContraction = node.is(Structure::Contraction);
  bool isNorm = isClass(id, TensorClass::Norm);
  bool isStream = isClass(id, TensorClass::Residual) || !isForward(id);
  if (isClass(id, TensorClass::Attention)) {
    from = FromAttention;
    last = kNone;
  } else if (isStream || !(isNorm || isContraction || passesOn(node))) {
    from = 0;
    last = kNone;
  } else if (isNorm) {
    from = FromNorm;
  } else if (isContraction) {
    std::optional<unsigned> weight = getWeight(id);
    from = FromContraction;
    last = weight ? facts.roots[node.operands[*weight]] : kNone;
  } else if (variable > 1) {
    // Scaled by a constant a norm is still one, mixed with others not.
    from &= ~FromNorm;
  }
  for (ValueId result : node.results) {
    origins[result] = from;
    behind[result] = last;
  }
}

std::optional<unsigned> ModuleFinder::getWeight(NodeId id) const {
  const GraphNode &node = graph.nodes[id];
  auto isWeight = [&](unsigned operand) {
    return graph.values[facts.roots[node.operands[operand]]].origin ==
           Origin::Parameter;
  };
  if (isWeight(0) == isWeight(1))
    return std::nullopt;
  return isWeight(0) ? 0 : 1;
}

std::optional<ModuleKey> ModuleFinder::nameModule(NodeId id,
                                                  ValueId activation) const {
  auto name = [](ModuleKind kind, StringRef ubName) {
    return ModuleKey::makeDense(kind, ubName, 1);
  };
  uint8_t to = reach[graph.nodes[id].results[0]], from = origins[activation];
  if (from & FromNorm) {
    if (to & NormToAttentionInput)
      return name(ModuleKind::Duplicated,
                  to & ToAttention ? "kv_down_proj" : "q_down_proj");
    if (!(to & ToAttention))
      return name(ModuleKind::LayernormColumn, "fc1");
    if (const PolicyModule *before = getModule(behind[activation]);
        before && before->key && before->key->kind == ModuleKind::Duplicated)
      return name(ModuleKind::LayernormColumn,
                  before->key->ubName == "q_down_proj" ? "q_up_proj"
                                                       : "kv_up_proj");
    return name(ModuleKind::LayernormColumn, "qkv");
  }
  if (from & FromAttention)
    return name(ModuleKind::Row, "proj");
  if (from & FromContraction)
    return name(ModuleKind::Row, "fc2");
  if (to & ToAttention)
    return name(ModuleKind::Column, "qkv");
  if (to & ToContraction)
    return name(ModuleKind::Column, "fc1");
  return std::nullopt;
}

void ModuleFinder::addForward(NodeId id) {
  const GraphNode &node = graph.nodes[id];
  std::optional<unsigned> operand = getWeight(id);
  if (!operand)
    return;
  ValueId weight = facts.roots[node.operands[*operand]];
  if (moduleOf[weight] != kNone) {
    modules[moduleOf[weight]].contractions.push_back(id);
    return;
  }
  moduleOf[weight] = modules.size();
  PolicyModule module{weight, nameModule(id, node.operands[1 - *operand])};
  int64_t rows = *operand == 1 ? node.shape.m : node.shape.n;
  module.tokens = std::max<int64_t>(rows, 0);
  // One product for each expert of a stacked weight: of as many rows as the
  // others, or of those of its group.
  const GraphValue &value = graph.values[weight];
  bool isStacked = value.shape.size() == 3;
  int64_t experts =
      node.isGrouped && isStacked ? value.shape[0] : node.shape.batch;
  if (experts > 1 && isStacked && value.shape[0] == experts) {
    if (!node.isGrouped)
      module.tokens *= experts;
    if (module.key)
      if (std::optional<ModuleKind> kind = promoteToGrouped(module.key->kind))
        module.key = ModuleKey::makeGrouped(*kind, 1, experts);
  }
  module.contractions.push_back(id);
  modules.push_back(std::move(module));
}

ValueId ModuleFinder::findUpdated(ValueId gradient) const {
  int64_t elements = graph.values[gradient].getElements();
  SmallVector<ValueId, 8> pending = {gradient};
  llvm::SmallSet<ValueId, 16> visited;
  while (!pending.empty()) {
    ValueId value = pending.pop_back_val();
    if (!visited.insert(value).second)
      continue;
    for (GraphUse use : graph.values[value].uses) {
      const GraphNode &user = graph.nodes[use.node];
      if (facts.phases[use.node] == StepPhase::Optimizer)
        for (ValueId operand : user.operands)
          if (graph.values[facts.roots[operand]].origin == Origin::Parameter &&
              graph.values[operand].getElements() == elements)
            return facts.roots[operand];
      // Norms over all gradients lead to every parameter.
      for (ValueId result : user.results)
        if (graph.values[result].getElements() == elements)
          pending.push_back(result);
    }
  }
  return kNone;
}

void ModuleFinder::addBackward(NodeId id) {
  const GraphNode &node = graph.nodes[id];
  ValueId weight = kNone;
  if (facts.directions[id] == Direction::Wgrad)
    weight = findUpdated(node.results[0]);
  else if (std::optional<unsigned> operand = getWeight(id))
    weight = facts.roots[node.operands[*operand]];
  if (weight != kNone && moduleOf[weight] != kNone)
    modules[moduleOf[weight]].contractions.push_back(id);
}

std::vector<PolicyModule> ModuleFinder::run() {
  findReach();
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    findOrigins(id);
    if (!graph.isFloatContraction(id) || !isClass(id, TensorClass::Contraction))
      continue;
    if (facts.directions[id] == Direction::Fprop)
      addForward(id);
    else
      addBackward(id);
  }
  return std::move(modules);
}

std::vector<PolicyModule> prec::findPolicyModules(const Graph &graph,
                                                  const Classification &facts) {
  return ModuleFinder(graph, facts).run();
}
