//===- Recipe.h - precision recipes, as data --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_RECIPE_H
#define PREC_ASSIGN_RECIPE_H

#include "prec/Target/Target.h"
#include "prec/Assign/RecipeOptions.h"

#include <array>
#include <optional>
#include <string>

namespace prec {

/// What a stored value is to the step.
enum class StorageKind : uint8_t {
  Activation,
  Gradient,
  WeightGradient,
  Master,
  Moment,
  Statistic
};
inline constexpr unsigned kNumStorageKinds = 6;
inline constexpr unsigned kNumClasses = getMaxEnumValForTensorClass() + 1;

llvm::StringRef stringifyStorageKind(StorageKind kind);
/// Whether a recipe must keep a kind in f32.
bool isAlwaysF32(StorageKind kind);

/// One direction of contractions: formats by OperandKind.
struct DirectionRecipe {
  std::array<UseFormat, 3> operands;
  Accumulator accumulator = Accumulator::Full;
  /// Why the formats are not the recipe's own; empty where they are.
  std::string overriddenBy;
  /// Whether the recipe names it; getDefaultAccumulator says otherwise.
  bool namesAccumulator = false;
  /// The dtypes that the formats follow, by OperandKind; none where they follow
  /// none.
  std::array<std::optional<Dtype>, 3> dtypes;
};

/// The accumulator of FP8 products where nobody names one: full for
/// microscaled operands, promoted for blocks, whose scales change every 128
/// products, and otherwise fast forward and promoted backward, as torchao and
/// Transformer Engine do.
Accumulator getDefaultAccumulator(Direction direction,
                                  const ScalingPair &scalings);

/// A format with its reason, and where that comes from (may be empty).
struct ReasonedFormat {
  Format format = Format::F32;
  std::string reason;
  std::string reference;
  /// The dtype that the format follows; none if it follows none.
  std::optional<Dtype> dtype = std::nullopt;
};

/// Aspects of a class that a keep-high rule decides: what its contractions
/// read, what its results are stored in, what a parameter of it is read in
/// (a norm's gamma), and what it computes in inside.
enum class Aspect : uint8_t { Reads, Stores, Parameter, Inside };
inline constexpr unsigned kNumAspects = 4;
llvm::StringRef stringifyAspect(Aspect aspect);

/// Whether a recipe must keep an aspect in f32: what is computed inside, losses
/// and factors of clipping.
bool isAlwaysF32(TensorClass tensorClass, Aspect aspect);

/// "reason (reference)".
std::string getReasonText(const ReasonedFormat &rule);
/// The text of a tag's rule: "class: reason (reference)".
std::string getRuleText(TensorClass tensorClass, const ReasonedFormat &rule);

/// How operands in MXFP8 and NVFP4 are made, beyond their format:
/// `#prec.microscaling` explains each field.
struct Microscaling {
  bool roundUp = false;
  bool squareWeights = false;
  bool hadamard = false;
  bool stochasticGradients = false;

  bool isDefault() const {
    return !roundUp && !squareWeights && !hadamard && !stochasticGradients;
  }
};

/// docs/Recipes.md explains each field. Formats are resolved: no dtype is left
/// to look up.
struct Recipe {
  std::string name;
  std::string description;
  Dtypes dtypes;
  std::array<DirectionRecipe, 3> directions;
  /// What contractions read where the recipe's formats are not legal.
  Format fallback = Format::F32;
  std::string contractionReason;
  std::array<ReasonedFormat, kNumStorageKinds> storage;
  std::array<std::array<std::optional<ReasonedFormat>, kNumAspects>,
             kNumClasses>
      keepHigh;
  /// Layers whose contractions read the fallback.
  int64_t skipFirstLayers = 0, skipLastLayers = 0;
  bool isHeadIn = false;
  /// Whether tokens that experts read have one scale, where it is of tensors.
  bool sharesExpertScales = false;
  /// Whether layers that read one value may become one contraction.
  bool mergesLayers = true;
  AmaxOptions amax;
  LossScaling lossScaling;
  MasterRoundingOptions masterRounding;
  Microscaling microscaling;
  MomentStorage moments = MomentStorage::F32;
  /// What of all this the user set.
  RecipeOptions given;
  /// What a user should hear of: overridden dtypes, replaced defaults.
  std::vector<std::string> warnings, remarks;

  const ReasonedFormat &getStorage(StorageKind kind) const {
    return storage[static_cast<unsigned>(kind)];
  }
  /// Null where the recipe keeps nothing high.
  const ReasonedFormat *getKeepHigh(TensorClass c, Aspect aspect) const {
    const std::optional<ReasonedFormat> &rule =
        keepHigh[static_cast<unsigned>(c)][static_cast<unsigned>(aspect)];
    // Similarities are logits, where a recipe says nothing else of them.
    if (!rule && c == TensorClass::Contrastive)
      return getKeepHigh(TensorClass::Head, aspect);
    return rule ? &*rule : nullptr;
  }
  const UseFormat &getUse(Direction direction, OperandKind kind) const {
    return directions[static_cast<unsigned>(direction)]
        .operands[static_cast<unsigned>(kind)];
  }
  bool isSkipped(uint32_t layer, const Classification &facts) const {
    return layer < skipFirstLayers ||
           int64_t(layer) >= int64_t(facts.numLayers) - skipLastLayers;
  }
};

/// The text of a built-in recipe (recipes/NAME.json); empty for other names.
llvm::StringRef findBuiltinRecipe(llvm::StringRef name);
std::string getBuiltinRecipeNames();
std::vector<llvm::StringRef> listBuiltinRecipes();
/// The text of a built-in map (recipes/maps/NAME.json); empty for other names.
llvm::StringRef findBuiltinMap(llvm::StringRef name);
std::string getBuiltinMapNames();

} // namespace prec

#endif // PREC_ASSIGN_RECIPE_H
