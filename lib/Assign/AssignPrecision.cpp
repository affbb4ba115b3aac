//===- AssignPrecision.cpp - tags on a graph ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --assign-precision: options in, tags out. It reads the recipe,
// rules, policy, costs and bounds that its options name; then it decides each
// function (project, classify, assignPrecision: see docs/Architecture.md), and
// only when all functions are decided without an error does it write tags,
// reports and warnings. So an error leaves the module as it was. Nothing is
// decided in this file: it reads files, checks options against each other, and
// calls the parts in order.
//
//===----------------------------------------------------------------------===//
#include "Assign/Report/CollectMap.h"
#include "prec/Assign/Classify.h"
#include "prec/Target/Legality.h"
#include "prec/Target/TargetRegistry.h"
#include "Assign/Cost/CostRemark.h"
#include "Assign/Report/DecisionRecord.h"
#include "prec/Target/EmitErrors.h"
#include "Assign/Bounds/LoadBounds.h"
#include "Assign/Cost/LoadCosts.h"
#include "Assign/Policy/LoadPolicy.h"
#include "Assign/Report/Remarks.h"
#include "Assign/Report/ReportMemory.h"
#include "Assign/Report/Reports.h"
#include "Assign/Rules/RuleReports.h"
#include "Assign/Report/Summary.h"
#include "Assign/Report/Warnings.h"
#include "Assign/TokenScales.h"
#include "Assign/WriteTags.h"
#include "prec/Assign/ParseRecipe.h"
#include "prec/Assign/Assigner.h"
#include "Assign/Recipe/IdleOptions.h"
#include "prec/Assign/Passes.h"
#include "prec/Assign/Projection.h"
#include "prec/ExternalModels/ExternalModels.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Support/Files.h"
#include "prec/Support/Nearest.h"
#include "prec/Support/PassCounts.h"
#include "prec/Support/PassRemark.h"

#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringExtras.h"

namespace prec {
#define GEN_PASS_DEF_ASSIGNPRECISION
#include "prec/Assign/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct AssignPrecision
    : public prec::impl::AssignPrecisionBase<AssignPrecision> {
  using AssignPrecisionBase::AssignPrecisionBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    AssignPrecisionBase::getDependentDialects(registry);
    registerExternalModels(registry);
  }
  void runOnOperation() override;
  /// Names the option that a mistyped one is near to.
  LogicalResult
  initializeOptions(StringRef text,
                    function_ref<LogicalResult(const Twine &)> report) override;
  void requestExplanation(StringRef query) { explain = query.str(); }
  LogicalResult
  verifyGivenOnce(const AssignPrecisionOptions &options,
                  function_ref<LogicalResult(const Twine &)> report) const;

private:
  bool isGiven(const Option<std::string> &option) const {
    return !option.getValue().empty() ||
           (option.getNumOccurrences() != 0 && !isPrinted());
  }
  bool isPrinted() const;
  std::array<const Option<std::string> *, 20> getRecipeOptions() const;
  std::vector<StringRef> listOptions() const;
  /// Nothing is given twice, or empty.
  LogicalResult verifyGiven();
  FailureOr<RecipeOptions> readOptions();
  FailureOr<Recipe> loadRecipe();
  /// Null, without an error, if there are none.
  FailureOr<std::unique_ptr<RuleSet>> loadRules();
  const Target *loadTarget();
  LogicalResult verifyRecipe(const Recipe &recipe, const Target &target);
  /// None without a policy.
  FailureOr<std::optional<PolicySources>>
  loadPolicySources(const Target &target);
  /// None unless `choose` is cost.
  FailureOr<std::optional<CostSources>>
  loadCostSources(const Target &target, const PolicySources *policy);
  LogicalResult decide(const Recipe &recipe, const Target &target,
                       const PolicySources *policy, const CostSources *costs,
                       AssignmentInputs inputs,
                       std::vector<DecidedFunction> &decided);
  FailureOr<BoundSources> loadBoundSources();
  void countFormats(ArrayRef<AssignedGraph> graphs);
  LogicalResult reportBounds(const BoundSources &sources,
                             ArrayRef<DecidedFunction> decided);
  LogicalResult reportMemory(ArrayRef<DecidedFunction> decided);
  void report(const Recipe &recipe, const Target &target,
              ArrayRef<AssignedGraph> graphs, const GivenInputs &given);
  bool isDtypeOnly(const RecipeOptions &options) const {
    return recipe.empty() && recipeFile.empty() && options.dtypes.any();
  }

