//===- BadFiles.h - malformed files and where they are wrong ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_UNITTESTS_SUPPORT_BADFILES_H
#define PREC_UNITTESTS_SUPPORT_BADFILES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include "gtest/gtest.h"

#include <string>

namespace prec::test {

/// A good file with one text replaced. A '^' in the replacement marks where the
/// error must point and is not part of the file.
struct BadFile {
  llvm::StringRef from, to, message;
};

/// Expects "f:LINE:COLUMN: error: MESSAGE" of `parse`, which returns the error
/// of reading a text, or nothing.
inline void
expectError(llvm::StringRef good, const BadFile &bad,
            llvm::function_ref<std::string(llvm::StringRef)> parse) {
  std::string text = good.str();
  size_t at = text.find(bad.from.str());
  ASSERT_NE(at, std::string::npos) << bad.from.str();
  text.replace(at, bad.from.size(), bad.to.str());
  size_t marker = text.find('^');
  ASSERT_NE(marker, std::string::npos) << bad.to.str();
  text.erase(marker, 1);
  llvm::StringRef before = llvm::StringRef(text).take_front(marker);
  size_t line = before.count('\n') + 1;
  size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  EXPECT_EQ(parse(text), "f:" + std::to_string(line) + ":" +
                             std::to_string(column) +
                             ": error: " + bad.message.str())
      << bad.from.str() << " -> " << bad.to.str();
}

} // namespace prec::test

#endif // PREC_UNITTESTS_SUPPORT_BADFILES_H
