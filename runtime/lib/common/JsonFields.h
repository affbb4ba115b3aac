//===- JsonFields.h - checked access to a JSON object -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads typed fields and remembers the first thing that is wrong, with its
// place, so that a parser reads straight down and asks once at the end.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_JSONFIELDS_H
#define PREC_RT_COMMON_JSONFIELDS_H

#include "Status.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace prec::rt {

/// A document without a name twice in one object, which readers would take
/// either of.
Result<nlohmann::json> parseJson(std::string_view text);
/// The document of a file.
Result<nlohmann::json> readJson(const std::string &path);
/// Of a document that may hold any bytes in its strings, such as paths.
std::string writeJson(const nlohmann::ordered_json &document, int indent);

/// A value and its place in the document ("buffers[3].offset").
class JsonFields {
public:
  JsonFields(const nlohmann::json &value, std::string place, Status &firstError)
      : value(value), place(std::move(place)), error(firstError) {}

  bool ok() const { return error.ok(); }
  void fail(const std::string &message) {
    if (error.ok())
      error = Status::badFile(place + ": " + message);
  }

  bool has(const char *key) const {
    return value.is_object() && value.contains(key);
  }
  JsonFields at(const char *key);
  /// Of an array; anything else is an error.
  std::vector<JsonFields> elements();
  /// Of an object; anything else is an error.
  std::vector<std::string> keys();

  /// Fails at a key of an object that is none of `known`.
  void expectKeys(const std::vector<std::string_view> &known);

  bool isString() const { return value.is_string(); }

  int64_t asInt(int64_t min, int64_t max);
  double asNumber();
  bool asBool();
  std::string asString();
  std::vector<int64_t> asInts(int64_t min, int64_t max);

  int64_t integer(const char *key, int64_t min = 0,
                  int64_t max = std::numeric_limits<int64_t>::max()) {
    return at(key).asInt(min, max);
  }
  std::string string(const char *key) { return at(key).asString(); }

  const std::string &where() const { return place; }

private:
  const nlohmann::json &value;
  std::string place;
  Status &error;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_JSONFIELDS_H
