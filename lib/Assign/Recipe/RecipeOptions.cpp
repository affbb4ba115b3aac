//===- RecipeOptions.cpp - what a user changes of a recipe ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/RecipeOptions.h"

#include "prec/Support/JsonReader.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace prec;
using llvm::createStringError;
using llvm::Error;

bool AmaxOptions::operator==(const AmaxOptions &other) const {
  return history == other.history && algorithm == other.algorithm &&
         margin == other.margin && powerOfTwo == other.powerOfTwo &&
         epsilon == other.epsilon;
}

StringRef prec::stringifyOperandKind(OperandKind kind) {
  static constexpr StringRef kNames[] = {"activation", "weight", "gradient"};
  return kNames[static_cast<unsigned>(kind)];
}

std::optional<std::string> prec::findUseProblem(const UseFormat &use) {
  if (isFp8(use.format) && use.scaling == Scaling::None)
    return "an fp8 format must have a scaling";
  if (!isNarrow(use.format) && use.scaling != Scaling::None)
    return "only fp8 and e2m1 formats have a scaling";
  if ((use.format == Format::E2M1) != isOfFp4(use.scaling))
    return ("'e2m1' and '" + stringifyScaling(getDefaultScaling(Format::E2M1)) +
            "' must come together")
        .str();
  return std::nullopt;
}

static Error expect(StringRef name, const Twine &rule, StringRef value) {
  return createStringError(name + " must be " + rule + ", but got '" + value +
                           "'");
}

/// DIRECTION[.OPERAND]:FORMAT[/SCALING]
static Error readOverride(StringRef value, RecipeOptions &options) {
  auto fail = [&](const Twine &why) {
    return createStringError(
        "reads must be DIRECTION[.OPERAND]:FORMAT[/SCALING], such as "
        "wgrad:bf16 or fprop.weight:e4m3/row, but got '" +
        value + "': " + why);
  };
  auto [place, what] = value.split(':');
  auto [directionName, operandName] = place.split('.');
  auto [formatName, scalingName] = what.split('/');
  ReadsOverride result;
  bool isKnown = false;
  for (Direction direction :
       {Direction::Fprop, Direction::Dgrad, Direction::Wgrad})
    if (stringifyDirection(direction) == directionName) {
      result.direction = direction;
      isKnown = true;
    }
  if (!isKnown)
    return fail("a direction is fprop, dgrad or wgrad");
  if (place.contains('.')) {
    for (OperandKind kind :
         {OperandKind::Activation, OperandKind::Weight, OperandKind::Gradient})
      if (stringifyOperandKind(kind) == operandName)
        result.operand = kind;
    if (!result.operand)
      return fail("an operand is activation, weight or gradient");
  }
  std::optional<Format> format = symbolizeFormat(formatName);
  if (!format)
    return fail("a format is f32, bf16, f16, e4m3, e5m2 or e2m1");
  result.use.format = *format;
  std::optional<Scaling> scaling = scalingName.empty()
                                       ? getDefaultScaling(*format)
                                       : symbolizeScaling(scalingName);
  if (!scaling)
    return fail("there is no scaling '" + scalingName + "'");
  result.use.scaling = *scaling;
  if (std::optional<std::string> problem = findUseProblem(result.use))
    return fail(*problem);
  options.reads.push_back(result);
  return Error::success();
}

/// VALUE for all operands, or OPERAND:VALUE.
static Error readEpsilon(StringRef value, RecipeOptions &options) {
  std::optional<OperandKind> only;
  StringRef number = value;
  for (OperandKind kind :
       {OperandKind::Activation, OperandKind::Weight, OperandKind::Gradient})
    if (number.consume_front((stringifyOperandKind(kind) + ":").str()))
      only = kind;
  double epsilon = 0;
  if (number.getAsDouble(epsilon) || !(epsilon >= 0) || epsilon > 1)
    return expect("amax-epsilon",
                  "[activation:|weight:|gradient:]NUMBER from 0 to 1", value);
  for (unsigned kind = 0; kind < 3; ++kind)
    if (!only || unsigned(*only) == kind)
      options.amaxEpsilon[kind] = epsilon;
  return Error::success();
}

