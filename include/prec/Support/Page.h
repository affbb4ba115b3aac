//===- Page.h - what pages have in common -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_SUPPORT_PAGE_H
#define PREC_SUPPORT_PAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace prec {

/// A file that a page is made of, as prec_embed_files has it.
struct PageFile {
  llvm::StringRef name, text;
};

/// Writes JSON as the text of a script element, where "<" may begin its end.
void writeScriptData(llvm::raw_ostream &os, llvm::StringRef json);

} // namespace prec

#endif // PREC_SUPPORT_PAGE_H
