//===- RecipeScales.cpp - layers, amax and loss scaling of a recipe -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a recipe beside its formats: skipped layers, amax, loss scaling,
// rounding of masters, microscaling and moments; then the options that overrule
// a recipe file, and the remarks on dtypes that follow. Each reader takes one
// JSON value, checks it, and fills fields of Recipe; a key that is absent keeps
// the default. Errors name file, line and column (JsonReader).
//
//===----------------------------------------------------------------------===//
#include "Assign/Recipe/RecipeReader.h"

using namespace mlir;
using namespace prec;
using llvm::Error;

static constexpr int64_t kMostLayers = 1000000;
static constexpr int64_t kMostSteps = 1000000;

Error RecipeReader::readLayers(const JsonValue *json, Recipe &recipe) {
  if (!json)
    return Error::success();
  if (Error error =
          checkObject(*json, {}, {"skip_first", "skip_last", "head", "merge"}))
    return error;
  if (const JsonValue *first = json->find("skip_first"))
    if (Error error = readInteger(*first, "skip_first", 0, kMostLayers,
                                  recipe.skipFirstLayers))
      return error;
  if (const JsonValue *last = json->find("skip_last"))
    if (Error error = readInteger(*last, "skip_last", 0, kMostLayers,
                                  recipe.skipLastLayers))
      return error;
  if (const JsonValue *head = json->find("head")) {
    unsigned index = 0;
    if (Error error = readName(*head, "head", {"out", "in"}, index))
      return error;
    recipe.isHeadIn = index == 1;
  }
  if (const JsonValue *merge = json->find("merge"))
    return readBoolean(*merge, "merge", recipe.mergesLayers);
  return Error::success();
}

Error RecipeReader::readAmax(const JsonValue *json, Recipe &recipe) {
  if (!json)
    return Error::success();
  AmaxOptions &amax = recipe.amax;
  if (Error error = checkObject(
          *json, {},
          {"history", "algorithm", "margin", "power_of_two", "epsilon"}))
    return error;
  if (const JsonValue *history = json->find("history"))
    if (Error error =
            readInteger(*history, "history", 1, kMostSteps, amax.history))
      return error;
  if (const JsonValue *algorithm = json->find("algorithm")) {
    unsigned index = 0;
    if (Error error =
            readName(*algorithm, "algorithm", {"max", "most_recent"}, index))
      return error;
    amax.algorithm = static_cast<AmaxAlgorithm>(index);
  }
  if (const JsonValue *margin = json->find("margin"))
    if (Error error =
            readInteger(*margin, "margin", 0, kMaxAmaxMargin, amax.margin))
      return error;
  if (const JsonValue *power = json->find("power_of_two"))
    if (Error error = readBoolean(*power, "power_of_two", amax.powerOfTwo))
      return error;
  const JsonValue *epsilon = json->find("epsilon");
  if (!epsilon)
    return Error::success();
  SmallVector<StringRef> kinds;
  for (unsigned kind = 0; kind < 3; ++kind)
    kinds.push_back(stringifyOperandKind(static_cast<OperandKind>(kind)));
  if (Error error = checkObject(*epsilon, {}, kinds))
    return error;
  for (unsigned kind = 0; kind < 3; ++kind)
    if (const JsonValue *value = epsilon->find(kinds[kind]))
      if (Error error = readNumber(*value, "epsilon", 0, 1, amax.epsilon[kind]))
        return error;
  return Error::success();
}

Error RecipeReader::readLossScaling(const JsonValue *json, Recipe &recipe) {
  if (!json)
    return Error::success();
  LossScaling &scaling = recipe.lossScaling;
  if (Error error = checkObject(*json, {"mode"},
                                {"scale", "interval", "growth", "backoff"}))
    return error;
  SmallVector<StringRef> modes;
  for (unsigned i = 0; i <= getMaxEnumValForLossScalingMode(); ++i)
    modes.push_back(stringifyLossScalingMode(static_cast<LossScalingMode>(i)));
  unsigned index = 0;
  if (Error error = readName(*json->find("mode"), "mode", modes, index))
    return error;
  scaling.mode = static_cast<LossScalingMode>(index);
  if (const JsonValue *scale = json->find("scale")) {
    if (Error error =
            readInteger(*scale, "scale", 1, int64_t(1) << 40, scaling.scale))
      return error;
    if (!llvm::isPowerOf2_64(scaling.scale))
      return fail(scale->position,
                  "scale must be a power of two, but got " + scale->text);
  }
  if (const JsonValue *interval = json->find("interval"))
    if (Error error = readInteger(*interval, "interval", 1, kMaxGrowthInterval,
                                  scaling.interval))
      return error;
  if (const JsonValue *growth = json->find("growth")) {
    if (Error error =
            readNumber(*growth, "growth", 1, kMaxScaleFactor, scaling.growth))
      return error;
    if (!isGrowthFactor(scaling.growth))
      return fail(growth->position,
                  "growth must be a power of two above 1, but got " +
                      growth->text);
  }
  if (const JsonValue *backoff = json->find("backoff")) {
    if (Error error = readNumber(*backoff, "backoff", 0, 1, scaling.backoff))
      return error;
    if (!isBackoffFactor(scaling.backoff))
      return fail(backoff->position,
                  "backoff must be a power of two below 1, but got " +
                      backoff->text);
  }
  return Error::success();
}

