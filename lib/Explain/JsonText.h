//===- JsonText.h - texts in written files ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_EXPLAIN_JSONTEXT_H
#define PREC_LIB_EXPLAIN_JSONTEXT_H

#include "llvm/Support/JSON.h"

namespace prec {

/// An attribute, unless the text is empty.
inline void writeText(llvm::json::OStream &json, llvm::StringRef key,
                      llvm::StringRef text) {
  if (!text.empty())
    json.attribute(key, llvm::json::fixUTF8(text));
}

} // namespace prec

#endif // PREC_LIB_EXPLAIN_JSONTEXT_H
