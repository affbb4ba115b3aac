//===- Storage.cpp - storage formats of values ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides in which format each value is stored. The result of a contraction,
// norm, attention and the like has the format that its class or the recipe
// says. A value of an elementwise chain is rounded only where memory holds it
// anyway: where something other than elementwise maths reads it, or the
// backward does; in between it stays f32. First one pass from the last value to
// the first finds who reads each value, looking through layout operations. Then
// the values are decided in order, so that a layout operation can take the
// format of what it moves. A rule of the user overrules what the recipe says.
// Example: in matmul(silu(g) * u) the product is read by a contraction and
// stored in BF16; silu(g) stays in f32, unless the backward reads it. Time is
// linear in the uses.
//
//===----------------------------------------------------------------------===//
#include "Assign/Storage.h"

using namespace mlir;
using namespace prec;
using llvm::Twine;

namespace {

/// Who reads a value, layout operations looked through.
enum Reader : uint16_t {
  ReadByContraction = 1 << 0,
  ReadByNorm = 1 << 1,
  ReadByAttention = 1 << 2,
  ReadBySoftmax = 1 << 3,
  ReadByReduction = 1 << 4,
  ReadByGather = 1 << 5,
  ReadByLoss = 1 << 6,
  ReadByUpdate = 1 << 7,
  ReadByUnknown = 1 << 8,
  ReadInForward = 1 << 9,
  ReadInBackward = 1 << 10,
  ReadElementwise = 1 << 11,
  ReadByCaller = 1 << 12,
  ReadAsMask = 1 << 13,
};

struct StorageAssigner {
  StorageAssigner(const Graph &graph, const Classification &facts,
                  const Recipe &recipe, RuleApplication &rules,
                  Assignment &assignment)
      : graph(graph), facts(facts), recipe(recipe), rules(rules),
        assignment(assignment) {}

  void run();
  Decision decideContraction(NodeId id);

private:
  void findReaders();
  uint16_t getReader(GraphUse use) const;
  Decision decideArgument(ValueId id);
  Decision decideUpdated(NodeId id, ValueId value);
  Decision decideResult(NodeId id, ValueId value);
  Decision keepChoice(ValueId value, Decision decision);
  Decision decideElementwise(NodeId id, ValueId value);
  Decision decideLayout(const GraphNode &node);
  Decision decideReduction(NodeId id, ValueId value);
  Decision decideComposite(NodeId id, ValueId value);

  Decision make(Format format, const Twine &rule, bool isStored = true,
                Reason reason = {}) {
    return {format, Scaling::None, Accumulator::Full, assignment.save(rule),
            reason, isStored};
  }
  Decision makeStorage(StorageKind kind, const Twine &what) {
    const ReasonedFormat &storage = recipe.getStorage(kind);
    return make(storage.format, what + ": " + getReasonText(storage),
                /*isStored=*/true, Reason::of(kind));
  }
  bool isCoded(ValueId id) const;
  Decision makeAdapter() {
    return make(recipe.dtypes.get(Dtype::Lora),
                "adapter master weight: lora_dtype");
  }
  /// The class's own rule, or else the recipe's for activations and gradients.
  Decision makeStored(NodeId id, const Twine &what);
  Decision makeInside(NodeId id, bool isStored) {
    TensorClass tensorClass = *facts.classes[id];
    const ReasonedFormat *rule =
        recipe.getKeepHigh(tensorClass, Aspect::Inside);
    return make(
        Format::F32,
        rule ? getRuleText(tensorClass, *rule)
             : (stringifyTensorClass(tensorClass) + ": computed in f32 inside")
                   .str(),
        isStored, rule ? Reason::of(Aspect::Inside, tensorClass) : Reason());
  }
  StorageKind getKind(NodeId id) const {
    return facts.isGradient[id] ? StorageKind::Gradient
                                : StorageKind::Activation;
  }
  bool isOnlySquareSummed(NodeId id, ValueId value) const;
  bool isPartialSum(ValueId value) const;

  const Graph &graph;
  const Classification &facts;
  const Recipe &recipe;
  RuleApplication &rules;
  Assignment &assignment;
  std::vector<uint16_t> readers;
};

} // namespace

