//===- read-files.cpp - what readers say of files -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// read-files READER FILE...: a line for each file, "read" or the error.
//
//===----------------------------------------------------------------------===//
#include "Readers.h"

#include "prec/Support/Files.h"

using namespace prec;

int main(int argc, char **argv) {
  const test::Reader *reader = argc > 1 ? test::findReader(argv[1]) : nullptr;
  if (!reader) {
    llvm::errs() << "usage: read-files READER FILE...\n";
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    llvm::Expected<std::string> text = readFile(argv[i]);
    if (!text) {
      llvm::errs() << llvm::toString(text.takeError()) << "\n";
      return 2;
    }
    std::string error = reader->read(*text);
    llvm::outs() << (error.empty() ? "read" : error) << "\n";
  }
  return 0;
}
