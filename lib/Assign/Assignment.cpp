//===- Assignment.cpp - formats that contractions read --------------------===//
#include "prec/Assign/Assignment.h"

#include "Storage.h"

using namespace mlir;
using namespace mlir::prec;
using llvm::Twine;

namespace {

struct UseAssigner {
  UseAssigner(const Graph &graph, const Classification &facts,
              const Recipe &recipe, const Target &target,
              Assignment &assignment)
      : graph(graph), facts(facts), recipe(recipe), target(target),
        assignment(assignment) {}

  void run();

private:
  OperandKind getKind(NodeId node, ValueId operand) const;
  void assignContraction(NodeId id);
  void readByDirection(NodeId id);
  /// Operands that a composite reads in a format of its own.
  void assignComposite(NodeId id);
  Decision make(Format format, const Twine &rule) {
    return {format, Scaling::None, Accumulator::Full, assignment.save(rule)};
  }

  const Graph &graph;
  const Classification &facts;
  const Recipe &recipe;
  const Target &target;
  Assignment &assignment;
};

} // namespace

OperandKind UseAssigner::getKind(NodeId node, ValueId operand) const {
  const GraphValue &source = graph.values[facts.roots[operand]];
  if (source.producer != kNone)
    return facts.isGradient[source.producer] ? OperandKind::Gradient
                                             : OperandKind::Activation;
  // In a graph without roles the argument that a gradient meets is a weight.
  bool isWeight =
      source.origin == Origin::Parameter ||
      (facts.isGradient[node] && facts.directions[node] == Direction::Dgrad);
  return isWeight ? OperandKind::Weight : OperandKind::Activation;
}

void UseAssigner::assignContraction(NodeId id) {
  const GraphNode &node = graph.nodes[id];
  if (!graph.isFloatContraction(id))
    return;
  SmallVector<Decision, 2> &uses = assignment.uses[id];
  uses.resize(2);
  TensorClass tensorClass = *facts.classes[id];
  if (const std::optional<KeepHigh> &rule = recipe.getKeepHigh(tensorClass);
      rule && rule->reads)
    uses.assign(2, make(*rule->reads, rule->getRule(tensorClass)));
  else
    readByDirection(id);

  Format result = assignment.values[node.results[0]].format;
  std::optional<std::string> illegal = findIllegality(
      target, node.shape,
      {uses[0].format, uses[1].format, result, uses[0].accumulator});
  if (!illegal)
    return;
  std::string wanted =
      (recipe.name + " " + stringifyDirection(facts.directions[id]) +
       " would read " + stringifyFormat(uses[0].format) + " x " +
       stringifyFormat(uses[1].format) + ", but " + *illegal)
          .str();
  // BF16 is what every target multiplies, if the recipe's own fallback is none.
  for (Format format : {recipe.fallback, Format::BF16}) {
    if (findIllegality(target, node.shape, {format, format, result}))
      continue;
    uses.assign(2, make(format, wanted + ": reads " + stringifyFormat(format)));
    assignment.fallbacks.push_back({id, std::move(*illegal), format});
    return;
  }
  assignment.fallbacks.push_back({id, std::move(*illegal), std::nullopt});
}

void UseAssigner::readByDirection(NodeId id) {
  const GraphNode &node = graph.nodes[id];
  SmallVector<Decision, 2> &uses = assignment.uses[id];
  const DirectionRecipe &formats =
      recipe.directions[static_cast<unsigned>(facts.directions[id])];
  bool isFp8 = false;
  for (unsigned i = 0; i < 2; ++i) {
    OperandKind kind = getKind(id, node.operands[i]);
    const UseFormat &use = formats.operands[static_cast<unsigned>(kind)];
    uses[i] =
        make(use.format,
             recipe.name + " " + stringifyDirection(facts.directions[id]) +
                 ": " + stringifyOperandKind(kind) + " read in " +
                 stringifyFormat(use.format) + "; " + recipe.contractionReason);
    uses[i].scaling = use.scaling;
    isFp8 |= use.scaling != Scaling::None;
  }
  if (isFp8)
    for (Decision &use : uses)
      use.accumulator = formats.accumulator;
}

void UseAssigner::assignComposite(NodeId id) {
  const GraphNode &node = graph.nodes[id];
  TensorClass tensorClass = *facts.classes[id];
  const std::optional<KeepHigh> &rule = recipe.getKeepHigh(tensorClass);
  if (!rule)
    return;
  std::optional<Format> reads =
      tensorClass == TensorClass::Attention ? rule->reads : rule->stores;
  if (!reads)
    return;
  SmallVector<Decision, 2> uses(node.operands.size());
  bool any = false;
  for (auto [index, operand] : llvm::enumerate(node.operands)) {
    const GraphValue &value = graph.values[operand];
    bool isParameter =
        graph.values[facts.roots[operand]].origin == Origin::Parameter;
    // Statistics are read as they are stored.
    bool isStatistic =
        !isParameter && assignment.values[operand].format == Format::F32;
    bool isRead =
        tensorClass == TensorClass::Attention ? !isStatistic : isParameter;
    if (!value.isFloatTensor || !isRead)
      continue;
    uses[index] = make(*reads, rule->getRule(tensorClass));
    any = true;
  }
  if (any)
    assignment.uses[id] = std::move(uses);
}

void UseAssigner::run() {
  assignment.uses.resize(graph.nodes.size());
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    if (node.is(Structure::Contraction))
      assignContraction(id);
    else if (node.is(Structure::Attention) || node.is(Structure::Norm) ||
             node.is(Structure::Embedding))
      assignComposite(id);
  }
}

Assignment prec::assignPrecision(const Graph &graph,
                                 const Classification &facts,
                                 const Recipe &recipe, const Target &target) {
  Assignment assignment;
  assignStorage(graph, facts, recipe, assignment);
  UseAssigner(graph, facts, recipe, target, assignment).run();
  return assignment;
}
