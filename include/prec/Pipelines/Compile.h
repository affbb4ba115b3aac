//===- Compile.h - from an imported graph to a step module ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_PIPELINES_COMPILE_H
#define PREC_PIPELINES_COMPILE_H

#include "prec/Pipelines/CompileOptions.h"

#include "mlir/IR/BuiltinOps.h"

namespace prec {

/// Runs all phases and writes the step module. Errors are diagnostics; nothing
/// is written then.
LogicalResult compileStepModule(ModuleOp module, const CompileOptions &options);

/// The same, but gives the bytes of the module, which prec_rt_open_memory runs,
/// and writes no output. No file is left; none is written but by a program that
/// links. `options.output` only names what `dumpAfter` writes.
FailureOr<std::string> compileStepModuleToMemory(ModuleOp module,
                                                 const CompileOptions &options);

} // namespace prec

#endif // PREC_PIPELINES_COMPILE_H