uint16_t StorageAssigner::getReader(GraphUse use) const {
  const GraphNode &user = graph.nodes[use.node];
  bool isStart = use.operand >= user.numInputs &&
                 use.operand < user.operands.size() - user.numCaptured;
  if (isStart || !user.readsElements(use.operand))
    return 0;
  uint16_t phase = facts.phases[use.node] == StepPhase::Forward ? ReadInForward
                   : facts.phases[use.node] == StepPhase::Backward
                       ? ReadInBackward
                       : ReadByUpdate;
  if (user.readsMask(use.operand))
    return ReadAsMask | phase;
  if (!user.structure)
    return ReadByUnknown | phase;
  switch (*user.structure) {
  case Structure::Contraction:
    return ReadByContraction | phase;
  case Structure::Norm:
    return ReadByNorm | phase;
  case Structure::Attention:
    return ReadByAttention | phase;
  case Structure::Softmax:
    return ReadBySoftmax | phase;
  case Structure::Reduction:
    return ReadByReduction | phase;
  case Structure::Gather:
  case Structure::ScatterAdd:
  case Structure::Embedding:
    return ReadByGather | phase;
  case Structure::Loss:
    return ReadByLoss | phase;
  case Structure::Optimizer:
  case Structure::Clipping:
    return ReadByUpdate;
  case Structure::Elementwise:
  case Structure::Rotary:
    return ReadElementwise | phase;
  case Structure::Index:
    return phase;
  // It takes formats of its own, and converts to them.
  case Structure::Custom:
  case Structure::Exchange:
    return ReadByUnknown | phase;
  case Structure::Layout: {
    // Results of a layout operation come later in the order of values.
    uint16_t behind = 0;
    for (ValueId result : user.results)
      behind |= readers[result];
    return behind;
  }
  }
  llvm_unreachable("structure is an enumeration");
}

void StorageAssigner::findReaders() {
  readers.resize(graph.values.size());
  for (ValueId id = graph.values.size(); id-- > 0;) {
    const GraphValue &value = graph.values[id];
    readers[id] = value.isReturned ? ReadByCaller : 0;
    for (GraphUse use : value.uses)
      readers[id] |= getReader(use);
  }
}

Decision StorageAssigner::decideArgument(ValueId id) {
  const GraphValue &value = graph.values[id];
  switch (value.origin) {
  case Origin::Parameter:
    if (facts.isAdapter[id])
      return makeAdapter();
    return makeStorage(StorageKind::Master, "master weight");
  case Origin::Moment: {
    bool coded = isCoded(id);
    Decision decision = makeStorage(
        StorageKind::Moment,
        coded ? "optimizer state, in 8-bit codes between steps (dynamic8)"
              : "optimizer state");
    decision.isCoded = coded;
    return decision;
  }
  case Origin::Hyper:
    return make(value.declared,
                "hyper parameter: a scalar stays as the caller gives it");
  case Origin::Buffer:
    return make(value.declared, "buffer: stays as the model keeps it");
  case Origin::Input:
  case Origin::Gradient:
  case Origin::Unknown:
  case Origin::Computed:
    return make(value.declared, "input: stays as the caller gives it");
  }
  llvm_unreachable("origin is an enumeration");
}

/// What `--prec-quantize-moments` codes.
bool StorageAssigner::isCoded(ValueId id) const {
  const GraphValue &value = graph.values[id];
  return recipe.moments == MomentStorage::Dynamic8 &&
         isCodedMoment(value.getElements()) &&
         llvm::any_of(value.uses, [&](GraphUse use) {
           const GraphNode &user = graph.nodes[use.node];
           return user.is(Structure::Optimizer) &&
                  graph.values[user.operands[0]].shape == value.shape;
         });
}

Decision StorageAssigner::makeStored(NodeId id, const Twine &what) {
  if (facts.classes[id])
    if (const ReasonedFormat *rule =
            recipe.getKeepHigh(*facts.classes[id], Aspect::Stores))
      return make(rule->format, getRuleText(*facts.classes[id], *rule),
                  /*isStored=*/true,
                  Reason::of(Aspect::Stores, *facts.classes[id]));
  return makeStorage(getKind(id), what);
}

/// A product with itself whose only readers are sums: a mean of squares or a
/// norm over all elements, which a narrow format would overflow or underflow.
bool StorageAssigner::isOnlySquareSummed(NodeId id, ValueId value) const {
  const GraphNode &node = graph.nodes[id];
  constexpr uint16_t kPhases = ReadInForward | ReadInBackward | ReadByUpdate;
  bool isSquare =
      node.arithmetic == ArithMul &&
      llvm::all_of(llvm::seq(node.numInputs), [&](unsigned i) {
        return facts.roots[node.operands[i]] == facts.roots[node.operands[0]];
      });
  return isSquare && (readers[value] & ~kPhases) == ReadByReduction;
}

/// A term of a longer sum: nothing but the next addition to the stream reads
/// it.
bool StorageAssigner::isPartialSum(ValueId value) const {
  const SmallVector<GraphUse, 2> &uses = graph.values[value].uses;
  return uses.size() == 1 &&
         facts.classes[uses[0].node] == TensorClass::Residual;
}

