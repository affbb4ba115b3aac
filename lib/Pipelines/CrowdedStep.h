//===- CrowdedStep.h - the step with room for all rows ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_PIPELINES_CROWDEDSTEP_H
#define PREC_LIB_PIPELINES_CROWDEDSTEP_H

#include "prec/Pipelines/CompileOptions.h"

#include "mlir/Pass/PassManager.h"

namespace prec {

/// buildMaterializePipeline, but for what it does with a crowded step: the
/// passes that the step itself takes.
void addMaterializePasses(mlir::OpPassManager &manager,
                          const CompileOptions &options);

/// Options of these passes, as readMaterializeOptions reads them.
std::string writeMaterializeOptions(const CompileOptions &options);

} // namespace prec

#endif // PREC_LIB_PIPELINES_CROWDEDSTEP_H
