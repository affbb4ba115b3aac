//===- RecipeContraction.cpp - what contractions read ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Recipe/RecipeParts.h"

using namespace mlir;
using namespace prec;
using llvm::Error;
using Kind = OperandKind;

/// Operands of a contraction, by direction.
static constexpr Kind kReads[3][2] = {{Kind::Activation, Kind::Weight},
                                      {Kind::Gradient, Kind::Weight},
                                      {Kind::Gradient, Kind::Activation}};

static Error readUse(FormatReader &reader, const JsonValue &json,
                     UseFormat &use) {
  if (Error error = reader.checkObject(json, {"format"}, {"scaling"}))
    return error;
  const JsonValue &format = *json.find("format");
  if (Error error = reader.readFormat(format, FormatPlace::Use, use.format))
    return error;
  SmallVector<StringRef> names;
  for (unsigned i = 0; i <= getMaxEnumValForScaling(); ++i)
    names.push_back(stringifyScaling(static_cast<Scaling>(i)));
  const JsonValue *scaling = json.find("scaling");
  unsigned index = 0;
  if (scaling)
    if (Error error = reader.readName(*scaling, "scaling", names, index))
      return error;
  use.scaling = static_cast<Scaling>(index);
  // A dtype may turn out wide: its scaling is for when it does not.
  bool isDtype = symbolizeDtype(format.text).has_value();
  if (isDtype && !isNarrow(use.format))
    use.scaling = Scaling::None;
  if (std::optional<std::string> problem = findUseProblem(use))
    return reader.fail(scaling && !isFp8(use.format) ? scaling->position
                                                     : json.position,
                       *problem);
  return Error::success();
}

/// A product with E5M2 reads its other operand in E4M3, whatever dtype it
/// follows: the table has no other.
static void pairWithE5M2(DirectionRecipe &recipe, ArrayRef<Kind> reads,
                         ArrayRef<bool> isDtype) {
  UseFormat &first = recipe.operands[static_cast<unsigned>(reads[0])];
  UseFormat &second = recipe.operands[static_cast<unsigned>(reads[1])];
  if (first.format == Format::E5M2 && second.format == Format::E5M2 &&
      isDtype[1])
    second.format = Format::E4M3;
}

/// Microscaled products leave no choice.
static bool hasFullAccumulator(const UseFormat &use) {
  return isMicro(use.scaling);
}

static Error readDirection(FormatReader &reader, const JsonValue &json,
                           Direction direction, DirectionRecipe &recipe) {
  const Kind(&reads)[2] = kReads[static_cast<unsigned>(direction)];
  StringRef first = stringifyOperandKind(reads[0]),
            second = stringifyOperandKind(reads[1]);
  if (Error error = reader.checkObject(json, {first, second}, {"accumulator"}))
    return error;
  bool isDtype[2] = {};
  bool isNarrowHere = false;
  for (auto [index, kind] : llvm::enumerate(reads)) {
    const JsonValue &entry = *json.find(stringifyOperandKind(kind));
    UseFormat &use = recipe.operands[static_cast<unsigned>(kind)];
    if (Error error = readUse(reader, entry, use))
      return error;
    std::optional<Dtype> dtype = symbolizeDtype(entry.find("format")->text);
    recipe.dtypes[static_cast<unsigned>(kind)] = dtype;
    isDtype[index] = dtype.has_value();
    if (recipe.overriddenBy.empty())
      recipe.overriddenBy = reader.findOverride(*entry.find("format"));
    isNarrowHere |= isNarrow(use.format);
  }
  pairWithE5M2(recipe, reads, isDtype);
  const JsonValue *accumulator = json.find("accumulator");
  if (!accumulator)
    return Error::success();
  SmallVector<StringRef> names;
  for (unsigned i = 0; i <= getMaxEnumValForAccumulator(); ++i)
    names.push_back(stringifyAccumulator(static_cast<Accumulator>(i)));
  unsigned index = 0;
  if (Error error = reader.readName(*accumulator, "accumulator", names, index))
    return error;
  recipe.accumulator = static_cast<Accumulator>(index);
  recipe.namesAccumulator = true;
  if (recipe.accumulator == Accumulator::Full)
    return Error::success();
  // A dtype may turn out wide: its accumulator is for when it does not, or when
  // the user reads FP8 instead.
  if (!isNarrowHere && !isDtype[0] && !isDtype[1])
    return reader.fail(accumulator->position,
                       "only fp8 contractions choose an accumulator");
  for (Kind kind : reads)
    if (hasFullAccumulator(recipe.operands[static_cast<unsigned>(kind)]))
      return reader.fail(accumulator->position,
                         "products of microscaled operands must have a full "
                         "accumulator, but got '" +
                             accumulator->text + "'");
  return Error::success();
}

Error prec::readContraction(FormatReader &reader, const JsonValue &json,
                            Recipe &recipe) {
  if (Error error = reader.checkObject(
          json, {"fprop", "dgrad", "wgrad", "fallback", "reason"}))
    return error;
  for (Direction direction :
       {Direction::Fprop, Direction::Dgrad, Direction::Wgrad})
    if (Error error = readDirection(
            reader, *json.find(stringifyDirection(direction)), direction,
            recipe.directions[static_cast<unsigned>(direction)]))
      return error;
  if (Error error = reader.readFormat(*json.find("fallback"),
                                      FormatPlace::Storage, recipe.fallback))
    return error;
  return reader.readText(*json.find("reason"), "reason",
                         recipe.contractionReason);
}

