//===- AssignPrecision.cpp - tags on a graph ------------------------------===//
#include "PrecisionMap.h"
#include "Summary.h"
#include "prec/Assign/Assignment.h"
#include "prec/Assign/Passes.h"
#include "prec/Assign/Projection.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::prec {
#define GEN_PASS_DEF_ASSIGNPRECISION
#include "prec/Assign/Passes.h.inc"
} // namespace mlir::prec

using namespace mlir;
using namespace mlir::prec;

namespace {

struct AssignPrecision
    : public prec::impl::AssignPrecisionBase<AssignPrecision> {
  using AssignPrecisionBase::AssignPrecisionBase;

  void runOnOperation() override;

private:
  FailureOr<Recipe> loadRecipe();
  const Target *loadTarget();
  LogicalResult decide(const Recipe &recipe, const Target &target,
                       std::vector<DecidedFunction> &decided);
};

} // namespace

FailureOr<Recipe> AssignPrecision::loadRecipe() {
  Location loc = getOperation().getLoc();
  if (!recipe.empty() && !recipeFile.empty())
    return emitError(
               loc,
               "'recipe' and 'recipe-file' must not both be given, but got '")
           << recipe << "' and '" << recipeFile << "'";
  std::string text, name;
  if (!recipeFile.empty()) {
    auto file = llvm::MemoryBuffer::getFile(recipeFile, /*IsText=*/true);
    if (!file)
      return emitError(loc, "cannot read recipe file '")
             << recipeFile << "': " << file.getError().message();
    text = (*file)->getBuffer().str();
    name = recipeFile;
  } else {
    name = recipe.empty() ? "fp8-hybrid" : recipe.getValue();
    text = findBuiltinRecipe(name).str();
    if (text.empty())
      return emitError(loc, "recipe must be one of ")
             << getBuiltinRecipeNames() << ", but got '" << name
             << "' (recipe-file= takes a recipe of your own)";
  }
  llvm::Expected<Recipe> parsed = parseRecipe(text, name);
  if (!parsed)
    return emitError(loc, "") << llvm::toString(parsed.takeError());
  return std::move(*parsed);
}

const Target *AssignPrecision::loadTarget() {
  StringRef name = target.empty() ? StringRef("sm_90a") : StringRef(target);
  const Target *found = findTarget(name);
  if (!found)
    emitError(getOperation().getLoc(), "target must be one of ")
        << getTargetNames() << ", but got '" << name << "'";
  return found;
}

