//===- Changes.cpp - what would change a decision -------------------------===//
#include "Changes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::prec;

namespace {

class ChangeFinder {
public:
  ChangeFinder(const DecidedFunction &decided, const Recipe &recipe,
               const Target &target)
      : graph(decided.projection.graph), facts(decided.facts), recipe(recipe),
        target(target) {}

  void addTo(const ContractionChoice &choice, MapChoice &described) const;
  /// `node` is kNone for arguments. Aspects of one class may have one text: the
  /// first of `aspects` with the decision's counts.
  void addTo(NodeId node, ArrayRef<Aspect> aspects,
             MapDecision &decision) const;

private:
  using Changes = std::vector<std::string>;

  void explainKeptHigh(NodeId node, Changes &changes) const;
  void explainPlace(NodeId node, Changes &changes) const;
  void explainIllegality(NodeId node, const Candidate &candidate,
                         Changes &changes) const;
  void explainBeaten(const ContractionChoice &choice,
                     const Candidate &candidate, Changes &changes) const;

  const Graph &graph;
  const Classification &facts;
  const Recipe &recipe;
  const Target &target;
};

} // namespace

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
  for (const Target *other : getTargets())
    if (other != &target && !findIllegality(*other, shape, dispatch))
      others += (others.empty() ? "" : ", ") + other->name.str();
  if (!others.empty())
    changes.push_back("another target= that has this product: " + others);
}

void ChangeFinder::explainBeaten(const ContractionChoice &choice,
                                 const Candidate &candidate,
                                 Changes &changes) const {
  if (!choice.change.empty())
    changes.push_back(choice.change.str());
  if (candidate.price && candidate.price->extra > 0)
    changes.push_back(
        llvm::formatv("times by which it, with all that its operands need, "
                      "takes {0:F2} us less",
                      candidate.price->extra));
  changes.push_back("a rule of your own (rules=) that pins or prefers it");
}

void ChangeFinder::addTo(const ContractionChoice &choice,
                         MapChoice &described) const {
  for (auto [index, candidate] : llvm::enumerate(choice.candidates)) {
    if (index == choice.winner)
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
      loser.changes.push_back("your rules without the one that says so");
      break;
    case Veto::Bound:
      loser.changes.push_back("numbers within the bound");
      break;
    }
  }
}

/// Decisions carry the texts of their rules; the recipe knows where each comes
/// from.
void ChangeFinder::addTo(NodeId node, ArrayRef<Aspect> aspects,
                         MapDecision &decision) const {
  if (node != kNone && facts.classes[node]) {
    TensorClass tensorClass = *facts.classes[node];
    for (Aspect aspect : aspects) {
      const ReasonedFormat *rule = recipe.getKeepHigh(tensorClass, aspect);
      if (!rule || decision.rule != getRuleText(tensorClass, *rule))
        continue;
      decision.reference = rule->reference;
      decision.changes.push_back(
          "a recipe-file= whose keep_high has another '" +
          stringifyAspect(aspect).str() + "' for class " +
          stringifyTensorClass(tensorClass).str());
      return;
    }
  }
  for (unsigned i = 0; i < kNumStorageKinds; ++i) {
    const ReasonedFormat &storage = recipe.storage[i];
    if (storage.reason.empty() ||
        !StringRef(decision.rule).ends_with(": " + getReasonText(storage)))
      continue;
    decision.reference = storage.reference;
    decision.changes.push_back(
        "a recipe-file= with another storage." +
        stringifyStorageKind(static_cast<StorageKind>(i)).str());
    return;
  }
}

void prec::addChanges(const DecidedFunction &decided, const Recipe &recipe,
                      const Target &target, MapFunction &function) {
  static constexpr Aspect kStored[] = {Aspect::Stores, Aspect::Inside};
  static constexpr Aspect kRead[] = {Aspect::Reads, Aspect::Parameter,
                                     Aspect::Stores};
  ChangeFinder finder(decided, recipe, target);
  for (MapValue &argument : function.arguments)
    finder.addTo(kNone, {}, argument.decision);
  size_t next = 0;
  const std::vector<ContractionChoice> &choices = decided.assignment.choices;
  for (MapOperation &operation : function.operations) {
    NodeId node = static_cast<NodeId>(operation.node);
    for (MapValue &result : operation.results)
      finder.addTo(node, kStored, result.decision);
    for (MapRead &read : operation.reads)
      finder.addTo(node, kRead, read.decision);
    if (!operation.choice)
      continue;
    while (choices[next].node != node)
      ++next;
    finder.addTo(choices[next], *operation.choice);
  }
}
