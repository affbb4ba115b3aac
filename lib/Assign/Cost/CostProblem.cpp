//===- CostProblem.cpp - a graph's precision as a labelling ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates a graph with its candidates into a labelling problem (Choose). A
// decision is a contraction, its labels are the candidates that are permitted,
// and a label costs the time of the matmul: measured, or modelled and corrected
// by the nearest that was measured, if that is known of all candidates; else
// modelled. What is done to a tensor for its readers is a
// shared cost: storing it, reading it for its amax, quantizing it, writing
// either layout, or rounding it. It is keyed by tensor, kind of work, format
// and scaling, and is paid once if any reader chooses a label that needs it.
// Example: two contractions that read x in e4m3 share one quantization; if one
// of them takes bf16, the other pays the quantization alone. Time is that of
// the contractions, times a logarithm.
//
//===----------------------------------------------------------------------===//
#include "Assign/Cost/CostProblem.h"

#include "prec/Target/Legality.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace prec;

namespace {

/// What is done to a tensor for those that read it.
enum class Work : uint8_t {
  /// Written by its producer in its storage format.
  Store,
  /// Read for its amax.
  Amax,
  /// Read to be quantized.
  Quantize,
  WriteRows,
  WriteColumns,
  /// Rounded to a format without scales.
  Round
};

struct SharedKey {
  ValueId root;
  Work work;
  Format format = Format::F32;
  Scaling scaling = Scaling::None;

  bool operator<(const SharedKey &other) const {
    return std::tie(root, work, format, scaling) <
           std::tie(other.root, other.work, other.format, other.scaling);
  }
};

/// How a contraction reads one operand.
struct Read {
  ValueId root;
  QuantizationSource source;
  Decision use;
  /// The target wants the other layout than the tensor lies in.
  bool isTransposed;
};

class CostProblemBuilder {
public:
  CostProblemBuilder(const Graph &graph, const Classification &facts,
                     ArrayRef<Decision> storage, const Target &target,
                     const CostModel &model, const GradientNoise *noise)
      : graph(graph), facts(facts), storage(storage), target(target),
        model(model), noise(noise), hasOtherReaders(graph.values.size()) {}

  CostProblem build(ArrayRef<ContractionChoice> choices);

private:
  void findOtherReaders();
  void countUses(ArrayRef<ContractionChoice> choices);
  void addDecision(const ContractionChoice &choice);
  void addNoise(const ContractionChoice &choice, ArrayRef<unsigned> permitted);
  /// None if its bytes and its time are no matter of this step.
  std::optional<Read> getRead(NodeId node, const Candidate &candidate,
                              unsigned operand) const;
  void addRead(const Read &read);
  void addAmax(const Read &read);
  void addScaledRead(const Read &read);
  void addPlainRead(const Read &read);

  bool isTrained(ValueId root) const {
    return graph.values[root].origin == Origin::Parameter &&
           !graph.values[root].isFrozen;
  }
  bool isFusible(ValueId root) const;
  void share(const SharedKey &key, int64_t cost);

  const Graph &graph;
  const Classification &facts;
  ArrayRef<Decision> storage;
  const Target &target;
  const CostModel &model;
  const GradientNoise *noise;
  /// By value: read by other than contractions.
  std::vector<bool> hasOtherReaders;
  std::map<SharedKey, uint32_t> sharedOf;
  std::map<std::pair<StringRef, Direction>, unsigned> numUses;
  SharedCost::User user = {0, 0};
  CostProblem problem;
};

} // namespace

void CostProblemBuilder::findOtherReaders() {
  for (const GraphNode &node : graph.nodes) {
    if (node.is(Structure::Contraction) || node.is(Structure::Optimizer) ||
        node.is(Structure::Clipping))
      continue;
    for (unsigned i = 0; i < node.numInputs; ++i) {
      ValueId root = facts.roots[node.operands[i]];
      // A layout operation continues its root.
      bool isView = node.is(Structure::Layout) && node.results.size() == 1 &&
                    facts.roots[node.results[0]] == root;
      if (!isView)
        hasOtherReaders[root] = true;
    }
  }
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (graph.values[id].isReturned)
      hasOtherReaders[facts.roots[id]] = true;
}

