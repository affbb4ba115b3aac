//===- RecipeScales.cpp - layers, amax and loss scaling of a recipe -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a recipe beside its formats: skipped layers, amax, loss scaling,
// rounding of masters, microscaling and moments. Each reader takes one JSON
// value, checks it, and fills fields of Recipe; a key that is absent keeps the
// default. Errors name file, line and column (JsonReader).
//
//===----------------------------------------------------------------------===//
#include "Assign/Recipe/RecipeParts.h"

using namespace mlir;
using namespace prec;
using llvm::Error;

static constexpr int64_t kMostLayers = 1000000;
static constexpr int64_t kMostSteps = 1000000;

Error prec::readLayers(const JsonReader &reader, const JsonValue *json,
                       Recipe &recipe) {
  if (!json)
    return Error::success();
  if (Error error = reader.checkObject(
          *json, {}, {"skip_first", "skip_last", "head", "merge"}))
    return error;
  if (const JsonValue *first = json->find("skip_first"))
    if (Error error = reader.readInteger(*first, "skip_first", 0, kMostLayers,
                                         recipe.skipFirstLayers))
      return error;
  if (const JsonValue *last = json->find("skip_last"))
    if (Error error = reader.readInteger(*last, "skip_last", 0, kMostLayers,
                                         recipe.skipLastLayers))
      return error;
  if (const JsonValue *head = json->find("head")) {
    unsigned index = 0;
    if (Error error = reader.readName(*head, "head", {"out", "in"}, index))
      return error;
    recipe.isHeadIn = index == 1;
  }
  if (const JsonValue *merge = json->find("merge"))
    return reader.readBoolean(*merge, "merge", recipe.mergesLayers);
  return Error::success();
}

Error prec::readAmax(const JsonReader &reader, const JsonValue *json,
                     Recipe &recipe) {
  if (!json)
    return Error::success();
  AmaxOptions &amax = recipe.amax;
  if (Error error = reader.checkObject(
          *json, {},
          {"history", "algorithm", "margin", "power_of_two", "epsilon"}))
    return error;
  if (const JsonValue *history = json->find("history"))
    if (Error error = reader.readInteger(*history, "history", 1, kMostSteps,
                                         amax.history))
      return error;
  if (const JsonValue *algorithm = json->find("algorithm")) {
    unsigned index = 0;
    if (Error error = reader.readName(*algorithm, "algorithm",
                                      {"max", "most_recent"}, index))
      return error;
    amax.algorithm = static_cast<AmaxAlgorithm>(index);
  }
  if (const JsonValue *margin = json->find("margin"))
    if (Error error = reader.readInteger(*margin, "margin", 0, kMaxAmaxMargin,
                                         amax.margin))
      return error;
  if (const JsonValue *power = json->find("power_of_two"))
    if (Error error =
            reader.readBoolean(*power, "power_of_two", amax.powerOfTwo))
      return error;
  const JsonValue *epsilon = json->find("epsilon");
  if (!epsilon)
    return Error::success();
  SmallVector<StringRef> kinds;
  for (unsigned kind = 0; kind < 3; ++kind)
    kinds.push_back(stringifyOperandKind(static_cast<OperandKind>(kind)));
  if (Error error = reader.checkObject(*epsilon, {}, kinds))
    return error;
  for (unsigned kind = 0; kind < 3; ++kind)
    if (const JsonValue *value = epsilon->find(kinds[kind]))
      if (Error error =
              reader.readNumber(*value, "epsilon", 0, 1, amax.epsilon[kind]))
        return error;
  return Error::success();
}

