//===- FormatReader.cpp - formats of a recipe, by name or by dtype --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Recipe/FormatReader.h"
#include "prec/Assign/Decision.h"

using namespace mlir;
using namespace prec;
using llvm::Error;
using llvm::Expected;

Error FormatReader::readDtypes(const JsonValue *json, Recipe &recipe) {
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

Error FormatReader::readFormat(const JsonValue &json, FormatPlace place,
                               Format &format) {
  static constexpr Format kUse[] = {Format::F32,  Format::BF16, Format::F16,
                                    Format::E4M3, Format::E5M2, Format::E2M1};
  static constexpr Format kMaster[] = {Format::F32, Format::BF16};
  static constexpr Format kExact[] = {Format::F32};
  ArrayRef<Format> allowed = place == FormatPlace::Use ? ArrayRef(kUse)
                             : place == FormatPlace::Storage
                                 ? ArrayRef(kStorageFormats)
                             : place == FormatPlace::Master ? ArrayRef(kMaster)
                                                            : ArrayRef(kExact);
  SmallVector<StringRef> names;
  for (Format each : allowed)
    names.push_back(stringifyFormat(each));
  // "fp32", say, is a dtype's name of a format, not ours.
  SmallVector<Dtype> dtypesHere;
  if (place == FormatPlace::Master)
    dtypesHere = {Dtype::Master};
  else if (place != FormatPlace::Exact)
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
  used[static_cast<unsigned>(dtype)] = true;
  format = dtypes.get(dtype);
  // FP8 belongs to uses: what it leaves behind is stored in BF16, the result of
  // a product with E5M2.
  if (place == FormatPlace::Storage && isNarrow(format))
    format = Format::BF16;
  return Error::success();
}

std::string FormatReader::findOverride(const JsonValue &format) const {
  std::optional<Dtype> dtype = symbolizeDtype(format.text);
  if (!dtype || dtypes.get(*dtype) == ownDtypes.get(*dtype))
    return "";
  return (stringifyDtype(*dtype) + "=" +
          stringifyDtypeFormat(dtypes.get(*dtype)) + ", where the recipe has " +
          stringifyDtypeFormat(ownDtypes.get(*dtype)))
      .str();
}

Error FormatReader::readReason(const JsonValue &json, ReasonedFormat &result) {
  if (Error error = readText(*json.find("reason"), "reason", result.reason))
    return error;
  const JsonValue *reference = json.find("reference");
  return reference ? readText(*reference, "reference", result.reference)
                   : Error::success();
}

Error FormatReader::readOrRefer(
    const JsonValue &json, StringRef key,
    llvm::function_ref<Error(FormatReader &, const JsonValue &)> read) {
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
  FormatReader reader(name, options);
  reader.dtypes = dtypes;
  reader.ownDtypes = ownDtypes;
  if (Error error =
          reader.checkObject(*map, {"map", "description", "storage", "rules"}))
    return error;
  Error error =
      read(reader, *map->find(key == "keep_high" ? StringRef("rules") : key));
  for (unsigned i = 0; i < kNumDtypes; ++i)
    used[i] |= reader.used[i];
  return error;
}
