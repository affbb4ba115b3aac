//===- JsonReaderTest.cpp - checked reading of JSON values ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Support/JsonReader.h"

#include "gtest/gtest.h"

#include <limits>

using namespace prec;
using llvm::StringRef;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The message of reading `text`, without its place "f:1:1: error: ".
std::string
read(StringRef text,
     llvm::function_ref<llvm::Error(const JsonReader &, const JsonValue &)>
         reader) {
  llvm::Expected<JsonValue> json = parseJson(text, "f");
  if (!json)
    return "no JSON: " + llvm::toString(json.takeError());
  llvm::Error error = reader(JsonReader("f"), *json);
  if (!error)
    return "";
  std::string message = llvm::toString(std::move(error));
  StringRef rest = message;
  rest.consume_front("f:1:1: error: ");
  return rest.str();
}

std::string number(StringRef text, double least, double most, double &value) {
  return read(text, [&](const JsonReader &reader, const JsonValue &json) {
    return reader.readNumber(json, "amax", least, most, value);
  });
}

std::string integer(StringRef text, int64_t least, int64_t most,
                    int64_t &value) {
  return read(text, [&](const JsonReader &reader, const JsonValue &json) {
    return reader.readInteger(json, "tp", least, most, value);
  });
}

TEST(JsonReader, Numbers) {
  double value = 0;
  EXPECT_EQ(number("1.5e-3", 0, 1, value), "");
  EXPECT_EQ(value, 1.5e-3);
  EXPECT_EQ(number("2", 0, 1, value),
            "amax must be a number from 0 to 1, but got 2");
  EXPECT_EQ(number("-1", 0, kInfinity, value),
            "amax must be a number of at least 0, but got -1");
  EXPECT_EQ(number("\"1\"", -kInfinity, kInfinity, value),
            "amax must be a number, but got '1'");
  EXPECT_EQ(number("1e999", -kInfinity, kInfinity, value),
            "amax must be a number, but got 1e999");
  EXPECT_EQ(number("null", 0, 1, value),
            "amax must be a number from 0 to 1, but got null");
  EXPECT_EQ(value, 1.5e-3) << "a refused value must not be stored";
}

TEST(JsonReader, Integers) {
  int64_t value = 0;
  EXPECT_EQ(integer("16384", 1, INT64_MAX, value), "");
  EXPECT_EQ(value, 16384);
  EXPECT_EQ(integer("0", 1, INT64_MAX, value),
            "tp must be an integer of at least 1, but got 0");
  for (StringRef text : {"1.0", "1e3", "99999999999999999999", "-1"})
    EXPECT_EQ(integer(text, 1, 8, value),
              ("tp must be an integer from 1 to 8, but got " + text).str());
}

TEST(JsonReader, TextsNamesAndVersions) {
  auto text = [](StringRef json) {
    return read(json, [](const JsonReader &reader, const JsonValue &value) {
      std::string result;
      return reader.readText(value, "gpu", result);
    });
  };
  EXPECT_EQ(text("\"H200\""), "");
  EXPECT_EQ(text("1"), "gpu must be a text, but got 1");
  EXPECT_EQ(text("\" \""), "gpu must not be blank");
  EXPECT_EQ(text("\"a\\nb\""), "gpu must be a text of one line");

  auto name = [](StringRef json) {
    return read(json, [](const JsonReader &reader, const JsonValue &value) {
      unsigned index;
      return reader.readName(value, "direction", {"fprop", "dgrad"}, index);
    });
  };
  EXPECT_EQ(name("\"dgrad\""), "");
  EXPECT_EQ(name("\"fwd\""),
            "direction must be one of 'fprop', 'dgrad', but got 'fwd'");
  EXPECT_EQ(name("[]"),
            "direction must be one of 'fprop', 'dgrad', but got an array");

  auto version = [](StringRef json) {
    return read(json, [](const JsonReader &reader, const JsonValue &value) {
      int64_t version;
      return reader.readVersion(value, {1, 2}, version);
    });
  };
  EXPECT_EQ(version("2"), "");
  EXPECT_EQ(version("3"), "version must be 1 or 2, but got 3");
  EXPECT_EQ(version("\"1\""), "version must be 1 or 2, but got '1'");
}

TEST(JsonReader, ObjectsSayWhichKeyIsWrong) {
  auto check = [](StringRef json) {
    return read(json, [](const JsonReader &reader, const JsonValue &value) {
      return reader.checkObject(value, {"a", "b"}, {"c"});
    });
  };
  EXPECT_EQ(check("{\"a\": 1, \"b\": 2}"), "");
  EXPECT_EQ(check("{\"a\": 1, \"b\": 2, \"c\": 3}"), "");
  EXPECT_EQ(check("{\"a\": 1}"), "missing key 'b'");
  EXPECT_EQ(check("{\"a\": 1, \"b\": 2, \"d\": 3}"),
            "f:1:18: error: unknown key 'd', expected one of 'a', 'b', 'c'");
  EXPECT_EQ(check("[]"), "expected an object, but got an array");
}

} // namespace
