//===- CollectMap.cpp - decisions as a precision map ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the decisions of a step into a precision map, the data of every report:
// for each argument, operation, result and operand its format, scaling, the
// rule that decided, the candidates that were beaten and why. Values that
// optimizers update in place count no bytes again, and the copy that a
// contraction reads in another format is counted once for all that share it.
// Results come in the order of nodes. What would change a decision is added by
// Changes.cpp. One pass over the graph.
//
//===----------------------------------------------------------------------===//
#include "Assign/Report/CollectMap.h"

#include "Assign/Report/Changes.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace prec;

static StringRef stringifyOrigin(Origin origin) {
  switch (origin) {
  case Origin::Input:
    return "input";
  case Origin::Gradient:
    return "gradient";
  case Origin::Parameter:
    return "parameter";
  case Origin::Moment:
    return "moment";
  case Origin::Buffer:
    return "buffer";
  case Origin::Hyper:
    return "hyper";
  case Origin::Computed:
  case Origin::Unknown:
    return "unknown";
  }
  llvm_unreachable("origin is an enumeration");
}

static StringRef getPhaseName(const Classification &facts, NodeId node) {
  switch (facts.phases[node]) {
  case StepPhase::Forward:
    return "forward";
  case StepPhase::Backward:
    return facts.isGradient[node] ? "backward" : "recompute";
  case StepPhase::Optimizer:
    return "optimizer";
  }
  llvm_unreachable("phase is an enumeration");
}

static double getBytes(int64_t elements, Format format) {
  return double(elements) * getBits(format) / 8;
}

static MapFormat describe(const Decision &decision) {
  return {stringifyFormat(decision.format).str(),
          stringifyScaling(decision.scaling).str(),
          stringifyAccumulator(decision.accumulator).str()};
}

static MapDecision describeWithRule(const Decision &decision) {
  MapDecision described;
  static_cast<MapFormat &>(described) = describe(decision);
  described.rule = decision.rule.str();
  return described;
}

namespace {

class Collector {
public:
  Collector(const DecidedFunction &decided, const BeatenFormats *beaten)
      : decided(decided), graph(decided.projection.graph), beaten(beaten) {}

  MapFunction collect();

private:
  MapValue collectValue(ValueId id);
  MapOperation collectOperation(NodeId id);
  std::vector<MapRead> collectReads(NodeId id);

  const DecidedFunction &decided;
  const Graph &graph;
  const BeatenFormats *beaten;
  /// Values by format that a copy exists of, shared by all its reads.
  llvm::DenseSet<std::pair<ValueId, unsigned>> copies;
};

} // namespace

MapValue Collector::collectValue(ValueId id) {
  const GraphValue &value = graph.values[id];
  const Decision &decision = decided.assignment.values[id];
  MapValue entry;
  entry.value = id;
  if (value.producer == kNone) {
    entry.path = getPath(decided.projection.values[id]);
    entry.aliases = value.aliases;
    entry.origin = stringifyOrigin(value.origin);
  }
  for (int64_t size : value.shape)
    entry.shape.push_back(std::max<int64_t>(size, -1));
  entry.isStored = decision.isStored;
  // The optimizer updates its arguments in place.
  bool isUpdate = value.producer != kNone &&
                  graph.nodes[value.producer].is(Structure::Optimizer);
  if (decision.isStored && !isUpdate)
    entry.bytes = getStoredBytes(decision, double(value.getElements()));
  entry.decision = describeWithRule(decision);
  if (beaten)
    for (const BeatenFormat &other : beaten->find(id))
      entry.beaten.push_back({stringifyFormat(other.format).str(),
                              stringifyVeto(other.veto).str(), other.reason});
  return entry;
}

std::vector<MapRead> Collector::collectReads(NodeId id) {
  std::vector<MapRead> reads;
  for (auto [operand, use] : llvm::enumerate(decided.assignment.uses[id])) {
    if (!use.isDecided())
      continue;
    MapRead read;
    read.operand = operand;
    ValueId root = decided.facts.roots[graph.nodes[id].operands[operand]];
    read.value = root;
    if (use.format != decided.assignment.values[root].format &&
        copies.insert({root, static_cast<unsigned>(use.format)}).second)
      read.copyBytes = getBytes(graph.values[root].getElements(), use.format);
    read.decision = describeWithRule(use);
    reads.push_back(std::move(read));
  }
  return reads;
}

