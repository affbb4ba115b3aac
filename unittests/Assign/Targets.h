//===- Targets.h - the targets of prec, for tests ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_UNITTESTS_ASSIGN_TARGETS_H
#define PREC_UNITTESTS_ASSIGN_TARGETS_H

#include "prec/Targets/RegisterAllTargets.h"

namespace prec {

inline const TargetRegistry &getAllTargets() {
  static const std::unique_ptr<TargetRegistry> targets = [] {
    auto all = std::make_unique<TargetRegistry>();
    llvm::cantFail(registerAllTargets(*all));
    return all;
  }();
  return *targets;
}

inline const Target *findTarget(llvm::StringRef name) {
  return getAllTargets().find(name);
}

} // namespace prec

#endif // PREC_UNITTESTS_ASSIGN_TARGETS_H
