//===- RecipeReader.h - the parts of a recipe file --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_RECIPE_RECIPEREADER_H
#define PREC_LIB_ASSIGN_RECIPE_RECIPEREADER_H

#include "prec/Assign/Recipe.h"
#include "prec/Support/JsonReader.h"

namespace prec {

/// Reads a recipe's parts, with dtypes looked up as soon as they are known.
class RecipeReader : public JsonReader {
public:
  RecipeReader(llvm::StringRef fileName, const RecipeOptions &options)
      : JsonReader(fileName), options(options) {}

  llvm::Error read(const JsonValue &json, Recipe &recipe);

private:
  /// Where a format stands, which decides what a dtype means there.
  enum class Place { Use, Storage, Master, Exact };

  llvm::Error readDtypes(const JsonValue *json, Recipe &recipe);
  llvm::Error readFormat(const JsonValue &json, Place place, Format &format);
  /// "master_dtype=bf16, where the recipe has fp32": why a format is not the
  /// recipe's own, if it names a dtype that the user changed; else empty.
  std::string findOverride(const JsonValue &format) const;
  llvm::Error readUse(const JsonValue &json, UseFormat &use);
  llvm::Error readDirection(const JsonValue &json, Direction direction,
                            DirectionRecipe &recipe);
  llvm::Error readContraction(const JsonValue &json, Recipe &recipe);
  llvm::Error readReason(const JsonValue &json, ReasonedFormat &result);
  llvm::Error readStorage(const JsonValue &json, Recipe &recipe);
  llvm::Error readKeepHigh(const JsonValue &json, Recipe &recipe);
  llvm::Error readRule(const JsonValue &json, Recipe &recipe);
  llvm::Error readLayers(const JsonValue *json, Recipe &recipe);
  llvm::Error readAmax(const JsonValue *json, Recipe &recipe);
  llvm::Error readLossScaling(const JsonValue *json, Recipe &recipe);
  llvm::Error readMasterRounding(const JsonValue *json, Recipe &recipe);
  llvm::Error readMicroscaling(const JsonValue *json, Recipe &recipe);
  llvm::Error readMoments(const JsonValue *json, Recipe &recipe);
  /// A part of the recipe, or the same part of the map that it names.
  llvm::Error readOrRefer(
      const JsonValue &json, llvm::StringRef key,
      llvm::function_ref<llvm::Error(RecipeReader &, const JsonValue &)> read);

  /// What the user changes, after the file is read.
  llvm::Error applyOptions(Recipe &recipe);
  llvm::Error applyReads(Recipe &recipe);
  void reportDtypes(Recipe &recipe);

  const RecipeOptions &options;
  /// With the user's changes, and as the file has them.
  Dtypes dtypes, ownDtypes;
  /// Dtypes that some format of the recipe follows.
  std::array<bool, kNumDtypes> isUsed = {};
};

} // namespace prec

#endif // PREC_LIB_ASSIGN_RECIPE_RECIPEREADER_H