Decision StorageAssigner::decideElementwise(NodeId id, ValueId value) {
  uint16_t mask = readers[value];
  bool isBackward = facts.phases[id] == StepPhase::Backward;
  if (graph.values[value].shape.empty())
    return make(Format::F32, "scalar: stays f32", /*isStored=*/true);
  if (isBackward && facts.isWeightGradient[value] && (mask & ReadByUpdate))
    return makeStorage(StorageKind::WeightGradient, "weight gradient");
  if (facts.phases[id] == StepPhase::Optimizer)
    return makeStored(id, "optimizer");
  if (mask & ReadByContraction)
    return makeStored(id, "read by a contraction");
  // Numbers that hide are larger than FP16 has, and biases by position need
  // more digits than BF16 has.
  if (mask & ReadAsMask)
    return make(Format::F32, "mask: added to scores in f32");
  // Steps inside a norm, softmax or loss keep f32 unless a contraction reads
  // them.
  if (facts.isInside[id])
    return makeInside(id, /*isStored=*/!isBackward && (mask & ReadInBackward));
  if (facts.classes[id] == TensorClass::Residual && !isPartialSum(value))
    return makeStored(id, "residual");
  if (isOnlySquareSummed(id, value))
    return make(Format::F32, "squares stay f32 up to their sum",
                /*isStored=*/false);
  static constexpr std::pair<uint16_t, StringRef> kReaders[] = {
      {ReadByNorm, "read by a norm"},
      {ReadByAttention, "read by attention"},
      {ReadBySoftmax, "read by a softmax"},
      {ReadByReduction, "read by a reduction"},
      {ReadByGather, "read by row index"},
      {ReadByLoss, "read by the loss"}};
  for (auto [bit, what] : kReaders)
    if (mask & bit)
      return makeStored(id, what);
  if (!isBackward && (mask & ReadInBackward))
    return makeStored(id, "saved for the backward");
  if (mask & (ReadByCaller | ReadByUnknown))
    return make(
        Format::F32,
        "elementwise result stays as its reader outside the graph takes it");
  return make(Format::F32, "elementwise intermediate stays f32 in registers",
              /*isStored=*/false);
}

Decision StorageAssigner::decideLayout(const GraphNode &node) {
  // The widest of what is joined; constants adapt.
  const Decision *widest = nullptr;
  for (ValueId operand : node.getRead()) {
    const GraphValue &value = graph.values[operand];
    if (!value.isFloatTensor ||
        (value.producer != kNone && facts.isConstant[value.producer]))
      continue;
    const Decision &decision = assignment.values[operand];
    if (decision.isDecided() && (!widest || decision.format < widest->format))
      widest = &decision;
  }
  Format format = widest ? widest->format : Format::F32;
  return make(format, "layout: has the format of what it moves",
              /*isStored=*/false);
}

Decision StorageAssigner::decideReduction(NodeId id, ValueId value) {
  // A norm over gradients scales them, but is none.
  if (facts.isWeightGradient[value] &&
      facts.phases[id] == StepPhase::Backward &&
      !graph.values[value].shape.empty())
    return makeStorage(StorageKind::WeightGradient, "weight gradient");
  if (facts.isInside[id])
    return makeInside(id, /*isStored=*/true);
  if (readers[value] & ReadAsMask)
    return make(Format::F32, "mask: added to scores in f32");
  constexpr uint16_t kStoring =
      ReadByContraction | ReadByAttention | ReadByGather;
  if (readers[value] & kStoring)
    return makeStored(id, "read by a contraction or by row index");
  return makeStorage(StorageKind::Statistic, "reduction");
}

/// Results of composites: gradients of weights, statistics (smaller than what
/// they are statistics of), and the values themselves.
Decision StorageAssigner::decideComposite(NodeId id, ValueId value) {
  const GraphNode &node = graph.nodes[id];
  if (facts.phases[id] == StepPhase::Backward && facts.isWeightGradient[value])
    return makeStorage(StorageKind::WeightGradient, "weight gradient");
  bool isStatistic = !node.is(Structure::Embedding) && !facts.isGradient[id] &&
                     graph.values[value].result > 0 && !node.operands.empty() &&
                     graph.values[value].shape.size() <
                         graph.values[node.operands[0]].shape.size();
  if (isStatistic)
    return makeStorage(StorageKind::Statistic,
                       stringifyTensorClass(*facts.classes[id]) + " statistic");
  return makeStored(id, stringifyTensorClass(*facts.classes[id]));
}

