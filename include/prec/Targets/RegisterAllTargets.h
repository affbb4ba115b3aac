//===- RegisterAllTargets.h - the targets of prec ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_TARGETS_REGISTERALLTARGETS_H
#define PREC_TARGETS_REGISTERALLTARGETS_H

#include "prec/Target/TargetRegistry.h"

namespace prec {

/// All targets of prec, GPUs by age and then the CPU. Fails where one of their
/// names is taken.
llvm::Error registerAllTargets(TargetRegistry &registry);

/// Makes a registry of all targets of prec and attaches it: what a compiler
/// does that has no targets of its own. Nothing, if `dialects` have targets
/// already.
llvm::Error attachAllTargets(DialectRegistry &dialects);

/// Those of one folder of lib/Targets.
llvm::Error registerNvptxTargets(TargetRegistry &registry);
llvm::Error registerCpuTarget(TargetRegistry &registry);

} // namespace prec

#endif // PREC_TARGETS_REGISTERALLTARGETS_H
