//===- Json.cpp - JSON that remembers where each value stands -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A JSON parser that keeps line and column of every value and key, because
// errors in recipes, rules and policies must say where. It is a recursive
// descent over the text; `advance` moves on and counts lines and columns (in
// characters, not bytes). Keys that are given twice, nesting over 64 levels,
// and text that is no UTF-8 are errors. A number keeps its text, so that
// readers can convert it as they need. Time is linear in the text.
//
//===----------------------------------------------------------------------===//
#include "prec/Support/Json.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace prec;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

const JsonValue *JsonValue::find(StringRef key) const {
  for (const Member &member : members)
    if (member.key == key)
      return &member.value;
  return nullptr;
}

std::string prec::printNumber(double number) {
  llvm::SmallString<32> text;
  double read = 0;
  for (int digits = 6; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_svector_ostream(text) << llvm::format("%.*g", digits, number);
    if (!text.str().getAsDouble(read) && read == number)
      break;
  }
  return text.str().str();
}

Error prec::makeJsonError(StringRef fileName, JsonPosition position,
                          const Twine &message) {
  return llvm::make_error<JsonError>(fileName, position, message.str());
}

char JsonError::ID = 0;

void JsonError::log(llvm::raw_ostream &os) const {
  os << fileName << ":" << position.line << ":" << position.column
     << ": error: " << message;
}

std::error_code JsonError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

namespace {

class JsonParser {
public:
  JsonParser(StringRef text, StringRef fileName)
      : rest(text), fileName(fileName) {}

  Expected<JsonValue> parse() {
    JsonValue value;
    if (Error error = parseValue(value, 0))
      return std::move(error);
    skipSpace();
    if (!rest.empty())
      return fail("expected the end of the file");
    return value;
  }

private:
  static constexpr unsigned kMaxDepth = 64;

  Error fail(const Twine &message) {
    return makeJsonError(fileName, position, message);
  }
  void advance(size_t count);
  void skipSpace() { advance(rest.size() - rest.ltrim(" \t\r\n").size()); }
  bool consume(char c);
  Error parseValue(JsonValue &value, unsigned depth);
  Error parseObject(JsonValue &value, unsigned depth);
  Error parseArray(JsonValue &value, unsigned depth);
  Error parseString(std::string &text);
  Error parseEscape(std::string &text);
  Expected<unsigned> parseHex4();
  Error parseScalar(JsonValue &value);

  StringRef rest, fileName;
  JsonPosition position;
};

} // namespace

/// -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
static bool isNumber(StringRef word) {
  auto takeDigits = [&] {
    size_t size = word.size();
    word = word.ltrim("0123456789");
    return word.size() < size;
  };
  word.consume_front("-");
  if (!word.consume_front("0") && !takeDigits())
    return false;
  if (word.consume_front(".") && !takeDigits())
    return false;
  if (word.consume_front("e") || word.consume_front("E")) {
    if (!word.consume_front("+"))
      word.consume_front("-");
    if (!takeDigits())
      return false;
  }
  return word.empty();
}

void JsonParser::advance(size_t count) {
  for (char c : rest.take_front(count)) {
    // Columns count characters, not UTF-8 bytes.
    if (c == '\n')
      position = {position.line + 1, 1};
    else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
      ++position.column;
  }
  rest = rest.drop_front(count);
}

bool JsonParser::consume(char c) {
  skipSpace();
  if (rest.empty() || rest.front() != c)
    return false;
  advance(1);
  return true;
}

Error JsonParser::parseValue(JsonValue &value, unsigned depth) {
  skipSpace();
  value.position = position;
  if (rest.empty())
    return fail("expected a value, but got the end of the file");
  if (depth > kMaxDepth)
    return fail("values must nest at most " + Twine(kMaxDepth) + " levels");
  switch (rest.front()) {
  case '{':
    return parseObject(value, depth);
  case '[':
    return parseArray(value, depth);
  case '"':
    value.kind = JsonValue::Kind::String;
    return parseString(value.text);
  default:
    return parseScalar(value);
  }
}

