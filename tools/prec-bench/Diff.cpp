//===- Diff.cpp - what differs between two policies -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"

#include "prec/Policy/Merge.h"
#include "prec/Support/Files.h"

using namespace prec;
using llvm::Expected;

static Expected<Policy> readPolicy(const std::string &fileName) {
  Expected<std::string> text = readFile(fileName);
  if (!text)
    return text.takeError();
  return parsePolicy(*text, fileName);
}

int prec::runDiff(const DiffOptions &options) {
  Expected<Policy> before = readPolicy(options.before);
  Expected<Policy> after = readPolicy(options.after);
  if (llvm::Error error =
          llvm::joinErrors(before.takeError(), after.takeError())) {
    llvm::errs() << "prec-bench: " << llvm::toString(std::move(error)) << "\n";
    return 2;
  }
  std::vector<std::string> lines = diffPolicies(*before, *after);
  for (const std::string &line : lines)
    llvm::outs() << line << "\n";
  return lines.empty() ? 0 : 1;
}
