//===- Legality.cpp - what a target can contract --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Target/Legality.h"

#include "prec/Dialect/Prec/PaddedSize.h"
#include "prec/Target/TargetRegistry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace prec;
using llvm::Twine;

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
  llvm::copy_if(target.getRegistry().list(), std::back_inserter(others),
                [&](const Target *other) { return other->find(dispatch); });
  Format narrow = getNarrower(dispatch);
  // The order of targets is that of their age.
  if (!others.empty() && isNarrow(narrow) && !target.hasFormat(narrow))
    return (target.getName() + " has no " + getUnitName(narrow) +
            " matrix units (they begin with " + others.front()->getName() + ")")
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
  return (target.getName() + " has no " + product + " product (" +
          llvm::join(
              llvm::map_range(
                  others, [](const Target *other) { return other->getName(); }),
              " and ") +
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
              Twine(multiple) + ", as " + unit + " on " + target.getName() +
              " needs")
          .str();
  return std::nullopt;
}

ContractionShape prec::getPaddedShape(ContractionShape shape,
                                      const Dispatch &dispatch) {
  if (!isFp8(dispatch.lhs) || !isFp8(dispatch.rhs) ||
      !llvm::all_of(dispatch.scalings, isTensorScaling))
    return shape;
  ContractionShape padded = shape;
  unsigned changed = 0;
  for (int64_t ContractionShape::*size :
       {&ContractionShape::m, &ContractionShape::n, &ContractionShape::k}) {
    padded.*size = getPaddedSize(shape.*size);
    changed += padded.*size != shape.*size;
  }
  return changed == 1 ? padded : shape;
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
  if (llvm::none_of(target.getRegistry().list(), hasResult))
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
      return (target.getName() + " keeps no full FP32 sum of FP8 products")
          .str();
    return ("products with " + stringifyScaling(dispatch.scalings[0]) +
            " scaling have a " +
            stringifyAccumulator(row.accumulators.front()) +
            " accumulator, not a " +
            stringifyAccumulator(dispatch.accumulator) + " one")
        .str();
  }
  return findShapeProblem(target, row, shape);
}
