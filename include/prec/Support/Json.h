//===- Json.h - JSON that remembers where each value stands -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// llvm::json knows positions of syntax errors only; readers need those of
// unknown names, too. Shared by every reader of files: recipes, policies,
// numerics.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_SUPPORT_JSON_H
#define PREC_SUPPORT_JSON_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace prec {

struct JsonPosition {
  unsigned line = 1, column = 1;
};

struct JsonValue {
  enum class Kind { Null, Boolean, Number, String, Array, Object };
  struct Member;

  Kind kind = Kind::Null;
  JsonPosition position;
  /// Text of a string or number.
  std::string text;
  bool boolean = false;
  std::vector<JsonValue> elements;
  std::vector<Member> members;

  const JsonValue *find(llvm::StringRef key) const;
};

struct JsonValue::Member {
  std::string key;
  JsonPosition position;
  JsonValue value;
};

/// A short text that reads back as the same number.
std::string printNumber(double number);

/// What is wrong at one place of a file; as text "file:line:column: error:
/// message".
class JsonError : public llvm::ErrorInfo<JsonError> {
public:
  static char ID;

  JsonError(llvm::StringRef fileName, JsonPosition position,
            std::string message)
      : fileName(fileName.str()), position(position),
        message(std::move(message)) {}

  llvm::StringRef getFileName() const { return fileName; }
  JsonPosition getPosition() const { return position; }
  llvm::StringRef getMessage() const { return message; }

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::string fileName;
  JsonPosition position;
  std::string message;
};

llvm::Error makeJsonError(llvm::StringRef fileName, JsonPosition position,
                          const llvm::Twine &message);

/// Strict JSON of at most 64 levels; a repeated key is an error.
llvm::Expected<JsonValue> parseJson(llvm::StringRef text,
                                    llvm::StringRef fileName);

} // namespace prec

#endif // PREC_SUPPORT_JSON_H
