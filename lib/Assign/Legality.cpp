//===- Legality.cpp - what a target can contract --------------------------===//
#include "prec/Assign/Legality.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace mlir::prec;
using llvm::Twine;

/// The CPU computes what the GPU would, so it shares the limits of sm_90a: one
/// graph is assigned alike for both and can be compared.
static constexpr Target kTargets[] = {
    {"sm_80", "sm_80 has no FP8 matrix units (they begin with sm_89)", 0},
    {"sm_89", "", 16},
    {"sm_90a", "", 16},
    {"cpu", "", 16},
};

const Target *prec::findTarget(StringRef name) {
  for (const Target &target : kTargets)
    if (target.name == name)
      return &target;
  return nullptr;
}

std::string prec::getTargetNames() {
  return llvm::join(llvm::map_range(kTargets,
                                    [](const Target &target) {
                                      return "'" + target.name.str() + "'";
                                    }),
                    ", ");
}

/// Supported matrix products (seed 000), e4m3 before e5m2.
static constexpr Dispatch kDispatches[] = {
    {Format::F32, Format::F32, Format::F32},
    {Format::BF16, Format::BF16, Format::F32},
    {Format::BF16, Format::BF16, Format::BF16},
    {Format::E4M3, Format::E4M3, Format::F32},
    {Format::E4M3, Format::E4M3, Format::BF16},
    {Format::E4M3, Format::E5M2, Format::BF16},
};

static bool isFp8(Format format) {
  return format == Format::E4M3 || format == Format::E5M2;
}

std::optional<std::string> prec::findIllegality(const Target &target,
                                                ContractionShape shape,
                                                Dispatch dispatch) {
  if (dispatch.lhs == Format::E5M2)
    std::swap(dispatch.lhs, dispatch.rhs);
  bool inTable = llvm::any_of(kDispatches, [&](const Dispatch &row) {
    return row.lhs == dispatch.lhs && row.rhs == dispatch.rhs &&
           row.result == dispatch.result;
  });
  if (!inTable)
    return ("there is no " + stringifyFormat(dispatch.lhs) + " x " +
            stringifyFormat(dispatch.rhs) + " -> " +
            stringifyFormat(dispatch.result) + " product")
        .str();
  if (!isFp8(dispatch.lhs)) {
    if (dispatch.accumulator != Accumulator::Full)
      return ("only fp8 products have a " +
              stringifyAccumulator(dispatch.accumulator) + " accumulator")
          .str();
    return std::nullopt;
  }
  if (!target.fp8Missing.empty())
    return target.fp8Missing.str();
  if (shape.m == 0 && shape.n == 0 && shape.k == 0 && shape.batch == 0)
    return std::string("FP8 has matrix products only");
  if (shape.m <= 0 || shape.n <= 0 || shape.k <= 0 || shape.batch <= 0)
    return std::string("FP8 needs positive sizes known at compile time");
  if (shape.batch != 1)
    return ("FP8 has no batched product (batch " + Twine(shape.batch) + ")")
        .str();
  const std::pair<char, int64_t> sizes[] = {
      {'M', shape.m}, {'N', shape.n}, {'K', shape.k}};
  for (auto [name, size] : sizes)
    if (size % target.fp8Multiple != 0)
      return (Twine(name) + " = " + Twine(size) + " is not a multiple of " +
              Twine(target.fp8Multiple) + ", as FP8 on " + target.name +
              " needs")
          .str();
  return std::nullopt;
}
