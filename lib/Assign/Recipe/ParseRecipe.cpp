//===- ParseRecipe.cpp - reads recipes ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/ParseRecipe.h"

#include "Assign/Recipe/RecipeParts.h"

using namespace mlir;
using namespace prec;
using llvm::Expected;

Expected<Recipe> prec::parseRecipe(StringRef text, StringRef fileName,
                                   const RecipeOptions &options) {
  return readJson<Recipe>(text, fileName,
                          [&](const JsonValue &json, Recipe &recipe) {
                            return readRecipe(fileName, options, json, recipe);
                          });
}
