//===- Legality.cpp - what a target can contract --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Legality.h"

#include "Assign/Targets/Targets.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace prec;
using llvm::Twine;

ArrayRef<const Target *> prec::getTargets() {
  static constexpr const Target *kTargets[] = {
      &targets::kSm80, &targets::kSm89, &targets::kSm90a, &targets::kSm100a,
      &targets::kCpu};
  return kTargets;
}

const Target *prec::findTarget(StringRef name) {
  for (const Target *target : getTargets())
    if (target->name == name)
      return target;
  return nullptr;
}

static std::string joinNames(ArrayRef<const Target *> targets, StringRef quote,
                             StringRef separator) {
  return llvm::join(
      llvm::map_range(targets,
                      [&](const Target *target) {
                        return (quote + target->name + quote).str();
                      }),
      separator);
}

std::string prec::getTargetNames() {
  return joinNames(getTargets(), "'", ", ");
}

/// Whether a row multiplies these operands, in either order.
static bool multiplies(const Product &row, const Dispatch &dispatch) {
  auto matches = [&](unsigned first) {
    Format lhs = first == 0 ? dispatch.lhs : dispatch.rhs;
    Format rhs = first == 0 ? dispatch.rhs : dispatch.lhs;
    ScalingPair scalings = {dispatch.scalings[first],
                            dispatch.scalings[1 - first]};
    bool asksScaling = dispatch.scalings[0] != Scaling::None ||
                       dispatch.scalings[1] != Scaling::None;
    return row.lhs == lhs && row.rhs == rhs &&
           (!asksScaling || llvm::is_contained(row.scalings, scalings));
  };
  return matches(0) || matches(1);
}

const Product *Target::find(const Dispatch &dispatch) const {
  for (ArrayRef<Product> group : products)
    for (const Product &row : group)
      if (multiplies(row, dispatch))
        return &row;
  return nullptr;
}

bool Target::hasFormat(Format format) const {
  return llvm::any_of(products, [&](ArrayRef<Product> group) {
    return llvm::any_of(group, [&](const Product &row) {
      return row.lhs == format || row.rhs == format;
    });
  });
}

bool Target::hasGpu(StringRef name) const {
  SmallVector<StringRef> words;
  llvm::SplitString(name, words, " -_/(),");
  return llvm::any_of(words, [&](StringRef word) {
    return llvm::any_of(
        gpus, [&](StringRef gpu) { return word.equals_insensitive(gpu); });
  });
}

std::optional<Fp8Accumulator> Target::findAccumulator(Accumulator mode) const {
  std::optional<Fp8Accumulator> found = fp8Accumulator;
  // What keeps FP32 sums promotes nothing.
  constexpr int kFloatBits = 23;
  if (found && mode == Accumulator::Promoted &&
      found->fractionBits < kFloatBits)
    found->promotion = kPromotionInterval;
  return found;
}

Accumulator Target::settleAccumulator(const Dispatch &dispatch) const {
  const Product *row = find(dispatch);
  bool isPromoted =
      row && dispatch.accumulator == Accumulator::Full &&
      !llvm::is_contained(row->accumulators, Accumulator::Full) &&
      llvm::is_contained(row->accumulators, Accumulator::Promoted);
  return isPromoted ? Accumulator::Promoted : dispatch.accumulator;
}

/// "fp8", "fp4" or the format itself: how people call matrix units.
static StringRef getUnitName(Format format) {
  return isFp8(format) ? "FP8" : format == Format::E2M1 ? "FP4" : "such";
}

static Format getNarrower(const Dispatch &dispatch) {
  return std::max(dispatch.lhs, dispatch.rhs);
}

std::optional<std::string> prec::findMissing(const Target &target,
                                             Dispatch dispatch) {
  if (target.find(dispatch))
    return std::nullopt;
  SmallVector<const Target *> others;
  llvm::copy_if(getTargets(), std::back_inserter(others),
                [&](const Target *other) { return other->find(dispatch); });
  Format narrow = getNarrower(dispatch);
  // The order of targets is that of their age.
  if (!others.empty() && isNarrow(narrow) && !target.hasFormat(narrow))
    return (target.name + " has no " + getUnitName(narrow) +
            " matrix units (they begin with " + others.front()->name + ")")
        .str();
  std::string product =
      (stringifyFormat(dispatch.lhs) + " x " + stringifyFormat(dispatch.rhs))
          .str();
  if (dispatch.scalings[0] != Scaling::None)
    product += (" (" + stringifyScaling(dispatch.scalings[0]) + " x " +
                stringifyScaling(dispatch.scalings[1]) + ")")
                   .str();
  if (others.empty())
    return "there is no " + product + " product";
  return (target.name + " has no " + product + " product (" +
          joinNames(others, "", " and ") +
          (others.size() == 1 ? " has)" : " have)"))
      .str();
}

static std::optional<std::string> findShapeProblem(const Target &target,
                                                   const Product &row,
                                                   ContractionShape shape) {
  StringRef unit = getUnitName(getNarrower({row.lhs, row.rhs, Format::F32}));
  if (row.hasBatch)
    return std::nullopt;
  if (shape.m == 0 && shape.n == 0 && shape.k == 0 && shape.batch == 0)
    return (unit + " has matrix products only").str();
  if (shape.m <= 0 || shape.n <= 0 || shape.k <= 0 || shape.batch <= 0)
    return (unit + " needs positive sizes known at compile time").str();
  if (shape.batch != 1)
    return (unit + " has no batched product (batch " + Twine(shape.batch) + ")")
        .str();
  const std::tuple<char, int64_t, int64_t> sizes[] = {
      {'M', shape.m, row.multipleOfMN},
      {'N', shape.n, row.multipleOfMN},
      {'K', shape.k, row.multipleOfK}};
  for (auto [name, size, multiple] : sizes)
    if (size % multiple != 0)
      return (Twine(name) + " = " + Twine(size) + " is not a multiple of " +
              Twine(multiple) + ", as " + unit + " on " + target.name +
              " needs")
          .str();
  return std::nullopt;
}

std::optional<std::string> prec::findIllegality(const Target &target,
                                                ContractionShape shape,
                                                Dispatch dispatch) {
  if (dispatch.lhs == Format::E5M2) {
    std::swap(dispatch.lhs, dispatch.rhs);
    std::swap(dispatch.scalings[0], dispatch.scalings[1]);
  }
  auto hasResult = [&](const Target *any) {
    const Product *row = any->find(dispatch);
    return row && llvm::is_contained(row->results, dispatch.result);
  };
  if (llvm::none_of(getTargets(), hasResult))
    return ("there is no " + stringifyFormat(dispatch.lhs) + " x " +
            stringifyFormat(dispatch.rhs) + " -> " +
            stringifyFormat(dispatch.result) + " product")
        .str();
  if (std::optional<std::string> missing = findMissing(target, dispatch))
    return missing;
  const Product &row = *target.find(dispatch);
  if (!llvm::is_contained(row.accumulators, dispatch.accumulator)) {
    if (!isNarrow(dispatch.lhs))
      return ("only fp8 products have a " +
              stringifyAccumulator(dispatch.accumulator) + " accumulator")
          .str();
    if (dispatch.accumulator == Accumulator::Full)
      return (target.name + " keeps no full FP32 sum of FP8 products").str();
    return ("products with " + stringifyScaling(dispatch.scalings[0]) +
            " scaling have a " +
            stringifyAccumulator(row.accumulators.front()) +
            " accumulator, not a " +
            stringifyAccumulator(dispatch.accumulator) + " one")
        .str();
  }
  return findShapeProblem(target, row, shape);
}
