//===- RecipeParts.h - the parts of a recipe file ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_RECIPE_RECIPEPARTS_H
#define PREC_LIB_ASSIGN_RECIPE_RECIPEPARTS_H

#include "Assign/Recipe/FormatReader.h"

namespace prec {

/// A whole file, with the options that overrule it.
llvm::Error readRecipe(llvm::StringRef fileName, const RecipeOptions &options,
                       const JsonValue &json, Recipe &recipe);

llvm::Error readContraction(FormatReader &reader, const JsonValue &json,
                            Recipe &recipe);
llvm::Error readKeepHigh(FormatReader &reader, const JsonValue &json,
                         Recipe &recipe);

/// Parts that a recipe may leave out: null keeps the defaults.
llvm::Error readLayers(const JsonReader &reader, const JsonValue *json,
                       Recipe &recipe);
llvm::Error readAmax(const JsonReader &reader, const JsonValue *json,
                     Recipe &recipe);
llvm::Error readLossScaling(const JsonReader &reader, const JsonValue *json,
                            Recipe &recipe);
llvm::Error readMasterRounding(const JsonReader &reader, const JsonValue *json,
                               Recipe &recipe);
llvm::Error readMicroscaling(const JsonReader &reader, const JsonValue *json,
                             Recipe &recipe);
llvm::Error readMoments(const JsonReader &reader, const JsonValue *json,
                        Recipe &recipe);

/// What contractions read, as the options say; accumulators follow.
llvm::Error applyReads(const RecipeOptions &options, Recipe &recipe);
/// What the user changes, after the file is read by `reader`.
llvm::Error applyOptions(const FormatReader &reader, Recipe &recipe);

} // namespace prec

#endif // PREC_LIB_ASSIGN_RECIPE_RECIPEPARTS_H
