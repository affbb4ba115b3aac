//===- ApplyOptions.cpp - options that overrule a recipe file -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes a recipe as it was read to what the user's options say, and says what
// became of the dtypes among them: a dtype that no format of the recipe follows
// changes nothing, which is a warning.
//
//===----------------------------------------------------------------------===//
#include "Assign/Recipe/RecipeParts.h"

using namespace mlir;
using namespace prec;
using llvm::Error;

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

static void reportDtypes(const FormatReader &reader, Recipe &recipe) {
  const RecipeOptions &options = reader.getOptions();
  for (unsigned i = 0; i < kNumDtypes; ++i) {
    Dtype dtype = static_cast<Dtype>(i);
    std::optional<Format> given = options.dtypes[dtype];
    if (!given || dtype == Dtype::Lora)
      continue;
    std::string text =
        (stringifyDtype(dtype) + "=" + stringifyDtypeFormat(*given)).str();
    if (!reader.isUsed(dtype))
      recipe.warnings.push_back("recipe " + recipe.name + " overrides " + text +
                                ": it forces " + describeForced(recipe, dtype));
    else if (!options.reads.empty() && isReadNowhere(recipe, dtype, *given))
      recipe.warnings.push_back("reads overrides " + text +
                                ": contractions read " + describeReads(recipe));
  }
  if (reader.getDtypes().isGradientReplaced() && reader.isUsed(Dtype::Gradient))
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

Error prec::applyOptions(const FormatReader &reader, Recipe &recipe) {
  const RecipeOptions &options = reader.getOptions();
  recipe.given = options;
  if (Error error = applyReads(options, recipe))
    return error;
  recipe.skipFirstLayers =
      options.skipFirstLayers.value_or(recipe.skipFirstLayers);
  recipe.skipLastLayers =
      options.skipLastLayers.value_or(recipe.skipLastLayers);
  recipe.isHeadIn = options.isHeadIn.value_or(recipe.isHeadIn);
  recipe.sharesExpertScales =
      options.sharesExpertScales.value_or(recipe.sharesExpertScales);
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
  reportDtypes(reader, recipe);
  return Error::success();
}