Error RecipeReader::readMasterRounding(const JsonValue *json, Recipe &recipe) {
  if (!json)
    return Error::success();
  MasterRoundingOptions &rounding = recipe.masterRounding;
  // A mode alone, or with what it has options for.
  const JsonValue *mode = json;
  if (json->kind == JsonValue::Kind::Object) {
    if (Error error = checkObject(*json, {"mode"}, {"iterations", "tolerance"}))
      return error;
    mode = json->find("mode");
  }
  SmallVector<StringRef> modes;
  for (unsigned i = 0; i <= getMaxEnumValForMasterRounding(); ++i)
    modes.push_back(stringifyMasterRounding(static_cast<MasterRounding>(i)));
  unsigned index = 0;
  if (Error error = readName(*mode, "master_rounding", modes, index))
    return error;
  rounding.mode = static_cast<MasterRounding>(index);
  if (mode == json)
    return Error::success();
  for (StringRef key : {"iterations", "tolerance"})
    if (const JsonValue *given = json->find(key);
        given && rounding.mode != MasterRounding::PrecisionAware)
      return fail(given->position, key +
                                       " must come with the mode "
                                       "precision_aware, but got " +
                                       modes[index]);
  if (const JsonValue *iterations = json->find("iterations"))
    if (Error error = readInteger(*iterations, "iterations", 1,
                                  kMaxRoundingIterations, rounding.iterations))
      return error;
  if (const JsonValue *tolerance = json->find("tolerance"))
    return readNumber(*tolerance, "tolerance", 0, 1, rounding.tolerance);
  return Error::success();
}

Error RecipeReader::readMicroscaling(const JsonValue *json, Recipe &recipe) {
  if (!json)
    return Error::success();
  Microscaling &micro = recipe.microscaling;
  struct Choice {
    StringLiteral key, off, on;
    bool &isOn;
  } choices[] = {{"scale_rounding", "down", "up", micro.roundUp},
                 {"weight_blocks", "1x16", "16x16", micro.squareWeights},
                 {"wgrad_transform", "none", "hadamard", micro.hadamard},
                 {"gradient_rounding", "nearest", "stochastic",
                  micro.stochasticGradients}};
  SmallVector<StringRef> keys;
  for (const Choice &choice : choices)
    keys.push_back(choice.key);
  if (Error error = checkObject(*json, {}, keys))
    return error;
  for (const Choice &choice : choices) {
    const JsonValue *value = json->find(choice.key);
    unsigned index = 0;
    if (!value)
      continue;
    if (Error error =
            readName(*value, choice.key, {choice.off, choice.on}, index))
      return error;
    choice.isOn = index == 1;
  }
  return Error::success();
}

Error RecipeReader::readMoments(const JsonValue *json, Recipe &recipe) {
  if (!json)
    return Error::success();
  SmallVector<StringRef> names;
  for (unsigned i = 0; i <= getMaxEnumValForMomentStorage(); ++i)
    names.push_back(stringifyMomentStorage(static_cast<MomentStorage>(i)));
  unsigned index = 0;
  if (Error error = readName(*json, "moments", names, index))
    return error;
  recipe.moments = static_cast<MomentStorage>(index);
  return Error::success();
}