/// A kernel of ours computes it; products and attention are library calls.
bool CostProblemBuilder::isFusible(ValueId root) const {
  if (isTrained(root))
    return true;
  NodeId producer = graph.values[root].producer;
  if (producer == kNone || !graph.nodes[producer].structure)
    return false;
  const GraphNode &node = graph.nodes[producer];
  return !node.is(Structure::Contraction) && !node.is(Structure::Attention);
}

void CostProblemBuilder::share(const SharedKey &key, int64_t cost) {
  if (cost == 0)
    return;
  std::vector<SharedCost> &shared = problem.labelling.shared;
  auto [entry, isNew] = sharedOf.try_emplace(key, shared.size());
  if (isNew)
    shared.push_back({cost, {}});
  auto &users = shared[entry->second].users;
  if (users.empty() || !(users.back() == user))
    users.push_back(user);
}

static double getBytes(const QuantizationSource &source, Format format) {
  return source.getElements() * getBits(format) / 8;
}

/// A scale is made once, in the forward, and kept.
void CostProblemBuilder::addAmax(const Read &read) {
  auto [root, source, use, isTransposed] = read;
  if (!needsWholeTensor(use.scaling))
    return;
  share({root, Work::Amax}, model.priceAmax(source));
  if (source.isFusible && !isTrained(root) && !hasOtherReaders[root])
    share({root, Work::Store}, model.priceBytes(getBytes(source, source.from)));
}

void CostProblemBuilder::addScaledRead(const Read &read) {
  auto [root, source, use, isTransposed] = read;
  addAmax(read);
  QuantizationPrice price =
      model.priceQuantization(source, use.format, use.scaling);
  share({root, Work::Quantize, use.format, use.scaling}, price.once);
  if (isTransposed)
    share({root, Work::WriteColumns, use.format, use.scaling}, price.columns);
  else
    share({root, Work::WriteRows, use.format, use.scaling}, price.rows);
}

void CostProblemBuilder::addPlainRead(const Read &read) {
  auto [root, source, use, wanted] = read;
  double bytes = getBytes(source, use.format);
  if (use.format == source.from) {
    // A weight in its master's format is the master.
    if (source.isFusible && !isTrained(root) && !hasOtherReaders[root])
      share({root, Work::Store}, model.priceBytes(bytes));
    return;
  }
  // Others read a master's work weight or write a rounded value anyway.
  if (isTrained(root) && hasOtherReaders[root])
    return;
  share({root, Work::Round, use.format},
        source.isFusible
            ? model.priceBytes(bytes)
            : model.priceKernel(getBytes(source, source.from) + bytes));
}

void CostProblemBuilder::addRead(const Read &read) {
  if (read.use.scaling == Scaling::None)
    addPlainRead(read);
  else
    addScaledRead(read);
}

std::optional<Read> CostProblemBuilder::getRead(NodeId node,
                                                const Candidate &candidate,
                                                unsigned operand) const {
  ValueId root = facts.roots[graph.nodes[node].operands[operand]];
  const GraphValue &value = graph.values[root];
  // Made once, not in every step.
  bool isConstant = value.producer != kNone && facts.isConstant[value.producer];
  if (value.isFrozen || isConstant)
    return std::nullopt;
  const ContractionShape &shape = graph.nodes[node].shape;
  auto size = [](int64_t s) { return std::max<int64_t>(s, 1); };
  int64_t outer = size(operand == 0 ? shape.m : shape.n) * size(shape.batch),
          inner = size(shape.k);
  bool isContractedLast = graph.nodes[node].isContractedLast[operand];
  if (!isContractedLast)
    std::swap(outer, inner);
  const Product *product = target.find(candidate.getDispatch());
  bool needsContractedLast =
      product && product->layout == OperandLayout::ContractedLast;
  return Read{root,
              {outer, inner, storage[root].format, isFusible(root)},
              candidate.uses[operand],
              needsContractedLast && !isContractedLast};
}

