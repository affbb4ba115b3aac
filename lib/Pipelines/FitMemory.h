//===- FitMemory.h - a step within a limit of memory ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_PIPELINES_FITMEMORY_H
#define PREC_LIB_PIPELINES_FITMEMORY_H

#include "prec/Pipelines/CompileOptions.h"
#include "prec/Support/LLVM.h"
#include "prec/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace prec {

/// Has FP8 weights transposed in the backward (`options.keepTransposedWeights`)
/// and the logits computed in chunks (`options.chunkLoss`) and recomputes as
/// few activations of a materialized `module` as keep its state, inputs and
/// workspace within `options.maxMemory` bytes, in that order, and says what
/// that took. `assigned` is the module before it was materialized, or null,
/// where that shall not be done in another way. Each of about ten numbers of
/// activations is scheduled for it. Fails, naming the least that there is,
/// where no number is enough.
LogicalResult fitMemory(ModuleOp module, OwningOpRef<ModuleOp> assigned,
                        const Target &target, CompileOptions &options);

} // namespace prec

#endif // PREC_LIB_PIPELINES_FITMEMORY_H
