//===- RecipeReader.cpp - reads the parts of a recipe ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Recipe/RecipeReader.h"
#include "prec/Assign/Decision.h"

using namespace mlir;
using namespace prec;
using llvm::Error;
using llvm::Expected;

Error RecipeReader::readDtypes(const JsonValue *json, Recipe &recipe) {
  Dtypes own;
  if (json) {
    SmallVector<StringRef> names;
    for (unsigned i = 0; i < kNumDtypes; ++i)
      names.push_back(stringifyDtype(static_cast<Dtype>(i)));
    if (Error error = checkObject(*json, {}, names))
      return error;
    for (const JsonValue::Member &member : json->members) {
      Dtype dtype = *symbolizeDtype(member.key);
      std::string text;
      if (Error error = readText(member.value, member.key, text))
        return error;
      Expected<Format> format = parseDtype(dtype, text);
      if (!format)
        return fail(member.value.position, llvm::toString(format.takeError()));
      own[dtype] = *format;
    }
  }
  ownDtypes = own;
  // Without a named recipe the dtypes' own defaults hold.
  dtypes =
      options.isDtypeOnly ? options.dtypes : own.overriddenBy(options.dtypes);
  for (unsigned i = 0; i < kNumDtypes; ++i)
    recipe.dtypes[static_cast<Dtype>(i)] = dtypes.get(static_cast<Dtype>(i));
  return Error::success();
}

Error RecipeReader::readFormat(const JsonValue &json, Place place,
                               Format &format) {
  static constexpr Format kUse[] = {Format::F32,  Format::BF16, Format::F16,
                                    Format::E4M3, Format::E5M2, Format::E2M1};
  static constexpr Format kMaster[] = {Format::F32, Format::BF16};
  static constexpr Format kExact[] = {Format::F32};
  ArrayRef<Format> allowed = place == Place::Use ? ArrayRef(kUse)
                             : place == Place::Storage
                                 ? ArrayRef(kStorageFormats)
                             : place == Place::Master ? ArrayRef(kMaster)
                                                      : ArrayRef(kExact);
  SmallVector<StringRef> names;
  for (Format each : allowed)
    names.push_back(stringifyFormat(each));
  // "fp32", say, is a dtype's name of a format, not ours.
  SmallVector<Dtype> dtypesHere;
  if (place == Place::Master)
    dtypesHere = {Dtype::Master};
  else if (place != Place::Exact)
    dtypesHere = {Dtype::Model, Dtype::Matmul, Dtype::Gradient};
  for (Dtype dtype : dtypesHere)
    names.push_back(stringifyDtype(dtype));
  unsigned index = 0;
  if (Error error = readName(json, "format", names, index))
    return error;
  if (index < allowed.size()) {
    format = allowed[index];
    return Error::success();
  }
  Dtype dtype = dtypesHere[index - allowed.size()];
  isUsed[static_cast<unsigned>(dtype)] = true;
  format = dtypes.get(dtype);
  // FP8 belongs to uses: what it leaves behind is stored in BF16, the result of
  // a product with E5M2.
  if (place == Place::Storage && isNarrow(format))
    format = Format::BF16;
  return Error::success();
}

std::string RecipeReader::findOverride(const JsonValue &format) const {
  std::optional<Dtype> dtype = symbolizeDtype(format.text);
  if (!dtype || dtypes.get(*dtype) == ownDtypes.get(*dtype))
    return "";
  return (stringifyDtype(*dtype) + "=" +
          stringifyDtypeFormat(dtypes.get(*dtype)) + ", where the recipe has " +
          stringifyDtypeFormat(ownDtypes.get(*dtype)))
      .str();
}

Error RecipeReader::readReason(const JsonValue &json, ReasonedFormat &result) {
  if (Error error = readText(*json.find("reason"), "reason", result.reason))
    return error;
  const JsonValue *reference = json.find("reference");
  return reference ? readText(*reference, "reference", result.reference)
                   : Error::success();
}

