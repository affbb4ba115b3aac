//===- BenchModule.h - what a step runs, each distinct command once -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_PIPELINES_BENCHMODULE_H
#define PREC_LIB_PIPELINES_BENCHMODULE_H

#include "prec/Pipelines/CompileOptions.h"
#include "prec/Support/LLVM.h"
#include "prec/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace prec {

/// A scheduled module whose step has every distinct command of the steps that
/// `graph` becomes under each recipe of `options.bench`, and each quantization
/// of theirs as kernels of its own, in every layout. Every operand of a command
/// is an argument of its own, so that nothing depends on the order; the module
/// attribute kBench says what each command is. `graph` stays as it is.
FailureOr<mlir::OwningOpRef<ModuleOp>>
buildBenchModule(ModuleOp graph, const Target &target,
                 const CompileOptions &options);

} // namespace prec

#endif // PREC_LIB_PIPELINES_BENCHMODULE_H
