//===- Changes.cpp - what would change a decision -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says what would change a decision: one line for each option, rule or size
// that would make another candidate win. It follows from the reason that was
// recorded with the decision. A candidate that keep-high beat names the recipe
// entry; one that is illegal names the next sizes that are legal and the
// targets that have the matmul; one that a rule forbade names the rule; one
// that cost more names the difference in time. Nothing is decided again, so the
// lines are hints, not proofs.
//
//===----------------------------------------------------------------------===//
#include "Assign/Report/Changes.h"
#include "prec/Target/Legality.h"
#include "prec/Target/TargetRegistry.h"

#include "Assign/CandidateBuilder.h"
#include "Assign/Bounds/CheckBounds.h"

using namespace mlir;
using namespace prec;

namespace {

class ChangeFinder {
public:
  ChangeFinder(const DecidedFunction &decided, const Recipe &recipe,
               const Target &target)
      : graph(decided.projection.graph), facts(decided.facts),
        assignment(decided.assignment), recipe(recipe), target(target) {}

  void addTo(const ContractionChoice &choice, MapChoice &described) const;
  void addTo(MapValue &value, NodeId node) const;
  void addTo(MapRead &read, NodeId node) const;

private:
  using Changes = std::vector<std::string>;

  void explainRule(const Reason &reason, MapDecision &decision) const;
  void explainRecipeRead(const MapRead &read, NodeId node,
                         Changes &changes) const;
  void explainKeptHigh(NodeId node, Changes &changes) const;
  void explainPlace(NodeId node, Changes &changes) const;
  void explainIllegality(NodeId node, const Candidate &candidate,
                         Changes &changes) const;
  bool isUnchosen(const ContractionChoice &choice,
                  const Candidate &candidate) const;
  void explainBeaten(const ContractionChoice &choice,
                     const Candidate &candidate, Changes &changes) const;

  const Graph &graph;
  const Classification &facts;
  const Assignment &assignment;
  const Recipe &recipe;
  const Target &target;
};

} // namespace

static constexpr StringRef kOwnPin =
    "a rule of your own (rules=) that pins another";
static constexpr StringRef kWithoutRule =
    "your rules without the one that says so";

