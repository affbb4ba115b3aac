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

static void writeTags(DecidedFunction &decided) {
  const Graph &graph = decided.projection.graph;
  const Assignment &assignment = decided.assignment;
  MLIRContext *context = decided.function.getContext();
  for (auto [id, value] : llvm::enumerate(decided.projection.values)) {
    const Decision &decision = assignment.values[id];
    if (!decision.isDecided())
      continue;
    TagAttr tag = getTag(context, decision);
    if (auto result = dyn_cast<OpResult>(value))
      setResultTag(result.getOwner(), result.getResultNumber(), tag);
    else if (auto argument = cast<BlockArgument>(value);
             argument.getOwner() == &decided.function.getFunctionBody().front())
      decided.function.setArgAttr(argument.getArgNumber(), kTag, tag);
  }
  for (NodeId id = 0; id < graph.nodes.size(); ++id)
    for (auto [operand, decision] : llvm::enumerate(assignment.uses[id]))
      if (decision.isDecided())
        setOperandTag(decided.projection.operations[id], operand,
                      getTag(context, decision));
}

/// One warning a reason, with the shapes it holds for.
static void warnOfFallbacks(const DecidedFunction &decided,
                            const Recipe &recipe) {
  llvm::MapVector<StringRef, SmallVector<NodeId>> byReason;
  for (const Fallback &fallback : decided.assignment.fallbacks)
    byReason[fallback.reason].push_back(fallback.node);
  constexpr size_t kShownShapes = 3;
  for (auto &[reason, nodes] : byReason) {
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
               << stringifyFormat(recipe.fallback) << ": " << reason;
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
    warnOfFallbacks(function, *loaded);
    if (summary)
      printSummary(llvm::errs(), function, recipeNote, targetNote, *loaded,
                   *legality);
  }
  module->setAttr(kRecipe, StringAttr::get(&getContext(), loaded->name));
  module->setAttr(kTarget, StringAttr::get(&getContext(), legality->name));
}
