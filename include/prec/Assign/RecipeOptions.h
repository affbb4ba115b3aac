//===- RecipeOptions.h - what a user changes of a recipe --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_RECIPEOPTIONS_H
#define PREC_ASSIGN_RECIPEOPTIONS_H

#include "prec/Assign/Classification.h"
#include "prec/Assign/Dtypes.h"

namespace prec {

/// What an operand of a contraction is to the step.
enum class OperandKind : uint8_t { Activation, Weight, Gradient };
llvm::StringRef stringifyOperandKind(OperandKind kind);

/// How contractions read one kind of operand.
struct UseFormat {
  Format format = Format::F32;
  Scaling scaling = Scaling::None;
};

/// The FP8 format in which gradients are read: one, or for each the one that
/// keeps more by numerics.
enum class GradientFormat : uint8_t { E5M2, E4M3, Measured };

/// A direction, or one operand of it, in another format.
struct ReadsOverride {
  Direction direction;
  /// Both if none.
  std::optional<OperandKind> operand;
  UseFormat use;
};

/// Scales from absolute maxima:
/// `2^-margin * max_finite / max(amax, epsilon)`.
struct AmaxOptions {
  /// Steps that delayed scaling remembers.
  int64_t history = kDefaultAmaxHistory;
  AmaxAlgorithm algorithm = kDefaultAmaxAlgorithm;
  int64_t margin = kDefaultAmaxMargin;
  bool powerOfTwo = false;
  /// By OperandKind.
  std::array<double, 3> epsilon = {kDefaultAmaxEpsilon, kDefaultAmaxEpsilon,
                                   kDefaultAmaxEpsilon};

  bool operator==(const AmaxOptions &other) const;
};

struct LossScaling {
  LossScalingMode mode = LossScalingMode::None;
  /// A power of two; where dynamic scaling starts.
  int64_t scale = 65536;
  /// Good steps in a row before dynamic scaling grows the scale.
  int64_t interval = 2000;
  /// Powers of two that a dynamic scale is multiplied by: after `interval` good
  /// steps, and after a step that was not finite.
  double growth = 2, backoff = 0.5;
};

/// How updated masters narrower than f32 are rounded.
struct MasterRoundingOptions {
  MasterRounding mode = MasterRounding::Nearest;
  /// Of precision-aware rounding: norms that are tried, and the relative error
  /// of one that is good enough.
  int64_t iterations = 16;
  double tolerance = 1e-2;
};

/// What a user sets beside the recipe; unset fields leave the recipe's.
struct RecipeOptions {
  Dtypes dtypes;
  /// The recipe was not named: all defaults are those of the dtypes, the
  /// master's too.
  bool isDtypeOnly = false;
  std::vector<ReadsOverride> reads;
  std::optional<GradientFormat> gradientFormat;
  /// Delayed or current scaling, where the recipe scales by tensor.
  std::optional<Scaling> tensorScaling;
  /// Experts read tokens by one scale of all tokens, where the recipe scales by
  /// tensor, and else each by that of its rows.
  std::optional<bool> sharesExpertScales;
  std::optional<int64_t> skipFirstLayers, skipLastLayers;
  /// The head's contractions read what others of their direction do.
  std::optional<bool> isHeadIn;
  std::optional<int64_t> amaxHistory, amaxMargin;
  std::optional<AmaxAlgorithm> amaxAlgorithm;
  std::array<std::optional<double>, 3> amaxEpsilon;
  std::optional<bool> powerOfTwoScales;
  std::optional<LossScaling> lossScaling;
  std::optional<MasterRounding> masterRounding;
  std::optional<int64_t> roundingIterations;
  std::optional<double> roundingTolerance;
  std::optional<MomentStorage> moments;
};

/// Reads the value of one option into `options`; `name` is spelled as an option
/// of the pass ("skip-first-layers"). The error names rule and value. An
/// unknown name is a programming error.
llvm::Error readRecipeOption(llvm::StringRef name, llvm::StringRef value,
                             RecipeOptions &options);

/// Checks a format and a scaling that belong together; the message says what is
/// wrong, none if nothing is.
std::optional<std::string> findUseProblem(const UseFormat &use);

} // namespace prec

#endif // PREC_ASSIGN_RECIPEOPTIONS_H