static int64_t roundUp(int64_t size, int64_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

void ChangeFinder::explainKeptHigh(NodeId node, Changes &changes) const {
  TensorClass tensorClass = *facts.classes[node];
  if (tensorClass == TensorClass::Head)
    changes.push_back("the option head=in");
  changes.push_back("a recipe-file= without the keep_high rule that says what "
                    "class " +
                    stringifyTensorClass(tensorClass).str() + " reads");
}

void ChangeFinder::explainPlace(NodeId node, Changes &changes) const {
  int64_t layer = facts.layers[node];
  if (facts.layers[node] == kNone || facts.numLayers == 0)
    return;
  if (layer < recipe.skipFirstLayers)
    changes.push_back("the option skip-first-layers=" + std::to_string(layer));
  if (layer >= int64_t(facts.numLayers) - recipe.skipLastLayers)
    changes.push_back("the option skip-last-layers=" +
                      std::to_string(int64_t(facts.numLayers) - 1 - layer));
}

/// Sizes that would do, and targets that have the product as it is.
void ChangeFinder::explainIllegality(NodeId node, const Candidate &candidate,
                                     Changes &changes) const {
  ContractionShape shape = graph.nodes[node].shape;
  Dispatch dispatch = candidate.getDispatch();
  if (const Product *product = target.find(dispatch)) {
    std::pair<StringRef, int64_t> sizes[] = {
        {"M", shape.m}, {"N", shape.n}, {"K", shape.k}};
    for (auto [name, size] : sizes) {
      int64_t multiple =
          name == "K" ? product->multipleOfK : product->multipleOfMN;
      if (size > 0 && size % multiple != 0)
        changes.push_back(name.str() + " = " +
                          std::to_string(roundUp(size, multiple)) +
                          ", the next multiple of " + std::to_string(multiple) +
                          ", instead of " + std::to_string(size));
    }
  }
  std::string others;
  for (const Target *other : target.getRegistry().list())
    if (other != &target && !findIllegality(*other, shape, dispatch) &&
        (!graph.nodes[node].isGrouped || other->hasGroupedProducts()))
      others += (others.empty() ? "" : ", ") + other->getName().str();
  if (!others.empty())
    changes.push_back("another target= that has this product: " + others);
}

void ChangeFinder::explainBeaten(const ContractionChoice &choice,
                                 const Candidate &candidate,
                                 Changes &changes) const {
  if (!choice.change.empty())
    changes.push_back(choice.change.str());
  if (candidate.price && candidate.price->extra > 0)
    changes.push_back("times by which it, with all that its operands need, "
                      "takes " +
                      printShort(candidate.price->extra) + " us less");
  changes.push_back("a rule of your own (rules=) that pins or prefers it");
}

/// Whether it differs from what the recipe wants by the FP8 format of a
/// gradient, which numerics chose.
bool ChangeFinder::isUnchosen(const ContractionChoice &choice,
                              const Candidate &candidate) const {
  const Candidate &wanted = choice.candidates.front();
  auto isFp8Product = [](const Candidate &of) {
    return llvm::all_of(of.uses,
                        [](const Decision &use) { return isFp8(use.format); });
  };
  return recipe.given.gradientFormat == GradientFormat::Measured &&
         isFp8Product(wanted) && isFp8Product(candidate) &&
         wanted.getName() != candidate.getName();
}

void ChangeFinder::addTo(const ContractionChoice &choice,
                         MapChoice &described) const {
  for (auto [index, candidate] : llvm::enumerate(choice.candidates)) {
    // Nothing lifts this bar.
    bool isHopeless =
        graph.nodes[choice.node].getNarrowBar() && candidate.isScaled();
    if (index == choice.winner || isHopeless)
      continue;
    MapCandidate &loser = described.candidates[index];
    switch (candidate.veto) {
    case Veto::None:
      if (choice.getWinner())
        explainBeaten(choice, candidate, loser.changes);
      break;
    case Veto::KeepHigh:
      explainKeptHigh(choice.node, loser.changes);
      loser.changes.push_back("a rule of your own (rules=) that pins it");
      break;
    case Veto::Place:
      explainPlace(choice.node, loser.changes);
      loser.changes.push_back("a rule of your own (rules=) that pins it");
      break;
    case Veto::Legality:
      explainIllegality(choice.node, candidate, loser.changes);
      break;
    case Veto::Rule:
      loser.changes.push_back(kWithoutRule.str());
      break;
    case Veto::Bound:
      loser.changes.push_back(isUnchosen(choice, candidate)
                                  ? "another gradient-format="
                                  : "numbers within the bound");
      break;
    }
  }
}

/// Where the recipe says what decided.
void ChangeFinder::explainRule(const Reason &reason,
                               MapDecision &decision) const {
  auto explain = [&](const ReasonedFormat &rule, bool isFixed,
                     const Twine &place) {
    decision.reference = rule.reference;
    if (rule.dtype)
      decision.changes.push_back("another " + getOptionName(*rule.dtype) + "=");
    if (!isFixed)
      decision.changes.push_back(("a recipe-file= " + place).str());
  };
  if (reason.kind == Reason::Kind::KeepHigh) {
    TensorClass tensorClass = reason.tensorClass;
    explain(*recipe.getKeepHigh(tensorClass, reason.aspect),
            isAlwaysF32(tensorClass, reason.aspect),
            "whose keep_high has another '" + stringifyAspect(reason.aspect) +
                "' for class " + stringifyTensorClass(tensorClass));
  } else if (reason.kind == Reason::Kind::Storage) {
    explain(recipe.getStorage(reason.storage), isAlwaysF32(reason.storage),
            "with another storage." + stringifyStorageKind(reason.storage));
  }
}

void ChangeFinder::addTo(MapValue &value, NodeId node) const {
  MapDecision &decision = value.decision;
  const Reason &reason = assignment.values[value.value].reason;
  bool isByRule =
      reason.kind == Reason::Kind::UserRule && !value.beaten.empty();
  if (isByRule)
    decision.changes.push_back(kWithoutRule.str());
  else if (node == kNone && facts.isAdapter[value.value])
    decision.changes.push_back("another " + getOptionName(Dtype::Lora) + "=");
  else
    explainRule(reason, decision);
  bool canBePinned = llvm::any_of(value.beaten, [](const MapBeaten &beaten) {
    return beaten.veto != stringifyVeto(Veto::Legality);
  });
  if (canBePinned && !isByRule)
    decision.changes.push_back(kOwnPin.str());
}

/// What the recipe reads in a direction follows a dtype, or an option says
/// otherwise.
void ChangeFinder::explainRecipeRead(const MapRead &read, NodeId node,
                                     Changes &changes) const {
  Direction direction = facts.directions[node];
  OperandKind kind = getOperandKind(graph, facts, node,
                                    graph.nodes[node].operands[read.operand]);
  std::string place =
      (stringifyDirection(direction) + "." + stringifyOperandKind(kind)).str();
  const DirectionRecipe &own =
      recipe.directions[static_cast<unsigned>(direction)];
  if (std::optional<Dtype> dtype = own.dtypes[static_cast<unsigned>(kind)])
    changes.push_back("another " + getOptionName(*dtype) + "=");
  if (recipe.given.gradientFormat && kind == OperandKind::Gradient)
    changes.push_back("another gradient-format=");
  else
    changes.push_back("the option reads=" + place + ":FORMAT");
}

void ChangeFinder::addTo(MapRead &read, NodeId node) const {
  const Reason &reason = assignment.uses[node][read.operand].reason;
  explainRule(reason, read.decision);
  if (reason.kind == Reason::Kind::Read)
    explainRecipeRead(read, node, read.decision.changes);
  if (!graph.isFloatContraction(node))
    read.decision.changes.push_back(kOwnPin.str());
}

void prec::addChanges(const DecidedFunction &decided, const Recipe &recipe,
                      const Target &target, MapFunction &function) {
  ChangeFinder finder(decided, recipe, target);
  for (MapValue &argument : function.arguments)
    finder.addTo(argument, kNone);
  size_t next = 0;
  const std::vector<ContractionChoice> &choices = decided.assignment.choices;
  for (MapOperation &operation : function.operations) {
    NodeId node = static_cast<NodeId>(operation.node);
    for (MapValue &result : operation.results)
      finder.addTo(result, node);
    for (MapRead &read : operation.reads)
      finder.addTo(read, node);
    if (!operation.choice)
      continue;
    while (choices[next].node != node)
      ++next;
    finder.addTo(choices[next], *operation.choice);
  }
}