Error JsonParser::parseObject(JsonValue &value, unsigned depth) {
  value.kind = JsonValue::Kind::Object;
  advance(1);
  if (consume('}'))
    return Error::success();
  llvm::StringSet<> keys;
  do {
    skipSpace();
    JsonValue::Member member;
    member.position = position;
    if (rest.empty() || rest.front() != '"')
      return fail("expected a key in double quotes");
    if (Error error = parseString(member.key))
      return error;
    if (!keys.insert(member.key).second)
      return makeJsonError(fileName, member.position,
                           "a key must be given once, but got '" + member.key +
                               "' again");
    if (!consume(':'))
      return fail("expected ':' after a key");
    if (Error error = parseValue(member.value, depth + 1))
      return error;
    value.members.push_back(std::move(member));
  } while (consume(','));
  return consume('}') ? Error::success() : fail("expected ',' or '}'");
}

Error JsonParser::parseArray(JsonValue &value, unsigned depth) {
  value.kind = JsonValue::Kind::Array;
  advance(1);
  if (consume(']'))
    return Error::success();
  do {
    JsonValue element;
    if (Error error = parseValue(element, depth + 1))
      return error;
    value.elements.push_back(std::move(element));
  } while (consume(','));
  return consume(']') ? Error::success() : fail("expected ',' or ']'");
}

Expected<unsigned> JsonParser::parseHex4() {
  unsigned code = 0;
  StringRef digits = rest.take_front(4);
  if (digits.size() != 4 || !llvm::all_of(digits, llvm::isHexDigit) ||
      digits.getAsInteger(16, code))
    return fail("expected four hexadecimal digits after '\\u'");
  advance(4);
  return code;
}

Error JsonParser::parseEscape(std::string &text) {
  static constexpr StringRef kNames = "\"\\/bfnrt",
                             kCharacters = "\"\\/\b\f\n\r\t";
  if (rest.empty())
    return fail("expected the rest of an escape");
  char name = rest.front();
  if (name != 'u') {
    size_t index = kNames.find(name);
    if (index == StringRef::npos)
      return fail("unknown escape '\\" + Twine(name) + "'");
    text += kCharacters[index];
    advance(1);
    return Error::success();
  }
  advance(1);
  Expected<unsigned> code = parseHex4();
  if (!code)
    return code.takeError();
  unsigned point = *code;
  if (point >= 0xD800 && point < 0xDC00 && rest.consume_front("\\u")) {
    position.column += 2;
    Expected<unsigned> low = parseHex4();
    if (!low)
      return low.takeError();
    if (*low < 0xDC00 || *low >= 0xE000)
      return fail("expected the second half of a surrogate pair");
    point = 0x10000 + ((point - 0xD800) << 10) + (*low - 0xDC00);
  }
  char buffer[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *end = buffer;
  if (!llvm::ConvertCodePointToUTF8(point, end))
    return fail("expected a Unicode character");
  text.append(buffer, end);
  return Error::success();
}

Error JsonParser::parseString(std::string &text) {
  advance(1);
  while (true) {
    size_t end = 0;
    while (end < rest.size() && rest[end] != '"' && rest[end] != '\\' &&
           static_cast<unsigned char>(rest[end]) >= 0x20)
      ++end;
    text += rest.take_front(end);
    if (end == rest.size() || rest[end] == '\n')
      return fail("expected the closing '\"' of a string");
    if (static_cast<unsigned char>(rest[end]) < 0x20) {
      advance(end);
      return fail("control characters in strings must be escapes");
    }
    bool isEscape = rest[end] == '\\';
    advance(end + 1);
    if (!isEscape)
      break;
    if (Error error = parseEscape(text))
      return error;
  }
  if (!llvm::json::isUTF8(text))
    return fail("strings must be UTF-8");
  return Error::success();
}

Error JsonParser::parseScalar(JsonValue &value) {
  StringRef word = rest.take_until(
      [](char c) { return llvm::StringRef(",]} \t\r\n").contains(c); });
  value.text = word.str();
  if (word == "null") {
    value.kind = JsonValue::Kind::Null;
  } else if (word == "true" || word == "false") {
    value.kind = JsonValue::Kind::Boolean;
    value.boolean = word == "true";
  } else if (isNumber(word)) {
    value.kind = JsonValue::Kind::Number;
  } else {
    return fail("expected a value, but got '" + word.take_front(32) + "'");
  }
  advance(word.size());
  return Error::success();
}

Expected<JsonValue> prec::parseJson(StringRef text, StringRef fileName) {
  return JsonParser(text, fileName).parse();
}
