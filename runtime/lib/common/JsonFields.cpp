//===- JsonFields.cpp - checked access to a JSON object -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JsonFields.h"

#include "InputFile.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace prec::rt;
using nlohmann::json;

static const json nothing;

/// Far above all that is read.
static constexpr int64_t kMaxJson = 256 << 20;
static constexpr int kMaxDepth = 100;
static constexpr int64_t kMaxValues = 1 << 24;

Result<json> prec::rt::parseJson(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  std::string problem;
  int64_t values = 0;
  auto check = [&](int depth, json::parse_event_t event, json &parsed) {
    if (event == json::parse_event_t::object_start) {
      keys.resize(std::max<size_t>(keys.size(), depth + 1));
      keys[depth].clear();
    }
    // A tree takes a multiple of its text, and when it is taken down once more.
    if (++values > kMaxValues && problem.empty())
      problem = "must have at most " + std::to_string(kMaxValues) +
                " names and values, but got more";
    if (depth > kMaxDepth && problem.empty())
      problem = "must have at most " + std::to_string(kMaxDepth) +
                " levels, but got more";
    if (event == json::parse_event_t::key &&
        !keys[depth - 1].insert(parsed.get<std::string>()).second &&
        problem.empty())
      problem = "must have each name once in an object, but got '" +
                parsed.get<std::string>().substr(0, 200) + "' twice";
    // What follows is only scanned.
    return problem.empty();
  };
  try {
    json document = json::parse(text, check);
    if (problem.empty())
      return document;
  } catch (const json::parse_error &syntax) {
    problem = "must be valid JSON, but got a syntax error at byte " +
              std::to_string(syntax.byte);
  } catch (const json::exception &error) {
    // Such as of a number that no double holds.
    problem = std::string("must be valid JSON, but got ") + error.what();
  }
  return Status::badFile(problem);
}

Result<json> prec::rt::readJson(const std::string &path) {
  Result<std::string> text = readTextFile(path, kMaxJson);
  if (!text.ok())
    return text.status();
  Result<json> document = parseJson(*text);
  return document.ok() ? document : document.status().prefixed(path + ": ");
}

std::string prec::rt::writeJson(const nlohmann::ordered_json &document,
                                int indent) {
  return document.dump(indent, ' ', false, json::error_handler_t::replace);
}

JsonFields JsonFields::at(const char *key) {
  std::string child = place.empty() ? key : place + "." + key;
  if (!value.is_object()) {
    fail(std::string("must be an object, but got ") + value.type_name());
    return JsonFields(nothing, std::move(child), error);
  }
  auto it = value.find(key);
  if (it == value.end()) {
    fail(std::string("must have the key '") + key + "', but got none");
    return JsonFields(nothing, std::move(child), error);
  }
  return JsonFields(*it, std::move(child), error);
}

std::vector<JsonFields> JsonFields::elements() {
  std::vector<JsonFields> result;
  if (!value.is_array()) {
    fail(std::string("must be an array, but got ") + value.type_name());
    return result;
  }
  result.reserve(value.size());
  for (size_t i = 0; i < value.size(); ++i)
    result.emplace_back(value[i], place + "[" + std::to_string(i) + "]", error);
  return result;
}

std::vector<std::string> JsonFields::keys() {
  std::vector<std::string> result;
  if (!value.is_object())
    fail(std::string("must be an object, but got ") + value.type_name());
  else
    for (auto it = value.begin(); it != value.end(); ++it)
      result.push_back(it.key());
  return result;
}

void JsonFields::expectKeys(const std::vector<std::string_view> &known) {
  if (!value.is_object())
    return;
  for (auto it = value.begin(); it != value.end(); ++it)
    if (std::find(known.begin(), known.end(), it.key()) == known.end())
      fail("must have known keys only, but got '" + it.key().substr(0, 200) +
           "'");
}

int64_t JsonFields::asInt(int64_t min, int64_t max) {
  bool tooLarge =
      value.is_number_unsigned() &&
      value.get<uint64_t>() >
          static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (!value.is_number_integer() || tooLarge) {
    fail("must be an integer, but got " +
         (value.is_number() ? value.dump() : value.type_name()));
    return min;
  }
  int64_t number = value.get<int64_t>();
  if (number < min || number > max) {
    fail("must lie in [" + std::to_string(min) + ", " + std::to_string(max) +
         "], but got " + std::to_string(number));
    return min;
  }
  return number;
}

double JsonFields::asNumber() {
  if (!value.is_number() || !std::isfinite(value.get<double>())) {
    fail(std::string("must be a finite number, but got ") + value.type_name());
    return 0;
  }
  return value.get<double>();
}

bool JsonFields::asBool() {
  if (!value.is_boolean()) {
    fail(std::string("must be true or false, but got ") + value.type_name());
    return false;
  }
  return value.get<bool>();
}

std::string JsonFields::asString() {
  if (!value.is_string()) {
    fail(std::string("must be a string, but got ") + value.type_name());
    return {};
  }
  return value.get<std::string>();
}

std::vector<int64_t> JsonFields::asInts(int64_t min, int64_t max) {
  std::vector<int64_t> result;
  for (JsonFields &element : elements())
    result.push_back(element.asInt(min, max));
  return result;
}