MapOperation Collector::collectOperation(NodeId id) {
  const GraphNode &node = graph.nodes[id];
  Operation *op = decided.projection.operations[id];
  MapOperation entry;
  entry.node = id;
  entry.path = getPath(op->getLoc());
  entry.name = op->getName().getStringRef().str();
  if (decided.facts.classes[id])
    entry.tensorClass = stringifyTensorClass(*decided.facts.classes[id]).str();
  entry.phase = getPhaseName(decided.facts, id).str();
  if (decided.facts.layers[id] != kNone)
    entry.layer = decided.facts.layers[id];
  if (node.is(Structure::Contraction) || node.is(Structure::Attention))
    entry.flops = node.flops;
  if (node.is(Structure::Contraction)) {
    entry.direction = stringifyDirection(decided.facts.directions[id]).str();
    auto size = [](int64_t known) { return known > 0 ? known : -1; };
    entry.mnk = {size(node.shape.m), size(node.shape.n), size(node.shape.k)};
  }
  for (ValueId result : node.results)
    if (decided.assignment.values[result].isDecided())
      entry.results.push_back(collectValue(result));
  entry.reads = collectReads(id);
  return entry;
}

static MapChoice describe(const ContractionChoice &choice) {
  MapChoice entry;
  if (choice.winner != kNone)
    entry.winner = choice.winner;
  entry.reason = choice.reason.str();
  for (const Candidate &candidate : choice.candidates) {
    MapCandidate &described = entry.candidates.emplace_back();
    described.reads = {describe(candidate.uses[0]),
                       describe(candidate.uses[1])};
    described.result = stringifyFormat(candidate.result).str();
    described.veto = stringifyVeto(candidate.veto).str();
    described.reason = candidate.vetoReason.str();
    if (candidate.price)
      described.microseconds = candidate.price->product;
  }
  return entry;
}

/// What policies call contractions: as a user's map of modules says, or else by
/// structure.
static std::vector<std::string> findModules(const DecidedFunction &decided) {
  const Graph &graph = decided.projection.graph;
  std::vector<std::string> names(graph.nodes.size());
  auto add = [&](const PolicyModule &module,
                 const std::optional<ModuleKey> &key) {
    if (key)
      for (NodeId contraction : module.contractions)
        names[contraction] = printModuleKey(*key);
  };
  if (!decided.modules.empty()) {
    for (const NamedModule &module : decided.modules)
      add(module.module, module.key);
    return names;
  }
  for (const PolicyModule &module : findPolicyModules(graph, decided.facts))
    add(module, module.key);
  return names;
}

MapFunction Collector::collect() {
  MapFunction function;
  FunctionOpInterface op = decided.function;
  function.name = op.getName().str();
  for (auto [id, value] : llvm::enumerate(graph.values))
    if (value.producer == kNone && decided.assignment.values[id].isDecided())
      function.arguments.push_back(collectValue(id));
  std::vector<std::string> modules = findModules(decided);
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    MapOperation entry = collectOperation(id);
    entry.module = std::move(modules[id]);
    if (!entry.results.empty() || !entry.reads.empty())
      function.operations.push_back(std::move(entry));
  }
  // Both are in the order of nodes.
  size_t next = 0;
  for (const ContractionChoice &choice : decided.assignment.choices) {
    while (next < function.operations.size() &&
           function.operations[next].node < choice.node)
      ++next;
    if (next < function.operations.size() &&
        function.operations[next].node == choice.node)
      function.operations[next].choice = describe(choice);
  }
  return function;
}

MapFunction prec::collectFunction(const DecidedFunction &decided,
                                  const BeatenFormats *beaten) {
  return Collector(decided, beaten).collect();
}

PrecisionMap prec::collectMap(ArrayRef<DecidedFunction> functions,
                              const Recipe &recipe, const Target &target,
                              const BoundInputs *bounds) {
  PrecisionMap map;
  map.recipe = recipe.name;
  map.target = target.getName().str();
  for (const DecidedFunction &decided : functions) {
    BeatenFormats beaten(decided.projection.graph, decided.facts, recipe,
                         bounds, decided.assignment);
    MapFunction function = collectFunction(decided, &beaten);
    addChanges(decided, recipe, target, function);
    map.functions.push_back(std::move(function));
  }
  return map;
}
