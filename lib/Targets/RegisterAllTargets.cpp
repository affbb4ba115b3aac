//===- RegisterAllTargets.cpp - the targets of prec -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Targets/RegisterAllTargets.h"

using namespace mlir;
using namespace prec;

llvm::Error prec::registerAllTargets(TargetRegistry &registry) {
  // In the order in which messages list them.
  for (auto *add : {registerNvptxTargets, registerCpuTarget})
    if (llvm::Error error = add(registry))
      return error;
  return llvm::Error::success();
}

llvm::Error prec::attachAllTargets(DialectRegistry &dialects) {
  auto targets = std::make_shared<TargetRegistry>();
  if (llvm::Error error = registerAllTargets(*targets))
    return error;
  (void)attachTargets(dialects, targets);
  return llvm::Error::success();
}
