//===- FitMemory.h - a step within a limit of memory ------------*- C++ -*-===//
#ifndef PREC_LIB_PIPELINES_FITMEMORY_H
#define PREC_LIB_PIPELINES_FITMEMORY_H

#include "prec/Pipelines/Compile.h"

namespace mlir::prec {

/// Has the logits computed in chunks (`options.chunkLoss`) and recomputes as
/// few activations of a materialized `module` as keep its state, inputs and
/// workspace within `options.maxMemory` bytes, in that order, and says what
/// that took. Each of about ten numbers of activations is scheduled for it.
/// Fails, naming the least that there is, where no number is enough.
LogicalResult fitMemory(ModuleOp module, CompileOptions &options);

} // namespace mlir::prec

#endif // PREC_LIB_PIPELINES_FITMEMORY_H
