//===- Pipelines.h - the passes of each phase -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines of the phases, used alike by prec-opt, prec-compile and an
// embedder.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_PIPELINES_PIPELINES_H
#define PREC_PIPELINES_PIPELINES_H

#include "prec/Pipelines/CompileOptions.h"
#include "prec/Target/Target.h"

#include "mlir/Pass/PassManager.h"

namespace prec {

/// Raises nothing in a graph that is tagged: tags would not survive.
void buildImportPipeline(OpPassManager &manager, bool isTagged = false);
/// Fails, after a call of `report`, if the options contradict each other.
LogicalResult
buildAssignPipeline(OpPassManager &manager, const CompileOptions &options,
                    llvm::function_ref<LogicalResult(const Twine &)> report);
/// Options as text has them, `recipe=fp8-hybrid target=sm_90a`; the target is
/// that of --assign-precision if it names none.
LogicalResult
buildAssignPipeline(OpPassManager &manager, llvm::StringRef options,
                    llvm::function_ref<LogicalResult(const Twine &)> report);
/// The same phase for a graph that is tagged.
void buildAssignedPipeline(OpPassManager &manager,
                           const CompileOptions &options);
void buildMaterializePipeline(OpPassManager &manager,
                              const CompileOptions &options);
/// The same for a graph that trains nothing: a function called for "forward",
/// in a module without a step. Weights are cast where they are read.
void buildMaterializeForwardPipeline(OpPassManager &manager);
/// `target` is that of `options.target` in the module's context.
void buildSchedulePipeline(OpPassManager &manager, const Target &target,
                           const CompileOptions &options);
void buildCodegenPipeline(OpPassManager &manager, const Target &target,
                          const CompileOptions &options);
/// From what Materialize leaves to upstream dialects alone, for a host that
/// generates code itself.
void buildToLinalgPipeline(OpPassManager &manager);
/// Reads options of `prec-materialize`, `prec-schedule` and `prec-codegen` as
/// pipelines have them ("accumulate=true guard-updates=false"); what text does
/// not name stays as it is. Fails, after a call of `report`, over what is none.
LogicalResult
readMaterializeOptions(llvm::StringRef text, CompileOptions &options,
                       llvm::function_ref<LogicalResult(const Twine &)> report);
LogicalResult
readScheduleOptions(llvm::StringRef text, CompileOptions &options,
                    llvm::function_ref<LogicalResult(const Twine &)> report);
LogicalResult
readCodegenOptions(llvm::StringRef text, CompileOptions &options,
                   llvm::function_ref<LogicalResult(const Twine &)> report);

/// What `options` say to a target.
KernelOptions getKernelOptions(const CompileOptions &options);

} // namespace prec

#endif // PREC_PIPELINES_PIPELINES_H
