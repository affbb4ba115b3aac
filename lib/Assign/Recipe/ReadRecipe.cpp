//===- ReadRecipe.cpp - a recipe file, part by part -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Recipe/RecipeParts.h"
#include "prec/Assign/Decision.h"

using namespace mlir;
using namespace prec;
using llvm::Error;

static Error readStorage(FormatReader &reader, const JsonValue &json,
                         Recipe &recipe) {
  SmallVector<StringRef> kinds;
  for (unsigned kind = 0; kind < kNumStorageKinds; ++kind)
    kinds.push_back(stringifyStorageKind(static_cast<StorageKind>(kind)));
  if (Error error = reader.checkObject(json, kinds))
    return error;
  for (unsigned kind = 0; kind < kNumStorageKinds; ++kind) {
    const JsonValue &entry = *json.find(kinds[kind]);
    if (Error error =
            reader.checkObject(entry, {"format", "reason"}, {"reference"}))
      return error;
    auto storageKind = static_cast<StorageKind>(kind);
    FormatPlace place = storageKind == StorageKind::Master ? FormatPlace::Master
                        : isAlwaysF32(storageKind) ? FormatPlace::Exact
                                                   : FormatPlace::Storage;
    if (Error error = reader.readFormat(*entry.find("format"), place,
                                        recipe.storage[kind].format))
      return error;
    if (Error error = reader.readReason(entry, recipe.storage[kind]))
      return error;
    recipe.storage[kind].dtype = symbolizeDtype(entry.find("format")->text);
    if (std::string why = reader.findOverride(*entry.find("format"));
        !why.empty()) {
      recipe.storage[kind].reason = why;
      recipe.storage[kind].reference.clear();
    }
  }
  return Error::success();
}

Error prec::readRecipe(StringRef fileName, const RecipeOptions &options,
                       const JsonValue &json, Recipe &recipe) {
  FormatReader reader(fileName, options);
  if (Error error = reader.checkObject(
          json,
          {"recipe", "description", "contraction", "storage", "keep_high"},
          {"dtypes", "layers", "amax", "loss_scaling", "master_rounding",
           "microscaling", "moments"}))
    return error;
  if (Error error =
          reader.readText(*json.find("recipe"), "recipe", recipe.name))
    return error;
  if (Error error = reader.readText(*json.find("description"), "description",
                                    recipe.description))
    return error;
  if (Error error = reader.readDtypes(json.find("dtypes"), recipe))
    return error;
  if (Error error = readContraction(reader, *json.find("contraction"), recipe))
    return error;
  if (Error error =
          reader.readOrRefer(*json.find("storage"), "storage",
                             [&](FormatReader &part, const JsonValue &at) {
                               return readStorage(part, at, recipe);
                             }))
    return error;
  if (Error error =
          reader.readOrRefer(*json.find("keep_high"), "keep_high",
                             [&](FormatReader &part, const JsonValue &at) {
                               return readKeepHigh(part, at, recipe);
                             }))
    return error;
  if (Error error = readLayers(reader, json.find("layers"), recipe))
    return error;
  if (Error error = readAmax(reader, json.find("amax"), recipe))
    return error;
  if (Error error = readLossScaling(reader, json.find("loss_scaling"), recipe))
    return error;
  if (Error error =
          readMasterRounding(reader, json.find("master_rounding"), recipe))
    return error;
  if (Error error = readMicroscaling(reader, json.find("microscaling"), recipe))
    return error;
  if (Error error = readMoments(reader, json.find("moments"), recipe))
    return error;
  return applyOptions(reader, recipe);
}