  /// How the recipe came about, for messages: " (the default)".
  StringRef recipeNote;
};

} // namespace

std::vector<StringRef> AssignPrecision::listOptions() const {
  std::vector<StringRef> names;
  for (const Option<std::string> *option : getRecipeOptions())
    names.push_back(option->ArgStr);
  const llvm::cl::Option *others[] = {&recipe,
                                      &recipeFile,
                                      &target,
                                      &rules,
                                      &allowFallback,
                                      &padHead,
                                      &policy,
                                      &policyModules,
                                      &policyGpu,
                                      &choose,
                                      &targetCosts,
                                      &leastGradientSnr,
                                      &numerics,
                                      &bounds,
                                      &summary,
                                      &record,
                                      &mapFile,
                                      &memoryTable,
                                      &memoryFile,
                                      &ranks,
                                      &explain,
                                      &explainFile,
                                      std::addressof(reads),
                                      std::addressof(amaxEpsilon),
                                      std::addressof(assume),
                                      std::addressof(limits)};
  for (const llvm::cl::Option *option : others)
    names.push_back(option->ArgStr);
  return names;
}

LogicalResult AssignPrecision::initializeOptions(
    StringRef text, function_ref<LogicalResult(const Twine &)> report) {
  auto reportParser = [&](const Twine &message) {
    std::string own = message.str();
    StringRef rest = StringRef(own).trim();
    rest.consume_front("<Pass-Options-Parser>: ");
    // The parsers of single options print what is wrong themselves, and leave
    // nothing to report.
    if (rest.empty())
      return failure();
    StringRef name = rest;
    bool isUnknown = name.consume_front("no such option ");
    return report(rest +
                  (isUnknown ? describeNearest(name, listOptions()) : ""));
  };
  return Pass::initializeOptions(text, reportParser);
}

/// What text names overwrites what the struct said of it.
LogicalResult AssignPrecision::verifyGivenOnce(
    const AssignPrecisionOptions &options,
    function_ref<LogicalResult(const Twine &)> report) const {
  for (auto [first, second] :
       {std::pair<StringRef, const Option<std::string> *>{options.recipe,
                                                          &recipe},
        {options.recipeFile, &recipeFile},
        {options.rules, &rules}})
    if (!first.empty() && second->getNumOccurrences())
      return report("'" + second->ArgStr + "' must be given once, but got '" +
                    first + "' and '" + second->getValue() + "'");
  return success();
}

std::array<const Pass::Option<std::string> *, 20>
AssignPrecision::getRecipeOptions() const {
  return {&modelDtype,         &matmulDtype,       &gradientDtype,
          &masterDtype,        &loraDtype,         &tensorScaling,
          &skipFirstLayers,    &skipLastLayers,    &head,
          &amaxHistory,        &amaxAlgorithm,     &amaxMargin,
          &powerOfTwoScales,   &lossScaling,       &masterRounding,
          &roundingIterations, &roundingTolerance, &moments,
          &expertScales,       &gradientFormat};
}

/// A pipeline that was printed, for a reproducer say, names every option of its
/// passes, and those that nobody gave with nothing. Whoever gives an option by
/// hand and forgets its value is told.
bool AssignPrecision::isPrinted() const {
  auto names = getRecipeOptions();
  return llvm::all_of(names, [](const Option<std::string> *option) {
    return option->getNumOccurrences() == 1;
  });
}

LogicalResult AssignPrecision::verifyGiven() {
  Location loc = getOperation().getLoc();
  // Of these an empty one is told what it may be.
  auto texts = llvm::to_vector(getRecipeOptions());
  texts.append({&recipe, &target, &choose, &bounds});
  const Option<std::string> *others[] = {
      &recipeFile, &rules,      &policy,      &policyModules,
      &policyGpu,  &numerics,   &targetCosts, &leastGradientSnr,
      &mapFile,    &memoryFile, &explain,     &explainFile};
  // Lists have an & of their own.
  const ListOption<std::string> *lists[] = {
      std::addressof(reads), std::addressof(amaxEpsilon),
      std::addressof(assume), std::addressof(limits)};
  auto failEmpty = [&](StringRef name) {
    return emitError(loc, "'")
           << name << "' must have a value, but got an empty one";
  };
  for (const Option<std::string> *option : others)
    if (isGiven(*option) && option->getValue().empty())
      return failEmpty(option->ArgStr);
  for (const ListOption<std::string> *option : lists)
    if (option->getNumOccurrences() != 0 && option->empty())
      return failEmpty(option->ArgStr);
  llvm::append_range(texts, others);
  for (const Option<std::string> *option : texts)
    if (option->getNumOccurrences() > 1)
      return emitError(loc, "'")
             << option->ArgStr << "' must be given once, but got it "
             << option->getNumOccurrences() << " times";
  return success();
}

