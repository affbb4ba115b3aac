//===- BuiltinRecipes.cpp - the recipes of recipes/, in the binary --------===//
#include "prec/Assign/Recipe.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::prec;

namespace {
struct BuiltinRecipe {
  StringRef name, text;
};
} // namespace

static constexpr BuiltinRecipe kRecipes[] = {
#include "prec/Assign/BuiltinRecipes.inc"
};

StringRef prec::findBuiltinRecipe(StringRef name) {
  for (const BuiltinRecipe &recipe : kRecipes)
    if (recipe.name == name)
      return recipe.text;
  return {};
}

std::string prec::getBuiltinRecipeNames() {
  return llvm::join(llvm::map_range(kRecipes,
                                    [](const BuiltinRecipe &recipe) {
                                      return "'" + recipe.name.str() + "'";
                                    }),
                    ", ");
}
