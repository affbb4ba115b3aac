//===- Page.cpp - a precision map as a page -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Explain/Page.h"

#include "Explain/Fold.h"

#include "prec/Support/Page.h"

using namespace prec;
using llvm::StringRef;

static constexpr PageFile kFiles[] = {
#include "prec/Explain/PageFiles.inc"
};

static void writeFiles(llvm::raw_ostream &os, StringRef extension) {
  for (const PageFile &file : kFiles)
    if (file.name.ends_with(extension))
      os << file.text;
}

void prec::writePage(llvm::raw_ostream &os, llvm::ArrayRef<PrecisionMap> maps) {
  StringRef page;
  for (const PageFile &file : kFiles)
    if (file.name == "page.html")
      page = file.text;
  // The places for the parts stand on their own between at signs.
  while (!page.empty()) {
    auto [plain, rest] = page.split('@');
    auto [name, next] = rest.split('@');
    os << plain;
    if (name == "style")
      writeFiles(os, ".css");
    else if (name == "script")
      writeFiles(os, ".js");
    else if (name == "data")
      writeScriptData(os, foldMaps(maps));
    page = next;
  }
}