FailureOr<RecipeOptions> AssignPrecision::readOptions() {
  RecipeOptions options;
  SmallVector<std::pair<StringRef, StringRef>> given;
  for (const Option<std::string> *option : getRecipeOptions())
    if (isGiven(*option))
      given.push_back({option->ArgStr, option->getValue()});
  for (const std::string &value : reads)
    given.push_back({"reads", value});
  std::vector<std::string> epsilons(amaxEpsilon.begin(), amaxEpsilon.end());
  if (std::optional<StringRef> name = findRepeatedName(epsilons))
    return emitError(getOperation().getLoc(),
                     "amax-epsilon must give a number once, but got one for ")
           << (name->empty() ? StringRef("all operands") : *name) << " twice";
  for (const std::string &value : amaxEpsilon)
    given.push_back({"amax-epsilon", value});
  for (auto [name, value] : given)
    if (llvm::Error error = readRecipeOption(name, value, options))
      return emitErrors(getOperation().getLoc(), std::move(error));
  options.isDtypeOnly = isDtypeOnly(options);
  return options;
}

FailureOr<Recipe> AssignPrecision::loadRecipe() {
  Location loc = getOperation().getLoc();
  if (!recipe.empty() && !recipeFile.empty())
    return emitError(
               loc,
               "'recipe' and 'recipe-file' must not both be given, but got '")
           << recipe << "' and '" << recipeFile << "'";
  FailureOr<RecipeOptions> options = readOptions();
  if (failed(options))
    return failure();
  std::string text, name;
  if (!recipeFile.empty()) {
    llvm::Expected<std::string> file = readFile(recipeFile);
    if (!file)
      return emitErrors(loc, file.takeError(), "recipe file: ");
    text = std::move(*file);
    name = recipeFile;
  } else {
    name = recipe;
    if (!isGiven(recipe)) {
      name = options->isDtypeOnly ? "bf16" : "fp8-hybrid";
      recipeNote =
          options->isDtypeOnly ? " (which dtypes belong to)" : " (the default)";
    }
    text = findBuiltinRecipe(name).str();
    if (text.empty())
      return emitError(loc, "recipe must be one of ")
             << getBuiltinRecipeNames() << ", but got '" << name
             << "' (recipe-file= takes a recipe of your own)"
             << describeNearest(name, listBuiltinRecipes());
  }
  llvm::Expected<Recipe> parsed = parseRecipe(text, name, *options);
  if (!parsed)
    return emitErrors(loc, parsed.takeError());
  return std::move(*parsed);
}

FailureOr<std::unique_ptr<RuleSet>> AssignPrecision::loadRules() {
  if (rules.empty())
    return std::unique_ptr<RuleSet>();
  Location loc = getOperation().getLoc();
  llvm::Expected<std::string> file = readFile(rules);
  if (!file)
    return emitErrors(loc, file.takeError(), "rules: ");
  llvm::Expected<RuleSet> parsed = parseRules(*file, rules);
  if (!parsed)
    return emitErrors(loc, parsed.takeError());
  return std::make_unique<RuleSet>(std::move(*parsed));
}

const Target *AssignPrecision::loadTarget() {
  StringRef name = isGiven(target) ? StringRef(target) : StringRef("sm_90a");
  return findTarget(getOperation().getLoc(), "target", name);
}

