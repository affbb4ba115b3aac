//===- CandidateBuilder.cpp - the ways to run a contraction ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the candidates of a contraction, in the order in which they are
// preferred: what a user's rule pins, what the recipe's keep-high rules or
// skipped layers say, what the recipe says for the direction, then fallbacks
// (the recipe's, then BF16). A candidate that cannot be taken stays in the list
// with its veto and the reason, for reports: beaten by keep-high, forbidden by
// a rule, illegal on the target. The first without a veto wins, unless a policy
// or the cost model chooses another one. Example: fp8-hybrid with a K that FP8
// matmuls do not take has e4m3 x e4m3, vetoed as illegal, then bf16 x bf16,
// which wins.
//
//===----------------------------------------------------------------------===//
#include "Assign/CandidateBuilder.h"
#include "prec/Target/Legality.h"

using namespace mlir;
using namespace prec;
using llvm::Twine;

StringRef prec::stringifyVeto(Veto veto) {
  static constexpr StringRef kNames[] = {"none",     "keep_high", "place",
                                         "legality", "rule",      "bound"};
  return kNames[static_cast<unsigned>(veto)];
}

Dispatch Candidate::getDispatch() const {
  return {uses[0].format,
          uses[1].format,
          result,
          uses[0].accumulator,
          {uses[0].scaling, uses[1].scaling}};
}

std::string Candidate::getName() const {
  return (stringifyFormat(uses[0].format) + " x " +
          stringifyFormat(uses[1].format))
      .str();
}

bool Candidate::isScaled() const {
  return llvm::any_of(
      uses, [](const Decision &use) { return use.scaling != Scaling::None; });
}

unsigned ContractionChoice::getFirstPermitted() const {
  for (auto [index, candidate] : llvm::enumerate(candidates))
    if (candidate.veto == Veto::None)
      return index;
  return kNone;
}

/// "fp8-hybrid fprop: weight read in ".
static std::string describeRead(const Recipe &recipe, Direction direction,
                                OperandKind kind) {
  return (recipe.name + " " + stringifyDirection(direction) + ": " +
          stringifyOperandKind(kind) + " read in ")
      .str();
}

Candidate CandidateBuilder::makeUniform(Format format, const Twine &rule,
                                        Reason reason) {
  Decision use = {format, Scaling::None, Accumulator::Full,
                  assignment.save(rule), reason};
  Candidate candidate;
  candidate.uses = {use, use};
  return candidate;
}

Candidate CandidateBuilder::makeByDirection(NodeId id) {
  Candidate candidate;
  Direction direction = facts.directions[id];
  StringRef changed =
      recipe.directions[static_cast<unsigned>(direction)].overriddenBy;
  for (unsigned i = 0; i < 2; ++i) {
    OperandKind kind =
        getOperandKind(graph, facts, id, graph.nodes[id].operands[i]);
    const UseFormat &use = recipe.getUse(direction, kind);
    Decision &read = candidate.uses[i];
    read.format = use.format;
    read.scaling = use.scaling;
    read.reason = {Reason::Kind::Read};
    std::string why =
        changed.empty() ? recipe.contractionReason : changed.str();
    if (std::optional<GradientChoice> choice = gradients.choose(id, i, read)) {
      read.format = choice->format;
      why = "gradient-format=measured: " + choice->reason;
    } else if (std::string both = gradients.describe(id, i, read);
               !both.empty()) {
      why += "; by numerics " + both;
    }
    read.rule = assignment.save(describeRead(recipe, direction, kind) +
                                stringifyFormat(read.format) + "; " + why);
  }
  if (candidate.isScaled())
    for (Decision &use : candidate.uses)
      use.accumulator =
          recipe.directions[static_cast<unsigned>(direction)].accumulator;
  return candidate;
}

std::optional<Candidate>
CandidateBuilder::makeUnchosen(NodeId id, const Candidate &chosen) {
  for (unsigned i = 0; i < 2; ++i) {
    std::optional<GradientChoice> choice =
        gradients.choose(id, i, chosen.uses[i]);
    if (!choice)
      continue;
    Candidate other = chosen;
    other.uses[i].format = getOtherFp8(choice->format);
    other.veto = Veto::Bound;
    other.setVetoReason(
        assignment.save("gradient-format=measured: " + choice->reason));
    return other;
  }
  return std::nullopt;
}

