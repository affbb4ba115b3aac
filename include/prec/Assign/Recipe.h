//===- Recipe.h - precision recipes, as data --------------------*- C++ -*-===//
#ifndef PREC_ASSIGN_RECIPE_H
#define PREC_ASSIGN_RECIPE_H

#include "prec/Assign/Classify.h"

#include "llvm/Support/Error.h"

#include <array>
#include <optional>
#include <string>

namespace mlir::prec {

/// What an operand of a contraction is to the step.
enum class OperandKind : uint8_t { Activation, Weight, Gradient };
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

llvm::StringRef stringifyOperandKind(OperandKind kind);
llvm::StringRef stringifyStorageKind(StorageKind kind);

/// How contractions read one kind of operand.
struct UseFormat {
  Format format = Format::F32;
  Scaling scaling = Scaling::None;
};

/// One direction of contractions: formats by OperandKind.
struct DirectionRecipe {
  std::array<UseFormat, 3> operands;
  Accumulator accumulator = Accumulator::Full;
};

struct StorageRecipe {
  Format format = Format::F32;
  std::string reason;
};

/// A class that is kept above what contractions and activations get.
struct KeepHigh {
  std::optional<Format> reads;
  std::optional<Format> stores;
  std::string reason;
  /// Where the rule comes from; may be empty.
  std::string reference;

  /// The text of a tag's rule.
  std::string getRule(TensorClass tensorClass) const;
};

/// docs/Recipes.md explains each field.
struct Recipe {
  std::string name;
  std::string description;
  std::array<DirectionRecipe, 3> directions;
  /// What contractions read where the recipe's formats are not legal.
  Format fallback = Format::F32;
  std::string contractionReason;
  std::array<StorageRecipe, kNumStorageKinds> storage;
  std::array<std::optional<KeepHigh>, kNumClasses> keepHigh;

  const StorageRecipe &getStorage(StorageKind kind) const {
    return storage[static_cast<unsigned>(kind)];
  }
  const std::optional<KeepHigh> &getKeepHigh(TensorClass c) const {
    return keepHigh[static_cast<unsigned>(c)];
  }
};

/// Reads a recipe. `fileName` begins every message, which has the form
/// "file:line:column: error: unknown key 'x', expected one of ...".
llvm::Expected<Recipe> parseRecipe(llvm::StringRef text,
                                   llvm::StringRef fileName);

/// The text of a built-in recipe (recipes/NAME.json); empty for other names.
llvm::StringRef findBuiltinRecipe(llvm::StringRef name);
std::string getBuiltinRecipeNames();

} // namespace mlir::prec

#endif // PREC_ASSIGN_RECIPE_H