/// All functions first, so that an error leaves the module as it was.
LogicalResult AssignPrecision::decide(const Recipe &recipe,
                                      const Target &target,
                                      std::vector<DecidedFunction> &decided) {
  WalkResult result = getOperation().walk([&](FunctionOpInterface function) {
    if (function.isExternal())
      return WalkResult::advance();
    FailureOr<Projection> projection = project(function);
    if (failed(projection))
      return WalkResult::interrupt();
    Classification facts = classify(projection->graph);
    Assignment assignment =
        assignPrecision(projection->graph, facts, recipe, target);
    for (const Fallback &fallback : assignment.fallbacks)
      // assign_c2
      if (!fallback.format) {
        projection->operations[fallback.node]->emitOpError(
            "must have a product on ")
            << target.name << ", but " << fallback.reason;
        return WalkResult::interrupt();
      }
    decided.push_back({function, std::move(*projection), std::move(facts),
                       std::move(assignment)});
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static TagAttr getTag(MLIRContext *context, const Decision &decision) {
  return TagAttr::get(context, decision.format, decision.scaling,
                      decision.accumulator, decision.rule);
}

/// All arguments at once: each change of one rebuilds the list of all.
static void writeArgumentTags(DecidedFunction &decided) {
  FunctionOpInterface function = decided.function;
  SmallVector<DictionaryAttr> attributes;
  function.getAllArgAttrs(attributes);
  attributes.resize(function.getNumArguments());
  for (auto [id, value] : llvm::enumerate(decided.projection.values)) {
    const Decision &decision = decided.assignment.values[id];
    auto argument = dyn_cast<BlockArgument>(value);
    if (!decision.isDecided() || !argument ||
        argument.getOwner() != &function.getFunctionBody().front())
      continue;
    DictionaryAttr &entry = attributes[argument.getArgNumber()];
    NamedAttrList list(entry);
    list.set(kTag, getTag(function.getContext(), decision));
    entry = list.getDictionary(function.getContext());
  }
  function.setAllArgAttrs(attributes);
}

static void writeTags(DecidedFunction &decided) {
  writeArgumentTags(decided);
  const Graph &graph = decided.projection.graph;
  const Assignment &assignment = decided.assignment;
  MLIRContext *context = decided.function.getContext();
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    Operation *op = decided.projection.operations[id];
    // Of an earlier assignment under another recipe.
    clearTags(op);
    for (auto [result, value] : llvm::enumerate(graph.nodes[id].results))
      if (const Decision &decision = assignment.values[value];
          decision.isDecided())
        setResultTag(op, result, getTag(context, decision));
    for (auto [operand, decision] : llvm::enumerate(assignment.uses[id]))
      if (decision.isDecided())
        setOperandTag(op, operand, getTag(context, decision));
  }
}

/// One warning a reason, with the shapes it holds for.
static void warnOfFallbacks(const DecidedFunction &decided) {
  llvm::MapVector<std::pair<StringRef, Format>, SmallVector<NodeId>> byReason;
  for (const Fallback &fallback : decided.assignment.fallbacks)
    byReason[{fallback.reason, *fallback.format}].push_back(fallback.node);
  constexpr size_t kShownShapes = 3;
  for (auto &[key, nodes] : byReason) {
    auto [reason, format] = key;
    llvm::SmallSetVector<StringRef, 4> shapes;
    std::vector<std::string> texts;
    for (NodeId node : nodes) {
      ContractionShape s = decided.projection.graph.nodes[node].shape;
      std::string batch = s.batch > 1 ? std::to_string(s.batch) + "x" : "";
      auto print = [](int64_t size) {
        return size > 0 ? std::to_string(size) : "?";
      };
      texts.push_back(batch + print(s.m) + "x" + print(s.n) + "x" + print(s.k));
    }
    for (const std::string &text : texts)
      shapes.insert(text);
    FunctionOpInterface function = decided.function;
    InFlightDiagnostic diagnostic = mlir::emitWarning(function.getLoc());
    diagnostic << nodes.size()
               << (nodes.size() == 1 ? " contraction" : " contractions")
               << " of shape (MxNxK) ";
    llvm::interleaveComma(shapes.getArrayRef().take_front(kShownShapes),
                          diagnostic);
    if (shapes.size() > kShownShapes)
      diagnostic << " and " << shapes.size() - kShownShapes << " more";
    diagnostic << (nodes.size() == 1 ? " reads " : " read ")
               << stringifyFormat(format) << ": " << reason;
    std::string path =
        getPath(decided.projection.operations[nodes.front()]->getLoc());
    if (!path.empty())
      diagnostic << " (first at " << path << ")";
  }
}

void AssignPrecision::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<Recipe> loaded = loadRecipe();
  const Target *legality = loadTarget();
  std::vector<DecidedFunction> decided;
  if (failed(loaded) || !legality ||
      failed(decide(*loaded, *legality, decided)))
    return signalPassFailure();
  StringRef recipeNote =
      recipe.empty() && recipeFile.empty() ? " (the default)" : "";
  StringRef targetNote = target.empty() ? " (the default)" : "";
  if (!summary && !(recipeNote.empty() && targetNote.empty()))
    mlir::emitRemark(module.getLoc())
        << "recipe " << loaded->name << recipeNote << ", legality of "
        << legality->name << targetNote;

  if (!mapFile.empty())
    if (llvm::Error error =
            writePrecisionMap(mapFile, decided, *loaded, *legality)) {
      emitError(module.getLoc(), "cannot write precision map '")
          << mapFile << "': " << llvm::toString(std::move(error));
      return signalPassFailure();
    }
  for (DecidedFunction &function : decided) {
    writeTags(function);
    warnOfFallbacks(function);
    if (summary)
      printSummary(llvm::errs(), function, recipeNote, targetNote, *loaded,
                   *legality);
  }
  module->setAttr(kRecipe, StringAttr::get(&getContext(), loaded->name));
  module->setAttr(kTarget, StringAttr::get(&getContext(), legality->name));
}
