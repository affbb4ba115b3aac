//===- Readers.h - every reader of a user's file, by name -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_UNITTESTS_READERS_READERS_H
#define PREC_UNITTESTS_READERS_READERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace prec::test {

struct Reader {
  llvm::StringLiteral name;
  /// The error of reading a text as file "f"; empty if it is read.
  std::string (*read)(llvm::StringRef text);
  /// A file that is read: Examples/NAME.json.
  llvm::StringRef getExample() const;
};

llvm::ArrayRef<Reader> getReaders();
/// Null for other names.
const Reader *findReader(llvm::StringRef name);

} // namespace prec::test

#endif // PREC_UNITTESTS_READERS_READERS_H