Accumulator prec::getDefaultAccumulator(Direction direction,
                                        const ScalingPair &scalings) {
  auto isAny = [&](ScalingFamily family) {
    return llvm::any_of(scalings, [&](Scaling scaling) {
      return traitsOf(scaling).family == family;
    });
  };
  if (isAny(ScalingFamily::Micro))
    return Accumulator::Full;
  bool isFast = direction == Direction::Fprop && !isAny(ScalingFamily::Block);
  return isFast ? Accumulator::Fast : Accumulator::Promoted;
}

/// Accumulators are chosen for products of FP8 only.
static void settleAccumulator(DirectionRecipe &recipe, const Kind (&reads)[2],
                              Direction direction) {
  auto any = [&](auto holds) {
    return llvm::any_of(reads, [&](Kind kind) {
      return holds(recipe.operands[static_cast<unsigned>(kind)]);
    });
  };
  if (any(hasFullAccumulator) ||
      !any([](const UseFormat &use) { return isNarrow(use.format); }))
    recipe.accumulator = Accumulator::Full;
  else if (!recipe.namesAccumulator)
    recipe.accumulator = getDefaultAccumulator(
        direction, {recipe.operands[static_cast<unsigned>(reads[0])].scaling,
                    recipe.operands[static_cast<unsigned>(reads[1])].scaling});
}

/// An operand must belong to its direction, and be named once.
static Error checkPlaces(ArrayRef<ReadsOverride> overrides) {
  for (auto [index, over] : llvm::enumerate(overrides)) {
    const Kind(&reads)[2] = kReads[static_cast<unsigned>(over.direction)];
    StringRef direction = stringifyDirection(over.direction);
    if (over.operand && !llvm::is_contained(reads, *over.operand))
      return llvm::createStringError(
          "reads must name an operand of its direction, but " + direction +
          " reads " + stringifyOperandKind(reads[0]) + " and " +
          stringifyOperandKind(reads[1]) + ", not " +
          stringifyOperandKind(*over.operand));
    for (const ReadsOverride &other : overrides.take_front(index))
      if (other.direction == over.direction && other.operand == over.operand)
        return llvm::createStringError(
            "reads must name a direction or an operand once, but got " +
            direction +
            (over.operand ? "." + stringifyOperandKind(*over.operand)
                          : Twine()) +
            " twice");
  }
  return Error::success();
}

/// The FP8 format of gradients, where they have one.
static Error applyGradientFormat(const RecipeOptions &options, Recipe &recipe) {
  if (!options.gradientFormat)
    return Error::success();
  bool isFound = false;
  for (Direction direction : {Direction::Dgrad, Direction::Wgrad}) {
    DirectionRecipe &own = recipe.directions[static_cast<unsigned>(direction)];
    unsigned gradient = static_cast<unsigned>(Kind::Gradient);
    if (!isFp8(own.operands[gradient].format))
      continue;
    isFound = true;
    if (options.gradientFormat == GradientFormat::Measured)
      continue;
    own.operands[gradient].format =
        options.gradientFormat == GradientFormat::E4M3 ? Format::E4M3
                                                       : Format::E5M2;
    own.dtypes[gradient] = std::nullopt;
    own.overriddenBy = "'gradient-format' says so";
  }
  // gradient_format_c2
  for (const ReadsOverride &over : options.reads)
    if (over.operand == Kind::Gradient)
      return llvm::createStringError(
          "gradient-format must decide alone what gradients are read in, but "
          "got reads=" +
          stringifyDirection(over.direction) + ".gradient, too");
  // gradient_format_c1
  if (!isFound)
    return llvm::createStringError("gradient-format must have gradients that "
                                   "are read in FP8, but recipe " +
                                   recipe.name + " reads none");
  return Error::success();
}

Error prec::applyReads(const RecipeOptions &options, Recipe &recipe) {
  if (Error error = checkPlaces(options.reads))
    return error;
  // What names an operand stands above what names its whole direction, in any
  // order.
  std::vector<ReadsOverride> ordered = options.reads;
  llvm::stable_sort(ordered,
                    [](const ReadsOverride &a, const ReadsOverride &b) {
                      return !a.operand && b.operand;
                    });
  for (const ReadsOverride &over : ordered) {
    unsigned direction = static_cast<unsigned>(over.direction);
    recipe.directions[direction].overriddenBy = "'reads' says so";
    for (Kind kind : kReads[direction])
      if (!over.operand || *over.operand == kind) {
        unsigned operand = static_cast<unsigned>(kind);
        recipe.directions[direction].operands[operand] = over.use;
        recipe.directions[direction].dtypes[operand] = std::nullopt;
      }
  }
  if (Error error = applyGradientFormat(options, recipe))
    return error;
  DirectionRecipe *directions = recipe.directions.data();
  for (unsigned direction = 0; direction < 3; ++direction) {
    if (options.tensorScaling)
      for (UseFormat &use : directions[direction].operands)
        if (isTensorScaling(use.scaling))
          use.scaling = *options.tensorScaling;
    settleAccumulator(directions[direction], kReads[direction],
                      static_cast<Direction>(direction));
  }
  // An activation that no direction lists is one in a backward of two
  // activations.
  directions[0].operands[2] = directions[0].operands[0];
  directions[1].operands[0] = directions[1].operands[1];
  directions[2].operands[1] = directions[2].operands[0];
  return Error::success();
}