Error RecipeReader::applyOptions(Recipe &recipe) {
  recipe.given = options;
  if (Error error = applyReads(recipe))
    return error;
  recipe.skipFirstLayers =
      options.skipFirstLayers.value_or(recipe.skipFirstLayers);
  recipe.skipLastLayers =
      options.skipLastLayers.value_or(recipe.skipLastLayers);
  recipe.isHeadIn = options.isHeadIn.value_or(recipe.isHeadIn);
  AmaxOptions &amax = recipe.amax;
  amax.history = options.amaxHistory.value_or(amax.history);
  amax.algorithm = options.amaxAlgorithm.value_or(amax.algorithm);
  amax.margin = options.amaxMargin.value_or(amax.margin);
  amax.powerOfTwo = options.powerOfTwoScales.value_or(amax.powerOfTwo);
  for (auto [mine, theirs] : llvm::zip_equal(amax.epsilon, options.amaxEpsilon))
    mine = theirs.value_or(mine);
  recipe.lossScaling = options.lossScaling.value_or(recipe.lossScaling);
  MasterRoundingOptions &rounding = recipe.masterRounding;
  rounding.mode = options.masterRounding.value_or(rounding.mode);
  rounding.iterations =
      options.roundingIterations.value_or(rounding.iterations);
  rounding.tolerance = options.roundingTolerance.value_or(rounding.tolerance);
  recipe.moments = options.moments.value_or(recipe.moments);
  reportDtypes(recipe);
  return Error::success();
}

static std::string describeReads(const Recipe &recipe) {
  std::string text;
  static constexpr OperandKind kReads[3][2] = {
      {OperandKind::Activation, OperandKind::Weight},
      {OperandKind::Gradient, OperandKind::Weight},
      {OperandKind::Gradient, OperandKind::Activation}};
  for (unsigned i = 0; i < 3; ++i) {
    Direction direction = static_cast<Direction>(i);
    text +=
        (text.empty() ? "" : ", ") + stringifyDirection(direction).str() + " " +
        stringifyFormat(recipe.getUse(direction, kReads[i][0]).format).str() +
        " x " +
        stringifyFormat(recipe.getUse(direction, kReads[i][1]).format).str();
  }
  return text;
}

/// What a recipe has where a dtype could have stood.
static std::string describeForced(const Recipe &recipe, Dtype dtype) {
  if (dtype == Dtype::Master)
    return (stringifyFormat(recipe.getStorage(StorageKind::Master).format) +
            " masters")
        .str();
  if (dtype == Dtype::Model)
    return (stringifyFormat(recipe.getStorage(StorageKind::Activation).format) +
            " activations")
        .str();
  return describeReads(recipe);
}

/// Whether no contraction of a dtype's directions reads it.
static bool isReadNowhere(const Recipe &recipe, Dtype dtype, Format format) {
  using D = Direction;
  using K = OperandKind;
  auto reads = [&](D direction, K kind) {
    return recipe.getUse(direction, kind).format == format;
  };
  if (dtype == Dtype::Matmul)
    return !reads(D::Fprop, K::Activation) && !reads(D::Fprop, K::Weight);
  return dtype == Dtype::Gradient && !reads(D::Dgrad, K::Gradient) &&
         !reads(D::Wgrad, K::Gradient);
}

/// What becomes of an update of less than half an ulp of a BF16 master.
static StringRef describeSmallUpdates(MasterRounding mode) {
  switch (mode) {
  case MasterRounding::Nearest:
    return "an update of less than 2^-9 of its weight is lost";
  case MasterRounding::Stochastic:
    return "an update of less than 2^-9 of its weight is kept in the mean "
           "only, with noise";
  case MasterRounding::PrecisionAware:
    return "an update of less than 2^-9 of its weight is lost or made larger, "
           "so that the norm of all stays";
  }
  llvm_unreachable("no such rounding");
}

void RecipeReader::reportDtypes(Recipe &recipe) {
  for (unsigned i = 0; i < kNumDtypes; ++i) {
    Dtype dtype = static_cast<Dtype>(i);
    std::optional<Format> given = options.dtypes[dtype];
    if (!given || dtype == Dtype::Lora)
      continue;
    std::string text =
        (stringifyDtype(dtype) + "=" + stringifyDtypeFormat(*given)).str();
    if (!isUsed[i])
      recipe.warnings.push_back("recipe " + recipe.name + " overrides " + text +
                                ": it forces " + describeForced(recipe, dtype));
    else if (!options.reads.empty() && isReadNowhere(recipe, dtype, *given))
      recipe.warnings.push_back("reads overrides " + text +
                                ": contractions read " + describeReads(recipe));
  }
  if (dtypes.isGradientReplaced() &&
      isUsed[static_cast<unsigned>(Dtype::Gradient)])
    recipe.remarks.push_back(
        "gradient_dtype is e5m2: it defaults to matmul_dtype, but e4m3 is not "
        "supported for gradients");
  Format master = recipe.getStorage(StorageKind::Master).format;
  if (master != Format::F32)
    recipe.warnings.push_back(
        ("master weights are " + stringifyFormat(master) + ": " +
         describeSmallUpdates(recipe.masterRounding.mode) +
         "; master_dtype=fp32 keeps it")
            .str());
}
