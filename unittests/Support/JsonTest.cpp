//===- JsonTest.cpp - JSON with positions ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Support/Json.h"

#include "gtest/gtest.h"

using namespace prec;

namespace {

std::string getError(llvm::StringRef text) {
  llvm::Expected<JsonValue> value = parseJson(text, "f");
  return value ? "" : llvm::toString(value.takeError());
}

TEST(Json, ReadsValuesWithPositions) {
  llvm::Expected<JsonValue> value =
      parseJson("{\n  \"a\": [1, -2.5e3, true, null],\n  \"b\": \"x\"}", "f");
  ASSERT_TRUE(bool(value));
  ASSERT_EQ(value->members.size(), 2u);
  const JsonValue &array = *value->find("a");
  ASSERT_EQ(array.elements.size(), 4u);
  EXPECT_EQ(array.position.line, 2u);
  EXPECT_EQ(array.position.column, 8u);
  EXPECT_EQ(array.elements[1].text, "-2.5e3");
  EXPECT_TRUE(array.elements[2].boolean);
  EXPECT_EQ(value->members[1].position.line, 3u);
  EXPECT_EQ(value->members[1].position.column, 3u);
  EXPECT_EQ(value->find("c"), nullptr);
}

TEST(Json, ReadsEveryFormOfNumber) {
  for (const char *text :
       {"0", "-0", "10", "1.25", "1e5", "1E+05", "-2.5e-3"}) {
    llvm::Expected<JsonValue> value = parseJson(text, "f");
    ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
    EXPECT_EQ(value->kind, JsonValue::Kind::Number);
    EXPECT_EQ(value->text, text);
  }
}

TEST(Json, PrintsShortTexts) {
  EXPECT_EQ(printNumber(1.176), "1.176");
  EXPECT_EQ(printNumber(0), "0");
  EXPECT_EQ(printNumber(-2850), "-2850");
  EXPECT_EQ(printNumber(1e-12), "1e-12");
  EXPECT_EQ(printNumber(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(printNumber(123456789), "123456789");
}

TEST(Json, ReadsEscapes) {
  llvm::Expected<JsonValue> value =
      parseJson(R"("a\"\\\/\n\tA\u00e9\ud83d\ude00")", "f");
  ASSERT_TRUE(bool(value));
  EXPECT_EQ(value->text, "a\"\\/\n\tA\xC3\xA9\xF0\x9F\x98\x80");
}

TEST(Json, ColumnsCountCharacters) {
  EXPECT_EQ(getError("[\"\xC3\xA9\xC3\xA9\", ?]"),
            "f:1:8: error: expected a value, but got '?'");
}

TEST(Json, SaysWhereItIsMalformed) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "f:1:1: error: expected a value, but got the end of the file"},
      {"{", "f:1:2: error: expected a key in double quotes"},
      {"{a", "f:1:2: error: expected a key in double quotes"},
      {"{\"a\" 1}", "f:1:6: error: expected ':' after a key"},
      {"{\"a\": 1,}", "f:1:9: error: expected a key in double quotes"},
      {"{\"a\": 1", "f:1:8: error: expected ',' or '}'"},
      {"{\"a\": 1, \"a\": 2}",
       "f:1:10: error: a key must be given once, but got 'a' again"},
      {"[1 2]", "f:1:4: error: expected ',' or ']'"},
      {"[1,]", "f:1:4: error: expected a value, but got ''"},
      {"[1] 2", "f:1:5: error: expected the end of the file"},
      {"tru", "f:1:1: error: expected a value, but got 'tru'"},
      {"01", "f:1:1: error: expected a value, but got '01'"},
      {"1.", "f:1:1: error: expected a value, but got '1.'"},
      {"0x10", "f:1:1: error: expected a value, but got '0x10'"},
      {"-", "f:1:1: error: expected a value, but got '-'"},
      {"1e", "f:1:1: error: expected a value, but got '1e'"},
      {"nan", "f:1:1: error: expected a value, but got 'nan'"},
      {"[\"ab\tc\"]",
       "f:1:5: error: control characters in strings must be escapes"},
      {"+1", "f:1:1: error: expected a value, but got '+1'"},
      {"\"abc", "f:1:2: error: expected the closing '\"' of a string"},
      {"\"a\nb\"", "f:1:2: error: expected the closing '\"' of a string"},
      {"\"\\x\"", "f:1:3: error: unknown escape '\\x'"},
      {"\"\\u12\"",
       "f:1:4: error: expected four hexadecimal digits after '\\u'"},
      {"\"\\ud800\"", "f:1:8: error: expected a Unicode character"},
      {"\"\xFF\"", "f:1:4: error: strings must be UTF-8"},
  };
  for (auto [text, message] : cases)
    EXPECT_EQ(getError(text), message) << text;
}

TEST(Json, LimitsItsDepth) {
  EXPECT_EQ(getError(std::string(60, '[') + std::string(60, ']')), "");
  EXPECT_NE(getError(std::string(100000, '[')), "");
  EXPECT_NE(getError(std::string(100000, '{')), "");
}

/// Every prefix and every single-byte change of a valid text is read or
/// refused.
TEST(Json, SurvivesDamage) {
  const std::string text =
      R"({"a": [1, {"b": "\u00e9\n"}, true], "c": -1.5e-3})";
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_NE(getError(llvm::StringRef(text).take_front(size)), "");
  for (size_t i = 0; i < text.size(); ++i)
    for (int byte = 0; byte < 256; ++byte) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(byte);
      getError(damaged);
    }
}

} // namespace