bool CandidateBuilder::readsAdapter(NodeId id) const {
  ValueId parameter = facts.getParameter(graph, id);
  return parameter != kNone && facts.isAdapter[parameter];
}

/// Why a contraction is not to read what the recipe says for its direction,
/// beside its class.
std::optional<std::string>
CandidateBuilder::findSkip(NodeId id, const Candidate &byRecipe) const {
  const GraphNode &node = graph.nodes[id];
  std::optional<StringRef> bar = node.getNarrowBar();
  if (bar && byRecipe.isScaled())
    return ("convolution: " + *bar).str();
  if (readsAdapter(id))
    return ("adapter: its work weights are " + stringifyFormat(recipe.fallback))
        .str();
  uint32_t layer = facts.layers[id];
  if (layer == kNone || !recipe.isSkipped(layer, facts))
    return std::nullopt;
  bool isFirst = layer < recipe.skipFirstLayers;
  return "layer " + std::to_string(layer) + " is one of the " +
         (isFirst ? "first " + std::to_string(recipe.skipFirstLayers)
                  : "last " + std::to_string(recipe.skipLastLayers)) +
         ", which are skipped";
}

void CandidateBuilder::propose(NodeId id, const Candidate &byRecipe,
                               ContractionChoice &choice) {
  TensorClass tensorClass = *facts.classes[id];
  auto beat = [&](const Candidate &winner, Veto veto, const Twine &reason) {
    choice.candidates.push_back(winner);
    if (byRecipe.getName() == choice.candidates.front().getName())
      return;
    Candidate beaten = byRecipe;
    beaten.veto = veto;
    beaten.setVetoReason(assignment.save(reason));
    choice.candidates.push_back(beaten);
  };
  const ReasonedFormat *rule = recipe.getKeepHigh(tensorClass, Aspect::Reads);
  if (rule && (tensorClass != TensorClass::Head || !recipe.isHeadIn)) {
    std::string text = getRuleText(tensorClass, *rule);
    return beat(
        makeUniform(rule->format, text, Reason::of(Aspect::Reads, tensorClass)),
        Veto::KeepHigh, text);
  }
  if (std::optional<std::string> skip = findSkip(id, byRecipe)) {
    return beat(
        makeUniform(recipe.fallback,
                    *skip + ": reads " + stringifyFormat(recipe.fallback)),
        Veto::Place, *skip);
  }
  choice.candidates.push_back(byRecipe);
  if (std::optional<Candidate> other = makeUnchosen(id, byRecipe))
    choice.candidates.push_back(*other);
}

void CandidateBuilder::settleAccumulator(Candidate &candidate) {
  Accumulator settled = target.settleAccumulator(candidate.getDispatch());
  if (settled == candidate.uses[0].accumulator)
    return;
  for (Decision &use : candidate.uses) {
    use.accumulator = settled;
    use.rule = assignment.save(use.rule + "; " + stringifyAccumulator(settled) +
                               ", because " + target.getName() +
                               " keeps no full FP32 sum of FP8 products");
  }
}

/// Why a product of experts is not computed as `candidate` says, though one of
/// two matrices may be.
std::optional<std::string>
CandidateBuilder::findGroupedBar(const GraphNode &node,
                                 const Candidate &candidate) const {
  if (!node.isGrouped || !candidate.isScaled())
    return std::nullopt;
  if (!target.hasGroupedProducts())
    return ("no kernel of " + target.getName() +
            " multiplies groups in fp8 or fp4")
        .str();
  const GraphValue &matrices = graph.values[node.operands[1]];
  bool isForward = matrices.shape.size() == 3;
  for (auto [index, use] : llvm::enumerate(candidate.uses)) {
    // Only the matrix of an expert may end within a block.
    bool isMatrix = isForward && index == 1;
    int64_t rows = isMatrix ? node.shape.n : 0;
    if (auto problem = findGroupedProblem({rows, node.shape.k}, use.scaling))
      return problem;
  }
  if (isForward && matrices.origin != Origin::Parameter)
    return "the step computes the matrices of experts: they are no parameter";
  return std::nullopt;
}

