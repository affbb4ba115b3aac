//===- JsonReader.h - checked reading of JSON values ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every reader of a file of ours says about a wrong value, so that they
// all say it alike: "file:line:column: error: rule, but got X".
//
//===----------------------------------------------------------------------===//
#ifndef PREC_SUPPORT_JSONREADER_H
#define PREC_SUPPORT_JSONREADER_H

#include "prec/Support/Json.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>

namespace prec {

class JsonReader {
public:
  explicit JsonReader(llvm::StringRef fileName) : fileName(fileName) {}

  llvm::Error fail(JsonPosition position, const llvm::Twine &message) const {
    return makeJsonError(fileName, position, message);
  }

  /// An object with all of `required`, and nothing but these and `optional`.
  llvm::Error checkObject(const JsonValue &json,
                          llvm::ArrayRef<llvm::StringRef> required,
                          llvm::ArrayRef<llvm::StringRef> optional = {}) const;
  llvm::Error checkArray(const JsonValue &json, llvm::StringRef what) const;

  /// A text of one line that is not blank.
  llvm::Error readText(const JsonValue &json, llvm::StringRef what,
                       std::string &text) const;
  /// One of `names`; its index.
  llvm::Error readName(const JsonValue &json, llvm::StringRef what,
                       llvm::ArrayRef<llvm::StringRef> names,
                       unsigned &index) const;
  /// A finite number in [least, most].
  llvm::Error readNumber(const JsonValue &json, llvm::StringRef what,
                         double least, double most, double &number) const;
  /// A number above 0.
  llvm::Error readPositive(const JsonValue &json, llvm::StringRef what,
                           double &number) const;
  /// An integer in [least, most], written without fraction or exponent.
  llvm::Error readInteger(const JsonValue &json, llvm::StringRef what,
                          int64_t least, int64_t most, int64_t &number) const;
  llvm::Error readBoolean(const JsonValue &json, llvm::StringRef what,
                          bool &value) const;
  /// The number of a format's version; `known` lists the readable ones.
  llvm::Error readVersion(const JsonValue &json, llvm::ArrayRef<int64_t> known,
                          int64_t &version) const;

  llvm::StringRef getFileName() const { return fileName; }

private:
  llvm::StringRef fileName;
};

/// What `read` fills in: Error(const JsonValue &, T &).
template <typename T, typename Read>
llvm::Expected<T> readJson(const JsonValue &json, Read read) {
  T value;
  if (llvm::Error error = read(json, value))
    return std::move(error);
  return value;
}

/// The same, of a file's text.
template <typename T, typename Read>
llvm::Expected<T> readJson(llvm::StringRef text, llvm::StringRef fileName,
                           Read read) {
  llvm::Expected<JsonValue> json = parseJson(text, fileName);
  if (!json)
    return json.takeError();
  return readJson<T>(*json, read);
}

/// "'a', 'b', 'c'".
std::string quoteNames(llvm::ArrayRef<llvm::StringRef> names);

/// The text of a value for a message, short: 'text', 12, an object.
std::string describeJson(const JsonValue &json);

} // namespace prec

#endif // PREC_SUPPORT_JSONREADER_H
