//===- FormatReader.h - formats of a recipe file ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_RECIPE_FORMATREADER_H
#define PREC_LIB_ASSIGN_RECIPE_FORMATREADER_H

#include "prec/Assign/Recipe.h"
#include "prec/Support/JsonReader.h"

namespace prec {

/// Where a format stands, which decides what a dtype means there.
enum class FormatPlace { Use, Storage, Master, Exact };

/// Reads formats, and dtypes that stand for some, as soon as these are known.
class FormatReader : public JsonReader {
public:
  FormatReader(llvm::StringRef fileName, const RecipeOptions &options)
      : JsonReader(fileName), options(options) {}

  llvm::Error readDtypes(const JsonValue *json, Recipe &recipe);
  llvm::Error readFormat(const JsonValue &json, FormatPlace place,
                         Format &format);
  /// "master_dtype=bf16, where the recipe has fp32": why a format is not the
  /// recipe's own, if it names a dtype that the user changed; else empty.
  std::string findOverride(const JsonValue &format) const;
  llvm::Error readReason(const JsonValue &json, ReasonedFormat &result);
  /// A part of the recipe, or the same part of the map that it names.
  llvm::Error readOrRefer(
      const JsonValue &json, llvm::StringRef key,
      llvm::function_ref<llvm::Error(FormatReader &, const JsonValue &)> read);

  const RecipeOptions &getOptions() const { return options; }
  /// With the user's changes.
  const Dtypes &getDtypes() const { return dtypes; }
  /// Whether some format that was read follows a dtype.
  bool isUsed(Dtype dtype) const { return used[static_cast<unsigned>(dtype)]; }

private:
  const RecipeOptions &options;
  /// With the user's changes, and as the file has them.
  Dtypes dtypes, ownDtypes;
  std::array<bool, kNumDtypes> used = {};
};

} // namespace prec

#endif // PREC_LIB_ASSIGN_RECIPE_FORMATREADER_H
