//===- JsonReader.cpp - checked reading of JSON values --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Support/JsonReader.h"
#include "prec/Support/Nearest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace prec;
using llvm::ArrayRef;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

std::string prec::quoteNames(ArrayRef<StringRef> names) {
  std::string text;
  for (StringRef name : names)
    text += (text.empty() ? "'" : ", '") + name.str() + "'";
  return text;
}

std::string prec::describeJson(const JsonValue &json) {
  constexpr size_t kShown = 40;
  StringRef text = json.text;
  switch (json.kind) {
  case JsonValue::Kind::Null:
    return "null";
  case JsonValue::Kind::Boolean:
    return json.boolean ? "true" : "false";
  case JsonValue::Kind::Number:
    return text.take_front(kShown).str();
  case JsonValue::Kind::String:
    return text.size() <= kShown ? "'" + json.text + "'"
                                 : std::string("a text");
  case JsonValue::Kind::Array:
    return "an array";
  case JsonValue::Kind::Object:
    return "an object";
  }
  llvm_unreachable("kind is an enumeration");
}

Error JsonReader::checkObject(const JsonValue &json,
                              ArrayRef<StringRef> required,
                              ArrayRef<StringRef> optional) const {
  if (json.kind != JsonValue::Kind::Object)
    return fail(json.position,
                "expected an object, but got " + describeJson(json));
  for (const JsonValue::Member &member : json.members) {
    StringRef key = member.key;
    if (llvm::is_contained(required, key) || llvm::is_contained(optional, key))
      continue;
    std::vector<StringRef> known(required.begin(), required.end());
    known.insert(known.end(), optional.begin(), optional.end());
    return fail(member.position, "unknown key '" + key + "', expected one of " +
                                     quoteNames(known) +
                                     describeNearest(key, known));
  }
  for (StringRef key : required)
    if (!json.find(key))
      return fail(json.position, "missing key '" + key + "'");
  return Error::success();
}

Error JsonReader::checkArray(const JsonValue &json, StringRef what) const {
  if (json.kind == JsonValue::Kind::Array)
    return Error::success();
  return fail(json.position,
              what + " must be an array, but got " + describeJson(json));
}

Error JsonReader::readText(const JsonValue &json, StringRef what,
                           std::string &text) const {
  if (json.kind != JsonValue::Kind::String)
    return fail(json.position,
                what + " must be a text, but got " + describeJson(json));
  if (StringRef(json.text).trim().empty())
    return fail(json.position, what + " must not be blank");
  if (llvm::any_of(json.text, [](unsigned char c) { return c < 0x20; }))
    return fail(json.position, what + " must be a text of one line");
  text = json.text;
  return Error::success();
}

Error JsonReader::readName(const JsonValue &json, StringRef what,
                           ArrayRef<StringRef> names, unsigned &index) const {
  if (json.kind == JsonValue::Kind::String)
    for (auto [i, name] : llvm::enumerate(names))
      if (name == json.text) {
        index = i;
        return Error::success();
      }
  std::string nearest = json.kind == JsonValue::Kind::String
                            ? describeNearest(json.text, names)
                            : std::string();
  return fail(json.position, what + " must be one of " + quoteNames(names) +
                                 ", but got " + describeJson(json) + nearest);
}

Error JsonReader::readNumber(const JsonValue &json, StringRef what,
                             double least, double most, double &number) const {
  double value = 0;
  bool isNumber = json.kind == JsonValue::Kind::Number &&
                  !StringRef(json.text).getAsDouble(value) &&
                  std::isfinite(value);
  if (isNumber && value >= least && value <= most) {
    number = value;
    return Error::success();
  }
  std::string range;
  if (std::isfinite(least) && std::isfinite(most))
    range = " from " + printNumber(least) + " to " + printNumber(most);
  else if (std::isfinite(least))
    range = " of at least " + printNumber(least);
  return fail(json.position, what + " must be a number" + range + ", but got " +
                                 describeJson(json));
}

Error JsonReader::readPositive(const JsonValue &json, StringRef what,
                               double &number) const {
  double value = 0;
  if (json.kind == JsonValue::Kind::Number &&
      !StringRef(json.text).getAsDouble(value) && std::isfinite(value) &&
      value > 0) {
    number = value;
    return Error::success();
  }
  return fail(json.position, what + " must be a number above 0, but got " +
                                 describeJson(json));
}

Error JsonReader::readInteger(const JsonValue &json, StringRef what,
                              int64_t least, int64_t most,
                              int64_t &number) const {
  int64_t value = 0;
  if (json.kind == JsonValue::Kind::Number &&
      !StringRef(json.text).getAsInteger(10, value) && value >= least &&
      value <= most) {
    number = value;
    return Error::success();
  }
  std::string range = most == INT64_MAX
                          ? llvm::formatv("of at least {0}", least).str()
                          : llvm::formatv("from {0} to {1}", least, most).str();
  return fail(json.position, what + " must be an integer " + range +
                                 ", but got " + describeJson(json));
}

Error JsonReader::readBoolean(const JsonValue &json, StringRef what,
                              bool &value) const {
  if (json.kind != JsonValue::Kind::Boolean)
    return fail(json.position,
                what + " must be true or false, but got " + describeJson(json));
  value = json.boolean;
  return Error::success();
}

Error JsonReader::readVersion(const JsonValue &json, ArrayRef<int64_t> known,
                              int64_t &version) const {
  int64_t value = 0;
  if (json.kind == JsonValue::Kind::Number &&
      !StringRef(json.text).getAsInteger(10, value) &&
      llvm::is_contained(known, value)) {
    version = value;
    return Error::success();
  }
  std::string list = llvm::join(
      llvm::map_range(known, [](int64_t v) { return Twine(v).str(); }), " or ");
  return fail(json.position,
              "version must be " + list + ", but got " + describeJson(json));
}