/// The first result is the parameter, the others are moments.
Decision StorageAssigner::decideUpdated(NodeId id, ValueId value) {
  if (graph.values[value].result > 0)
    return makeStorage(StorageKind::Moment, "updated optimizer state");
  const GraphNode &node = graph.nodes[id];
  if (!node.operands.empty() && facts.isAdapter[facts.roots[node.operands[0]]])
    return makeAdapter();
  return makeStorage(StorageKind::Master, "updated master weight");
}

Decision StorageAssigner::decideContraction(NodeId id) {
  if (facts.phases[id] == StepPhase::Backward &&
      facts.isWeightGradient[graph.nodes[id].results[0]])
    return makeStorage(StorageKind::WeightGradient, "weight gradient");
  // Nothing is chosen by a gradient that leaves a router.
  if (facts.classes[id] == TensorClass::Router && facts.isGradient[id])
    return makeStorage(StorageKind::Gradient, "gradient behind a router");
  return makeStored(id, "contraction result");
}

Decision StorageAssigner::decideResult(NodeId id, ValueId value) {
  const GraphNode &node = graph.nodes[id];
  if (!node.structure)
    return make(Format::F32,
                "unknown operation: nothing is known of its numbers");
  if (facts.isConstant[id])
    return make(Format::F32, "constant: exact in f32", /*isStored=*/false);
  switch (*node.structure) {
  case Structure::Elementwise:
  case Structure::Rotary:
    return decideElementwise(id, value);
  case Structure::Layout:
    return decideLayout(node);
  case Structure::Gather:
    return facts.classes[id] == TensorClass::Embedding
               ? decideComposite(id, value)
               : decideLayout(node);
  case Structure::Reduction:
  case Structure::ScatterAdd:
    return decideReduction(id, value);
  case Structure::Optimizer:
    return decideUpdated(id, value);
  case Structure::Contraction:
    return decideContraction(id);
  case Structure::Loss:
    // The gradient of the logits leaves the loss: the head's contractions read
    // it.
    if (readers[value] & ReadByContraction)
      return makeStorage(StorageKind::Gradient, "gradient of the logits");
    return makeStored(id, "loss");
  case Structure::Custom:
    return make(graph.values[value].declared,
                "custom: the operation's own dtype");
  case Structure::Exchange:
    return make(graph.values[value].declared,
                "exchange: moved between ranks as it is");
  case Structure::Index:
  case Structure::Norm:
  case Structure::Softmax:
  case Structure::Attention:
  case Structure::Embedding:
  case Structure::Clipping:
    return decideComposite(id, value);
  }
  llvm_unreachable("structure is an enumeration");
}

/// What something is chosen by is rounded no more than a router's scores.
Decision StorageAssigner::keepChoice(ValueId value, Decision decision) {
  const ReasonedFormat *rule =
      recipe.getKeepHigh(TensorClass::Router, Aspect::Stores);
  if (!facts.isChosenBy[value] || !rule || rule->format >= decision.format)
    return decision;
  return make(rule->format, getRuleText(TensorClass::Router, *rule),
              decision.isStored,
              Reason::of(Aspect::Stores, TensorClass::Router));
}

/// A graph that is not float-erased keeps what it says.
static Decision keepDeclared(const GraphValue &value, Decision decision,
                             Assignment &assignment) {
  if (value.declared == Format::F32 || decision.format == value.declared)
    return decision;
  return {value.declared,
          Scaling::None,
          Accumulator::Full,
          assignment.save("the graph already says " +
                          stringifyFormat(value.declared)),
          Reason(),
          decision.isStored};
}

void StorageAssigner::run() {
  findReaders();
  for (auto [id, value] : llvm::enumerate(graph.values)) {
    if (!value.isFloatTensor || assignment.values[id].isDecided())
      continue;
    Decision decision = value.producer == kNone
                            ? decideArgument(id)
                            : keepChoice(id, decideResult(value.producer, id));
    assignment.values[id] =
        rules.decideStorage(id, keepDeclared(value, decision, assignment));
  }
}

Decision prec::decideContractionResult(const Graph &graph,
                                       const Classification &facts,
                                       const Recipe &recipe,
                                       RuleApplication &rules,
                                       Assignment &assignment, NodeId id) {
  StorageAssigner assigner(graph, facts, recipe, rules, assignment);
  ValueId result = graph.nodes[id].results[0];
  return rules.decideStorage(
      result, keepDeclared(graph.values[result], assigner.decideContraction(id),
                           assignment));
}

void prec::assignStorage(const Graph &graph, const Classification &facts,
                         const Recipe &recipe, RuleApplication &rules,
                         Assignment &assignment) {
  StorageAssigner(graph, facts, recipe, rules, assignment).run();
}
