//===- Pipelines.cpp - the passes of each phase ---------------------------===//
#include "prec/Assign/Passes.h"
#include "prec/Codegen/Passes.h"
#include "prec/Import/Passes.h"
#include "prec/Materialize/Passes.h"
#include "prec/Pipelines/Compile.h"
#include "prec/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::prec;

void prec::buildImportPipeline(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(createRaiseComposites());
  manager.addPass(createVerifyImported());
}

void prec::buildAssignPipeline(OpPassManager &manager,
                               const CompileOptions &options) {
  AssignPrecisionOptions assign;
  if (options.recipeFile.empty())
    assign.recipe = options.recipe;
  else
    assign.recipeFile = options.recipeFile;
  assign.rules = options.rules;
  assign.target = options.target;
  manager.addPass(createAssignPrecision(assign));
  manager.addPass(createVerifyPrecision());
}

void prec::buildMaterializePipeline(OpPassManager &manager) {
  manager.addPass(createSplitWeights());
  manager.addNestedPass<func::FuncOp>(createInsertCasts());
  manager.addPass(createVerifyMaterialized());
}

void prec::buildSchedulePipeline(OpPassManager &manager,
                                 const CompileOptions &options) {
  DecomposeOptions decompose;
  decompose.attentionLibrary = options.decomposeAttention
                                   ? AttentionLibrary::None
                               : options.isCpu() ? AttentionLibrary::Any
                                                 : AttentionLibrary::CuDnn;
  manager.addPass(createDecompose(decompose));
  manager.addNestedPass<func::FuncOp>(createFormDispatches());
  manager.addPass(createPlanMemory());
  manager.addPass(createVerifySchedule());
}

void prec::buildCodegenPipeline(OpPassManager &manager,
                                const CompileOptions &options) {
  if (options.isCpu())
    manager.addPass(createCodegenCpu());
  else
    manager.addPass(createCodegenNvptx());
}
