//===- FitMemory.h - a step within a limit of memory ------------*- C++ -*-===//
#ifndef PREC_LIB_PIPELINES_FITMEMORY_H
#define PREC_LIB_PIPELINES_FITMEMORY_H

#include "prec/Pipelines/Compile.h"

namespace mlir::prec {

/// Recomputes as few activations of a materialized `module` as keep its state,
/// inputs and workspace within `options.maxMemory` bytes, and says what that
/// took. Each of about ten numbers of activations is scheduled for it. Fails,
/// naming the least that there is, where no number is enough.
LogicalResult fitMemory(ModuleOp module, const CompileOptions &options);

} // namespace mlir::prec

#endif // PREC_LIB_PIPELINES_FITMEMORY_H
