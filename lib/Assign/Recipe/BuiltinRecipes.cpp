//===- BuiltinRecipes.cpp - files of recipes/, in the binary -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/Recipe.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace prec;

namespace {
struct BuiltinFile {
  StringRef name, text;
};
} // namespace

static constexpr BuiltinFile kRecipes[] = {
#include "prec/Assign/BuiltinRecipes.inc"
};
static constexpr BuiltinFile kMaps[] = {
#include "prec/Assign/BuiltinMaps.inc"
};

static StringRef findText(ArrayRef<BuiltinFile> files, StringRef name) {
  for (const BuiltinFile &file : files)
    if (file.name == name)
      return file.text;
  return {};
}

static std::string getNames(ArrayRef<BuiltinFile> files) {
  return llvm::join(llvm::map_range(files,
                                    [](const BuiltinFile &file) {
                                      return "'" + file.name.str() + "'";
                                    }),
                    ", ");
}

StringRef prec::findBuiltinRecipe(StringRef name) {
  return findText(kRecipes, name);
}
std::string prec::getBuiltinRecipeNames() { return getNames(kRecipes); }
std::vector<StringRef> prec::listBuiltinRecipes() {
  std::vector<StringRef> names;
  for (const BuiltinFile &file : kRecipes)
    names.push_back(file.name);
  return names;
}

StringRef prec::findBuiltinMap(StringRef name) { return findText(kMaps, name); }
std::string prec::getBuiltinMapNames() { return getNames(kMaps); }