/// A recipe whose products the target lacks altogether is a mistake, not a
/// matter of shapes.
LogicalResult AssignPrecision::verifyRecipe(const Recipe &recipe,
                                            const Target &target) {
  using Kind = OperandKind;
  static constexpr std::tuple<Direction, Kind, Kind> kProducts[] = {
      {Direction::Fprop, Kind::Activation, Kind::Weight},
      {Direction::Dgrad, Kind::Gradient, Kind::Weight},
      {Direction::Wgrad, Kind::Gradient, Kind::Activation}};
  SmallVector<StringRef> promoted;
  for (auto [direction, first, second] : kProducts) {
    UseFormat lhs = recipe.getUse(direction, first),
              rhs = recipe.getUse(direction, second);
    Dispatch dispatch = {
        lhs.format,
        rhs.format,
        Format::BF16,
        recipe.directions[static_cast<unsigned>(direction)].accumulator,
        {lhs.scaling, rhs.scaling}};
    if (target.settleAccumulator(dispatch) != dispatch.accumulator)
      promoted.push_back(stringifyDirection(direction));
    std::optional<std::string> missing = findMissing(target, dispatch);
    if (!missing || allowFallback)
      continue;
    // assign_c3
    return emitError(getOperation().getLoc())
           << "recipe " << recipe.name << " reads "
           << stringifyFormat(lhs.format) << " x "
           << stringifyFormat(rhs.format) << " in "
           << stringifyDirection(direction) << ", but " << *missing
           << "; allow-fallback=true reads " << stringifyFormat(recipe.fallback)
           << " instead";
  }
  if (!promoted.empty())
    emitWarning(getOperation().getLoc())
        << "recipe " << recipe.name << " asks for a full accumulator in "
        << llvm::join(promoted, ", ") << ", but " << target.getName()
        << " keeps no full FP32 sum of FP8 products; takes promoted, the "
           "nearest that it has";
  return success();
}

FailureOr<std::optional<PolicySources>>
AssignPrecision::loadPolicySources(const Target &target) {
  Location loc = getOperation().getLoc();
  if (policy.empty()) {
    if (policyModules.empty() && policyGpu.empty())
      return std::optional<PolicySources>();
    return emitError(loc, "'policy-modules' and 'policy-gpu' need a 'policy'");
  }
  llvm::Expected<PolicySources> sources =
      loadPolicy(policy, policyModules, policyGpu, target);
  if (!sources)
    return emitErrors(loc, sources.takeError());
  return std::optional<PolicySources>(std::move(*sources));
}

FailureOr<std::optional<CostSources>>
AssignPrecision::loadCostSources(const Target &target,
                                 const PolicySources *policy) {
  Location loc = getOperation().getLoc();
  if (choose != "recipe" && choose != "cost")
    return emitError(loc, "choose must be 'recipe' or 'cost', but got '")
           << choose << "'";
  if (choose == "recipe") {
    for (const Option<std::string> *option : {&targetCosts, &leastGradientSnr})
      if (!option->getValue().empty())
        return emitError(loc, "'") << option->ArgStr << "' needs 'choose=cost'";
    return std::optional<CostSources>();
  }
  llvm::Expected<CostSources> sources = loadCosts(targetCosts, target, policy);
  if (!sources)
    return emitErrors(loc, sources.takeError());
  return std::optional<CostSources>(std::move(*sources));
}

/// What is f64 stays so, whatever is around it.
static void remarkIslands(const Projection &projection) {
  SmallVector<Value> islands;
  llvm::copy_if(projection.values, std::back_inserter(islands),
                [](Value value) {
                  auto type = dyn_cast<TensorType>(value.getType());
                  return type && type.getElementType().isF64();
                });
  if (!islands.empty())
    emitPassRemark(
        islands.front().getLoc(), {"assign-precision", "Islands"},
        "tensors of f64 stay as they are, and so does what computes them: " +
            Twine(islands.size()) + ", of which this is the first");
}

