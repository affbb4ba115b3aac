//===- ParseRecipe.h - reads recipes ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_ASSIGN_PARSERECIPE_H
#define PREC_ASSIGN_PARSERECIPE_H

#include "prec/Assign/Recipe.h"

#include "llvm/Support/Error.h"

namespace prec {

/// Reads a recipe and applies what the user sets. `fileName` begins every
/// message about the text, which has the form
/// "file:line:column: error: unknown key 'x', expected one of ...".
llvm::Expected<Recipe> parseRecipe(llvm::StringRef text,
                                   llvm::StringRef fileName,
                                   const RecipeOptions &options = {});

} // namespace prec

#endif // PREC_ASSIGN_PARSERECIPE_H