static Error readLossScaling(StringRef value, RecipeOptions &options) {
  LossScaling scaling;
  if (value == "none") {
  } else if (value == "dynamic") {
    scaling.mode = LossScalingMode::Dynamic;
  } else {
    scaling.mode = LossScalingMode::Static;
    if (value.getAsInteger(10, scaling.scale) || scaling.scale < 1 ||
        !llvm::isPowerOf2_64(scaling.scale))
      return expect("loss-scaling", "none, dynamic or a power of two", value);
  }
  options.lossScaling = scaling;
  return Error::success();
}

static Error readCount(StringRef name, StringRef value, int64_t least,
                       int64_t most, std::optional<int64_t> &result) {
  int64_t count = 0;
  if (value.getAsInteger(10, count) || count < least || count > most)
    return expect(
        name, "an integer from " + Twine(least) + " to " + Twine(most), value);
  result = count;
  return Error::success();
}

static Error readTolerance(StringRef name, StringRef value,
                           std::optional<double> &result) {
  double tolerance = 0;
  if (value.getAsDouble(tolerance) || !(tolerance >= 0) || tolerance > 1)
    return expect(name, "a number from 0 to 1", value);
  result = tolerance;
  return Error::success();
}

/// One of two words, the first of which is true.
static Error readEither(StringRef name, StringRef value, StringRef yes,
                        StringRef no, std::optional<bool> &result) {
  if (value != yes && value != no)
    return expect(name, yes + " or " + no, value);
  result = value == yes;
  return Error::success();
}

Error prec::readRecipeOption(StringRef name, StringRef value,
                             RecipeOptions &options) {
  constexpr int64_t kMost = 1000000;
  if (name == "reads")
    return readOverride(value, options);
  if (name == "gradient-format") {
    for (auto [text, format] : {std::pair("e5m2", GradientFormat::E5M2),
                                {"e4m3", GradientFormat::E4M3},
                                {"measured", GradientFormat::Measured}})
      if (value == text)
        options.gradientFormat = format;
    if (!options.gradientFormat)
      return expect(name, "e5m2, e4m3 or measured", value);
    return Error::success();
  }
  if (name == "skip-first-layers")
    return readCount(name, value, 0, kMost, options.skipFirstLayers);
  if (name == "skip-last-layers")
    return readCount(name, value, 0, kMost, options.skipLastLayers);
  if (name == "head")
    return readEither(name, value, "in", "out", options.isHeadIn);
  if (name == "expert-scales")
    return readEither(name, value, "shared", "own", options.sharesExpertScales);
  if (name == "amax-history")
    return readCount(name, value, 1, kMost, options.amaxHistory);
  if (name == "amax-margin")
    return readCount(name, value, 0, kMaxAmaxMargin, options.amaxMargin);
  if (name == "amax-epsilon")
    return readEpsilon(value, options);
  if (name == "power-of-two-scales")
    return readEither(name, value, "true", "false", options.powerOfTwoScales);
  if (name == "loss-scaling")
    return readLossScaling(value, options);
  if (name == "master-rounding") {
    options.masterRounding = symbolizeMasterRounding(value);
    if (!options.masterRounding)
      return expect(name, "nearest, stochastic or precision_aware", value);
    return Error::success();
  }
  if (name == "moments") {
    options.moments = symbolizeMomentStorage(value);
    if (!options.moments)
      return expect(name, "f32 or dynamic8", value);
    return Error::success();
  }
  if (name == "rounding-iterations")
    return readCount(name, value, 1, kMaxRoundingIterations,
                     options.roundingIterations);
  if (name == "rounding-tolerance")
    return readTolerance(name, value, options.roundingTolerance);
  std::optional<bool> either;
  if (name == "tensor-scaling") {
    if (Error error = readEither(name, value, "delayed", "current", either))
      return error;
    options.tensorScaling =
        *either ? Scaling::TensorDelayed : Scaling::TensorCurrent;
    return Error::success();
  }
  if (name == "amax-algorithm") {
    if (Error error = readEither(name, value, "max", "most_recent", either))
      return error;
    options.amaxAlgorithm =
        *either ? AmaxAlgorithm::Max : AmaxAlgorithm::MostRecent;
    return Error::success();
  }
  for (unsigned index = 0; index < kNumDtypes; ++index) {
    Dtype dtype = static_cast<Dtype>(index);
    if (name != getOptionName(dtype))
      continue;
    llvm::Expected<Format> format = parseDtype(dtype, value);
    if (!format)
      return format.takeError();
    options.dtypes[dtype] = *format;
    return Error::success();
  }
  llvm_unreachable("no such option");
}
