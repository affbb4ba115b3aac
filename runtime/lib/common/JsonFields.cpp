//===- JsonFields.cpp - checked access to a JSON object -------------------===//

#include "JsonFields.h"

#include "MappedFile.h"

#include <cmath>

using namespace prec::rt;
using nlohmann::json;

static const json nothing;

Result<json> prec::rt::readJson(const std::string &path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file.ok())
    return file.status();
  json document =
      json::parse(file->bytes(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return Status::error(path + ": must be JSON, but is not");
  return document;
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