Error prec::readLossScaling(const JsonReader &reader, const JsonValue *json,
                            Recipe &recipe) {
  if (!json)
    return Error::success();
  LossScaling &scaling = recipe.lossScaling;
  if (Error error = reader.checkObject(
          *json, {"mode"}, {"scale", "interval", "growth", "backoff"}))
    return error;
  SmallVector<StringRef> modes;
  for (unsigned i = 0; i <= getMaxEnumValForLossScalingMode(); ++i)
    modes.push_back(stringifyLossScalingMode(static_cast<LossScalingMode>(i)));
  unsigned index = 0;
  if (Error error = reader.readName(*json->find("mode"), "mode", modes, index))
    return error;
  scaling.mode = static_cast<LossScalingMode>(index);
  if (const JsonValue *scale = json->find("scale")) {
    if (Error error = reader.readInteger(*scale, "scale", 1, int64_t(1) << 40,
                                         scaling.scale))
      return error;
    if (!llvm::isPowerOf2_64(scaling.scale))
      return reader.fail(scale->position,
                         "scale must be a power of two, but got " +
                             scale->text);
  }
  if (const JsonValue *interval = json->find("interval"))
    if (Error error = reader.readInteger(*interval, "interval", 1,
                                         kMaxGrowthInterval, scaling.interval))
      return error;
  if (const JsonValue *growth = json->find("growth")) {
    if (Error error = reader.readNumber(*growth, "growth", 1, kMaxScaleFactor,
                                        scaling.growth))
      return error;
    if (!isGrowthFactor(scaling.growth))
      return reader.fail(growth->position,
                         "growth must be a power of two above 1, but got " +
                             growth->text);
  }
  if (const JsonValue *backoff = json->find("backoff")) {
    if (Error error =
            reader.readNumber(*backoff, "backoff", 0, 1, scaling.backoff))
      return error;
    if (!isBackoffFactor(scaling.backoff))
      return reader.fail(backoff->position,
                         "backoff must be a power of two below 1, but got " +
                             backoff->text);
  }
  return Error::success();
}

Error prec::readMasterRounding(const JsonReader &reader, const JsonValue *json,
                               Recipe &recipe) {
  if (!json)
    return Error::success();
  MasterRoundingOptions &rounding = recipe.masterRounding;
  // A mode alone, or with what it has options for.
  const JsonValue *mode = json;
  if (json->kind == JsonValue::Kind::Object) {
    if (Error error =
            reader.checkObject(*json, {"mode"}, {"iterations", "tolerance"}))
      return error;
    mode = json->find("mode");
  }
  SmallVector<StringRef> modes;
  for (unsigned i = 0; i <= getMaxEnumValForMasterRounding(); ++i)
    modes.push_back(stringifyMasterRounding(static_cast<MasterRounding>(i)));
  unsigned index = 0;
  if (Error error = reader.readName(*mode, "master_rounding", modes, index))
    return error;
  rounding.mode = static_cast<MasterRounding>(index);
  if (mode == json)
    return Error::success();
  for (StringRef key : {"iterations", "tolerance"})
    if (const JsonValue *given = json->find(key);
        given && rounding.mode != MasterRounding::PrecisionAware)
      return reader.fail(given->position, key +
                                              " must come with the mode "
                                              "precision_aware, but got " +
                                              modes[index]);
  if (const JsonValue *iterations = json->find("iterations"))
    if (Error error =
            reader.readInteger(*iterations, "iterations", 1,
                               kMaxRoundingIterations, rounding.iterations))
      return error;
  if (const JsonValue *tolerance = json->find("tolerance"))
    return reader.readNumber(*tolerance, "tolerance", 0, 1, rounding.tolerance);
  return Error::success();
}

Error prec::readMicroscaling(const JsonReader &reader, const JsonValue *json,
                             Recipe &recipe) {
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
  if (Error error = reader.checkObject(*json, {}, keys))
    return error;
  for (const Choice &choice : choices) {
    const JsonValue *value = json->find(choice.key);
    unsigned index = 0;
    if (!value)
      continue;
    if (Error error =
            reader.readName(*value, choice.key, {choice.off, choice.on}, index))
      return error;
    choice.isOn = index == 1;
  }
  return Error::success();
}

Error prec::readMoments(const JsonReader &reader, const JsonValue *json,
                        Recipe &recipe) {
  if (!json)
    return Error::success();
  SmallVector<StringRef> names;
  for (unsigned i = 0; i <= getMaxEnumValForMomentStorage(); ++i)
    names.push_back(stringifyMomentStorage(static_cast<MomentStorage>(i)));
  unsigned index = 0;
  if (Error error = reader.readName(*json, "moments", names, index))
    return error;
  recipe.moments = static_cast<MomentStorage>(index);
  return Error::success();
}