ContractionShape CandidateBuilder::getShape(NodeId id,
                                            const Dispatch &dispatch) const {
  const GraphNode &node = graph.nodes[id];
  bool isPadded = padsHead && facts.classes[id] == TensorClass::Head &&
                  !node.isGrouped && !node.getNarrowBar();
  return isPadded ? getPaddedShape(node.shape, dispatch) : node.shape;
}

void CandidateBuilder::vetoIllegal(NodeId id, Candidate &candidate,
                                   const Decision &result) {
  const GraphNode &node = graph.nodes[id];
  candidate.result = result.format;
  // An f32 product has an f32 result; the recipe's storage is no reason to read
  // less.
  bool isF32 = candidate.uses[0].format == Format::F32 &&
               candidate.uses[1].format == Format::F32;
  if (isF32 && graph.values[node.results[0]].declared == Format::F32 &&
      rules.getStorageRule(node.results[0]) == kNone)
    candidate.result = Format::F32;
  if (candidate.veto != Veto::None)
    return;
  std::optional<StringRef> bar = node.getNarrowBar();
  std::optional<std::string> illegal =
      bar && candidate.isScaled()
          ? bar->str()
          : findIllegality(target, getShape(id, candidate.getDispatch()),
                           candidate.getDispatch());
  if (!illegal)
    illegal = findGroupedBar(node, candidate);
  if (illegal) {
    candidate.veto = Veto::Legality;
    candidate.setVetoReason(assignment.save(*illegal));
  }
}

void CandidateBuilder::proposeFallbacks(
    const RuleApplication::OperandRules &applied, const Decision &result,
    ContractionChoice &choice) {
  // BF16 is what every target multiplies, if the recipe's own fallback is none.
  for (Format format : {recipe.fallback, Format::BF16}) {
    bool isLast = format != recipe.fallback;
    if (isLast && choice.getFirstPermitted() != kNone)
      break;
    Candidate candidate = makeUniform(
        format, recipe.name + " " +
                    stringifyDirection(facts.directions[choice.node]) +
                    ": reads " + stringifyFormat(format) + " instead");
    if (llvm::any_of(choice.candidates, [&](const Candidate &other) {
          return other.getName() == candidate.getName();
        }))
      continue;
    bool isPinned = llvm::any_of(applied, [](const AppliedRules &rulesOfUse) {
      return rulesOfUse.pin != kNone;
    });
    if (isPinned)
      break;
    rules.forbid(applied, candidate);
    vetoIllegal(choice.node, candidate, result);
    choice.candidates.push_back(candidate);
  }
}

void CandidateBuilder::verifyResult(const ContractionChoice &choice) {
  const GraphNode &node = graph.nodes[choice.node];
  unsigned rule = rules.getStorageRule(node.results[0]);
  const Candidate &wanted = choice.candidates.front();
  if (rule == kNone || wanted.veto != Veto::Legality)
    return;
  Dispatch dispatch = wanted.getDispatch();
  for (Format other : {Format::F32, Format::BF16}) {
    dispatch.result = other;
    if (findIllegality(target, getShape(choice.node, dispatch), dispatch))
      continue;
    rules.report(
        {rule, kNone, choice.node, kNone,
         "a result must have a product, but " + wanted.vetoReason.str()});
    return;
  }
}

ContractionChoice CandidateBuilder::build(NodeId id, const Decision &result) {
  ContractionChoice choice;
  choice.node = id;
  ArrayRef<ValueId> operands = graph.nodes[id].operands;
  RuleApplication::OperandRules applied =
      rules.collect(id, {getOperandKind(graph, facts, id, operands[0]),
                         getOperandKind(graph, facts, id, operands[1])});
  Candidate byRecipe = makeByDirection(id);
  propose(id, byRecipe, choice);
  rules.pin(applied, byRecipe, choice);
  for (Candidate &candidate : choice.candidates) {
    rules.forbid(applied, candidate);
    settleAccumulator(candidate);
    vetoIllegal(id, candidate, result);
  }
  proposeFallbacks(applied, result, choice);
  rules.prefer(applied, choice);
  rules.verify(applied, choice);
  verifyResult(choice);
  return choice;
}