void CostProblemBuilder::addDecision(const ContractionChoice &choice) {
  SmallVector<unsigned, 3> permitted;
  // A rule may have chosen already.
  for (auto [index, candidate] : llvm::enumerate(choice.candidates))
    if (choice.winner == kNone ? candidate.veto == Veto::None
                               : choice.winner == index)
      permitted.push_back(index);
  if (permitted.empty())
    return;
  Direction direction = facts.directions[choice.node];
  // What was measured is compared with what was, or what others that were
  // correct; a model alone with models.
  SmallVector<int64_t, 3> measured, modelled;
  unsigned numFound = 0;
  for (unsigned index : permitted) {
    const Candidate &candidate = choice.candidates[index];
    // What is permitted with zeros behind a size runs with them.
    ContractionShape shape =
        getPaddedShape(graph.nodes[choice.node].shape, candidate.getDispatch());
    std::optional<int64_t> found =
        model.findProduct(direction, shape, candidate);
    numFound += found.has_value();
    if (!found)
      found = model.correctProduct(shape, candidate);
    if (found)
      measured.push_back(*found);
    modelled.push_back(model.priceProduct(shape, candidate));
  }
  bool isMeasured = measured.size() == permitted.size();
  problem.isMeasured.push_back(numFound == permitted.size());
  problem.isCorrected.push_back(isMeasured && numFound != permitted.size());
  auto &costs = problem.labelling.costs.emplace_back();
  for (auto [index, cost] :
       llvm::zip_equal(permitted, isMeasured ? measured : modelled)) {
    user.label = costs.size();
    costs.push_back(cost);
    for (unsigned operand = 0; operand < 2; ++operand)
      if (std::optional<Read> read =
              getRead(choice.node, choice.candidates[index], operand))
        addRead(*read);
  }
  addNoise(choice, permitted);
  problem.candidates.push_back(std::move(permitted));
}

/// Noise was measured with all contractions of one path and direction low, such
/// as those of a layer that is used twice: each is taken to add an equal part.
void CostProblemBuilder::countUses(ArrayRef<ContractionChoice> choices) {
  for (const ContractionChoice &choice : choices)
    ++numUses[{graph.nodes[choice.node].path, facts.directions[choice.node]}];
}

void CostProblemBuilder::addNoise(const ContractionChoice &choice,
                                  ArrayRef<unsigned> permitted) {
  if (!noise)
    return;
  StringRef path = graph.nodes[choice.node].path,
            direction = stringifyDirection(facts.directions[choice.node]);
  std::optional<double> whole = noise->find(path, direction);
  auto &added = problem.noise.emplace_back();
  for (unsigned index : permitted) {
    bool isLow =
        llvm::any_of(choice.candidates[index].uses,
                     [](const Decision &use) { return isNarrow(use.format); });
    if (isLow && !whole && !problem.unmeasured)
      problem.unmeasured = (path + " " + direction).str();
    double part =
        whole.value_or(0) / numUses[{path, facts.directions[choice.node]}];
    added.push_back(isLow ? part : 0);
  }
}

CostProblem CostProblemBuilder::build(ArrayRef<ContractionChoice> choices) {
  findOtherReaders();
  countUses(choices);
  for (auto [index, choice] : llvm::enumerate(choices)) {
    user.decision = problem.candidates.size();
    addDecision(choice);
    if (problem.candidates.size() > user.decision)
      problem.choices.push_back(index);
  }
  return std::move(problem);
}

CostProblem prec::buildCostProblem(const Graph &graph,
                                   const Classification &facts,
                                   ArrayRef<ContractionChoice> choices,
                                   ArrayRef<Decision> storage,
                                   const Target &target, const CostModel &model,
                                   const GradientNoise *noise) {
  return CostProblemBuilder(graph, facts, storage, target, model, noise)
      .build(choices);
}
