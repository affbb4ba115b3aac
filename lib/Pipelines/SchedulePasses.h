//===- SchedulePasses.h - what scheduling asks of a target ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_PIPELINES_SCHEDULEPASSES_H
#define PREC_PIPELINES_SCHEDULEPASSES_H

#include "prec/Pipelines/CompileOptions.h"
#include "prec/Target/AttentionLibrary.h"

#include "mlir/Pass/PassManager.h"

namespace prec {

/// What of a step is one command on a target.
struct TargetCommands {
  AttentionLibrary attention = AttentionLibrary::None;
  bool groupedProducts = false;
};

/// As of a target of that name, with those commands: which dialects the passes
/// need is known before there is a target.
void buildSchedulePipeline(OpPassManager &manager, llvm::StringRef target,
                           TargetCommands commands,
                           const CompileOptions &options);

} // namespace prec

#endif // PREC_PIPELINES_SCHEDULEPASSES_H