/// All functions first, so that an error leaves the module as it was.
LogicalResult AssignPrecision::decide(const Recipe &recipe,
                                      const Target &target,
                                      const PolicySources *policy,
                                      const CostSources *costs,
                                      AssignmentInputs inputs,
                                      std::vector<DecidedFunction> &decided) {
  WalkResult result = getOperation().walk([&](FunctionOpInterface function) {
    if (function.isExternal() || isInCrowded(function))
      return WalkResult::advance();
    FailureOr<Projection> projection = project(function);
    if (failed(projection))
      return WalkResult::interrupt();
    remarkIslands(*projection);
    Classification facts = classify(projection->graph);
    std::optional<PolicyChoices> choices;
    std::optional<CostModel> model;
    // With a cost model a policy gives times and chooses nothing itself.
    if (costs)
      inputs.costs = &model.emplace(costs->target, costs->measured);
    else if (policy)
      inputs.policy = &choices.emplace(projection->graph, facts, *policy);
    Assignment assignment =
        assignPrecision(projection->graph, facts, recipe, target, inputs);
    if (inputs.rules && failed(verifyRules(*inputs.rules, *projection,
                                           assignment, &getContext())))
      return WalkResult::interrupt();
    if (failed(verifyGradientSnr(function, assignment, inputs.leastSnr)))
      return WalkResult::interrupt();
    for (const Fallback &fallback : assignment.fallbacks)
      if (!fallback.format) {
        projection->operations[fallback.node]->emitOpError(
            "must have a product on ")
            << target.getName() << ", but " << fallback.reason;
        return WalkResult::interrupt();
      }
    std::vector<NamedModule> modules;
    if (choices) {
      warnOfUnused(function.getLoc(), *choices);
      modules = choices->getModules().vec();
    }
    decided.push_back({function, std::move(*projection), std::move(facts),
                       std::move(assignment), std::move(modules)});
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// A product of operands that are read in formats of several sizes, such as a
/// weight in FP4 and an activation in FP8, is another one.
void AssignPrecision::countFormats(ArrayRef<AssignedGraph> graphs) {
  uint64_t fp4 = 0, fp8 = 0, narrow = 0, other = 0;
  std::array<uint64_t, 3> tensors = {0, 0, 0};
  for (const AssignedGraph &graph : graphs) {
    for (const ContractionChoice &choice : graph.assignment.choices) {
      ArrayRef<Decision> uses = graph.assignment.uses[choice.node];
      unsigned first = getBits(uses[0].format),
               second = getBits(uses[1].format);
      uint64_t &count = first != second ? other
                        : first == 4    ? fp4
                        : first == 8    ? fp8
                        : first == 16   ? narrow
                                        : other;
      ++count;
    }
    for (const Decision &stored : graph.assignment.values) {
      constexpr std::array<Format, 3> formats = {Format::BF16, Format::F16,
                                                 Format::F32};
      const Format *found = llvm::find(formats, stored.format);
      if (found != formats.end() && !stored.rule.empty())
        ++tensors[found - formats.begin()];
    }
  }
  reportCounts(getOperation().getLoc(), getArgument(),
               {{"products-fp4", fp4Products, fp4},
                {"products-fp8", fp8Products, fp8},
                {"products-16", narrowProducts, narrow},
                {"products-other", otherProducts, other},
                {"tensors-bf16", bf16Tensors, tensors[0]},
                {"tensors-f16", f16Tensors, tensors[1]},
                {"tensors-f32", f32Tensors, tensors[2]}});
}

void AssignPrecision::report(const Recipe &recipe, const Target &target,
                             ArrayRef<AssignedGraph> graphs,
                             const GivenInputs &given) {
  Location loc = getOperation().getLoc();
  StringRef targetNote = this->target.empty() ? " (the default)" : "";
  if (!summary && !(recipeNote.empty() && targetNote.empty()))
    emitPassRemark(loc, {"assign-precision", "Recipe", true},
                   "recipe " + recipe.name + recipeNote + ", legality of " +
                       target.getName() + targetNote);
  for (const std::string &remark : recipe.remarks)
    emitPassRemark(loc, {"assign-precision", "Recipe", true}, remark);
  for (const std::string &warning : recipe.warnings)
    emitWarning(loc) << warning;
  for (const std::string &warning : findIdleOptions(recipe, graphs, given))
    emitWarning(loc) << warning;
}

FailureOr<BoundSources> AssignPrecision::loadBoundSources() {
  Location loc = getOperation().getLoc();
  StringRef mode = bounds;
  if (mode != "warn" && mode != "refuse" && mode != "off")
    return emitError(loc, "bounds must be warn, refuse or off, but got '")
           << mode << "'";
  llvm::Expected<BoundSources> sources = loadBounds(numerics, assume, limits);
  if (!sources)
    return emitErrors(loc, sources.takeError());
  return std::move(*sources);
}

LogicalResult AssignPrecision::reportBounds(const BoundSources &sources,
                                            ArrayRef<DecidedFunction> decided) {
  warnOfUnmatched(getOperation().getLoc(), sources, decided);
  bool isRefused = bounds == "refuse", anyFinding = false;
  for (const DecidedFunction &function : decided)
    anyFinding |= reportFindings(function, isRefused);
  return failure(isRefused && anyFinding);
}

LogicalResult AssignPrecision::reportMemory(ArrayRef<DecidedFunction> decided) {
  Location loc = getOperation().getLoc();
  if (ranks < 1)
    return emitError(loc, "ranks must be at least 1, but got ")
           << int64_t(ranks);
  if (memoryTable)
    printMemory(llvm::errs(), decided, ranks);
  if (!memoryFile.empty())
    if (llvm::Error error = writeMemory(memoryFile, decided, ranks))
      return emitErrors(loc, std::move(error));
  return success();
}

void AssignPrecision::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(verifyGiven()))
    return signalPassFailure();
  FailureOr<Recipe> loaded = loadRecipe();
  FailureOr<std::unique_ptr<RuleSet>> userRules = loadRules();
  const Target *legality = loadTarget();
  FailureOr<std::optional<PolicySources>> sources = failure();
  if (legality)
    sources = loadPolicySources(*legality);
  FailureOr<BoundSources> boundSources = loadBoundSources();
  if (failed(loaded) || failed(userRules) || !legality || failed(sources) ||
      failed(boundSources) || failed(verifyRecipe(*loaded, *legality)))
    return signalPassFailure();
  // gradient_format_c3
  if (loaded->given.gradientFormat == GradientFormat::Measured &&
      (!boundSources->numerics || bounds == "off")) {
    emitError(module.getLoc())
        << "gradient-format=measured must have numerics=FILE, and bounds, by "
           "which formats are chosen, but got "
        << (boundSources->numerics ? "bounds=off" : "no numerics");
    return signalPassFailure();
  }
  bool hasLimit = boundSources->limits.accumulation && bounds != "off";
  bool isBounded = legality->findAccumulator(Accumulator::Fast).has_value();
  if (hasLimit && !isBounded)
    emitWarning(module.getLoc())
        << "limits=accumulation bounds nothing on " << legality->getName()
        << ", which adds up no FP8 products in less than FP32";
  const PolicySources *policySources = *sources ? &**sources : nullptr;
  FailureOr<std::optional<CostSources>> costs =
      loadCostSources(*legality, policySources);
  BoundInputs boundInputs = boundSources->getInputs();
  AssignmentInputs inputs;
  inputs.rules = userRules->get();
  inputs.padsHead = padHead;
  inputs.bounds = bounds == "off" ? nullptr : &boundInputs;
  std::vector<DecidedFunction> decided;
  LogicalResult isNoiseLoaded = success();
  if (choose == "cost")
    if (llvm::Error error =
            loadNoise(loaded->name, *boundSources, leastGradientSnr, inputs))
      isNoiseLoaded = emitErrors(module.getLoc(), std::move(error));
  if (failed(costs) || failed(isNoiseLoaded) ||
      failed(decide(*loaded, *legality, policySources,
                    *costs ? &**costs : nullptr, inputs, decided)) ||
      failed(reportBounds(*boundSources, decided)))
    return signalPassFailure();
  SmallVector<AssignedGraph> graphs;
  TokenScales tokens(*loaded);
  for (DecidedFunction &each : decided)
    tokens.decide(each);
  for (DecidedFunction &each : decided)
    graphs.push_back({each.function.getName(), each.projection.graph,
                      each.facts, each.assignment});
  report(*loaded, *legality, graphs,
         {!policy.empty(), hasLimit && isBounded, tokens.hasShared()});
  tokens.remark(module.getLoc());
  if (*userRules)
    warnOfRules(**userRules, decided, &getContext());

  ReportOptions reports = {mapFile, explain, explainFile};
  PrecisionMap map;
  if (record || reports.needMap())
    map = collectMap(decided, *loaded, *legality, inputs.bounds);
  if (failed(reportMemory(decided)) ||
      failed(writeReports(module.getLoc(), reports, map)))
    return signalPassFailure();
  countFormats(graphs);
  for (DecidedFunction &function : decided) {
    emitRemarks(function, *loaded, inputs.bounds);
    writeTags(function);
    warnOfFallbacks(function);
    warnOfUnknown(function);
    warnOfMissingRoles(function);
    emitCostRemark(function);
    if (summary)
      printSummary(llvm::errs(), function, recipeNote,
                   target.empty() ? " (the default)" : "", *loaded, *legality);
  }
  tokens.mark();
  writeModuleAttributes(module, *loaded, *legality, findScales(graphs));
  if (record)
    writeDecisionRecord(module, map);
}

FailureOr<std::unique_ptr<Pass>>
prec::createAssignPrecision(const AssignPrecisionOptions &options,
                            StringRef text,
                            function_ref<LogicalResult(const Twine &)> report) {
  auto pass = std::make_unique<AssignPrecision>(options);
  if (failed(pass->initializeOptions(text, report)) ||
      failed(pass->verifyGivenOnce(options, report)))
    return failure();
  return std::unique_ptr<Pass>(std::move(pass));
}

bool prec::requestExplanation(OpPassManager &pipeline, StringRef query) {
  bool any = false;
  for (Pass &pass : pipeline)
    if (auto *assign = dyn_cast<AssignPrecision>(&pass)) {
      assign->requestExplanation(query);
      any = true;
    }
  return any;
}