Error RecipeReader::readOrRefer(
    const JsonValue &json, StringRef key,
    llvm::function_ref<Error(RecipeReader &, const JsonValue &)> read) {
  if (json.kind != JsonValue::Kind::String)
    return read(*this, json);
  StringRef text = findBuiltinMap(json.text);
  if (text.empty())
    return fail(json.position, key + " must be given here or name one of " +
                                   getBuiltinMapNames() + ", but got '" +
                                   json.text + "'");
  std::string name = json.text + ".json";
  Expected<JsonValue> map = parseJson(text, name);
  if (!map)
    return map.takeError();
  RecipeReader reader(name, options);
  reader.dtypes = dtypes;
  reader.ownDtypes = ownDtypes;
  if (Error error =
          reader.checkObject(*map, {"map", "description", "storage", "rules"}))
    return error;
  Error error =
      read(reader, *map->find(key == "keep_high" ? StringRef("rules") : key));
  for (unsigned i = 0; i < kNumDtypes; ++i)
    isUsed[i] |= reader.isUsed[i];
  return error;
}

Error RecipeReader::readStorage(const JsonValue &json, Recipe &recipe) {
  SmallVector<StringRef> kinds;
  for (unsigned kind = 0; kind < kNumStorageKinds; ++kind)
    kinds.push_back(stringifyStorageKind(static_cast<StorageKind>(kind)));
  if (Error error = checkObject(json, kinds))
    return error;
  for (unsigned kind = 0; kind < kNumStorageKinds; ++kind) {
    const JsonValue &entry = *json.find(kinds[kind]);
    if (Error error = checkObject(entry, {"format", "reason"}, {"reference"}))
      return error;
    auto storageKind = static_cast<StorageKind>(kind);
    Place place = storageKind == StorageKind::Master ? Place::Master
                  : isAlwaysF32(storageKind)         ? Place::Exact
                                                     : Place::Storage;
    if (Error error = readFormat(*entry.find("format"), place,
                                 recipe.storage[kind].format))
      return error;
    if (Error error = readReason(entry, recipe.storage[kind]))
      return error;
    recipe.storage[kind].dtype = symbolizeDtype(entry.find("format")->text);
    if (std::string why = findOverride(*entry.find("format")); !why.empty()) {
      recipe.storage[kind].reason = why;
      recipe.storage[kind].reference.clear();
    }
  }
  return Error::success();
}

Error RecipeReader::read(const JsonValue &json, Recipe &recipe) {
  if (Error error = checkObject(
          json,
          {"recipe", "description", "contraction", "storage", "keep_high"},
          {"dtypes", "layers", "amax", "loss_scaling", "master_rounding",
           "microscaling", "moments"}))
    return error;
  if (Error error = readText(*json.find("recipe"), "recipe", recipe.name))
    return error;
  if (Error error = readText(*json.find("description"), "description",
                             recipe.description))
    return error;
  if (Error error = readDtypes(json.find("dtypes"), recipe))
    return error;
  if (Error error = readContraction(*json.find("contraction"), recipe))
    return error;
  if (Error error = readOrRefer(*json.find("storage"), "storage",
                                [&](RecipeReader &reader, const JsonValue &at) {
                                  return reader.readStorage(at, recipe);
                                }))
    return error;
  if (Error error = readOrRefer(*json.find("keep_high"), "keep_high",
                                [&](RecipeReader &reader, const JsonValue &at) {
                                  return reader.readKeepHigh(at, recipe);
                                }))
    return error;
  if (Error error = readLayers(json.find("layers"), recipe))
    return error;
  if (Error error = readAmax(json.find("amax"), recipe))
    return error;
  if (Error error = readLossScaling(json.find("loss_scaling"), recipe))
    return error;
  if (Error error = readMasterRounding(json.find("master_rounding"), recipe))
    return error;
  if (Error error = readMicroscaling(json.find("microscaling"), recipe))
    return error;
  if (Error error = readMoments(json.find("moments"), recipe))
    return error;
  return applyOptions(recipe);
}
