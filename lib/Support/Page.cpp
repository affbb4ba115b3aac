//===- Page.cpp - what pages have in common -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Support/Page.h"

void prec::writeScriptData(llvm::raw_ostream &os, llvm::StringRef json) {
  // In JSON "<" is only part of strings.
  while (!json.empty()) {
    auto [plain, rest] = json.split('<');
    os << plain;
    if (plain.size() < json.size())
      os << "\\u003c";
    json = rest;
  }
}
