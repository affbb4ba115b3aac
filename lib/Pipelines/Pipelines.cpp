//===- Pipelines.cpp - the passes of each phase ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Pipelines/CrowdedStep.h"
#include "Pipelines/SchedulePasses.h"

#include "prec/Assign/Passes.h"
#include "prec/Export/Passes.h"
#include "prec/Import/Passes.h"
#include "prec/Materialize/Passes.h"
#include "prec/Pipelines/Passes.h"
#include "prec/Pipelines/Pipelines.h"
#include "prec/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace prec;

void prec::buildImportPipeline(OpPassManager &manager, bool isTagged) {
  manager.addPass(createVerifySizes());
  if (!isTagged)
    manager.addNestedPass<func::FuncOp>(createRaiseComposites());
  manager.addPass(createVerifyImported());
}

static void addVerifyPrecision(OpPassManager &manager,
                               const CompileOptions &options) {
  VerifyPrecisionOptions verify;
  verify.target = options.target;
  manager.addPass(createVerifyPrecision(verify));
}

LogicalResult
prec::buildAssignPipeline(OpPassManager &manager, const CompileOptions &options,
                          function_ref<LogicalResult(const Twine &)> report) {
  AssignPrecisionOptions assign = options.assign;
  if (assign.target.empty())
    assign.target = options.target;
  // Ranks divide weights as they are.
  assign.padHead = options.mesh.empty();
  FailureOr<std::unique_ptr<Pass>> pass =
      createAssignPrecision(assign, options.assignText, report);
  if (failed(pass))
    return failure();
  manager.addPass(createVerifySizes());
  if (!options.mesh.empty()) {
    SplitExpertsOptions experts;
    experts.mesh = options.mesh;
    experts.room = options.expertRoom;
    manager.addPass(createSplitExperts(experts));
    manager.addPass(
        createSplitLayers({options.mesh, options.sequenceParallel}));
  }
  manager.addPass(std::move(*pass));
  manager.addPass(createTagCrowded());
  addVerifyPrecision(manager, options);
  return success();
}

void prec::buildAssignedPipeline(OpPassManager &manager,
                                 const CompileOptions &options) {
  addVerifyPrecision(manager, options);
}

void prec::buildMaterializePipeline(OpPassManager &manager,
                                    const CompileOptions &options) {
  addMaterializePasses(manager, options);
  if (!options.mesh.empty())
    manager.addPass(
        createMaterializeCrowded({writeMaterializeOptions(options)}));
}

void prec::addMaterializePasses(OpPassManager &manager,
                                const CompileOptions &options) {
  manager.addPass(createVerifySizes());
  manager.addNestedPass<func::FuncOp>(createLowerProducts());
  manager.addNestedPass<func::FuncOp>(createFlattenProducts());
  manager.addNestedPass<func::FuncOp>(createPadNarrowProducts());
  // Operands are raised and measured module by module.
  if (options.mergeContractions != MergeLayers::Off && !options.switchable &&
      !options.collectNumerics) {
    MergeContractionsOptions merge;
    merge.explain = options.mergeContractions == MergeLayers::Explain;
    // Ranks divide weights by rows.
    merge.columns = options.mesh.empty();
    manager.addPass(createMergeContractions(merge));
  }
  manager.addPass(createNarrowMasters());
  SplitWeightsOptions split;
  split.keepFrozen = options.switchable;
  split.keepTransposed = options.keepTransposedWeights.value_or(true);
  split.trained = options.zero != 3;
  manager.addPass(createSplitWeights(split));
  manager.addNestedPass<func::FuncOp>(createInsertCasts());
  manager.addPass(createInsertLossScaling());
  manager.addPass(createVerifyMaterialized());
  if (options.switchable)
    manager.addPass(createSwitchPrecision());
  manager.addPass(createCarryAmax());
  manager.addPass(createCheckIndices());
  GuardUpdatesOptions guard;
  guard.enabled = options.guardUpdates;
  manager.addPass(createGuardUpdates(guard));
  if (options.countLostUpdates)
    manager.addPass(createCountLostUpdates());
  if (options.collectNumerics)
    manager.addPass(createCollectNumerics());
  if (options.padProducts)
    manager.addPass(createPadProducts());
  if (options.accumulate) {
    SplitAccumulationOptions accumulation;
    accumulation.equalWeights =
        options.microBatchWeights == MicroBatchWeights::Equal;
    manager.addPass(createSplitAccumulation(accumulation));
  }
  AgreeRanksOptions agree;
  if (!options.mesh.empty())
    agree.mesh = options.mesh;
  manager.addPass(createAgreeRanks(agree));
  if (!options.mesh.empty()) {
    PartitionStepOptions partition;
    partition.mesh = options.mesh;
    partition.zero = options.zero;
    partition.wire = options.exchangeWire;
    partition.equalWeights =
        options.microBatchWeights == MicroBatchWeights::Equal;
    manager.addPass(createPartitionStep(partition));
    agree.experts = true;
    manager.addPass(createAgreeRanks(agree));
  }
  FoldBiasOptions biases;
  biases.roundF32 = options.roundBiases;
  manager.addNestedPass<func::FuncOp>(createFoldBias(biases));
  manager.addPass(createQuantizeMoments());
}

void prec::buildMaterializeForwardPipeline(OpPassManager &manager) {
  manager.addPass(createVerifySizes());
  manager.addNestedPass<func::FuncOp>(createLowerProducts());
  manager.addNestedPass<func::FuncOp>(createFlattenProducts());
  manager.addNestedPass<func::FuncOp>(createPadNarrowProducts());
  manager.addNestedPass<func::FuncOp>(createInsertCasts());
  manager.addPass(createVerifyMaterialized());
  manager.addNestedPass<func::FuncOp>(createFoldBias());
}

void prec::buildSchedulePipeline(OpPassManager &manager, StringRef target,
                                 TargetCommands commands,
                                 const CompileOptions &options) {
  manager.addPass(createVerifySizes());
  LayOutAttentionOptions layOut;
  layOut.attentionLibrary =
      options.decomposeAttention ? AttentionLibrary::None : commands.attention;
  manager.addNestedPass<func::FuncOp>(createLayOutAttention(layOut));
  DecomposeOptions decompose;
  decompose.attentionLibrary = layOut.attentionLibrary;
  decompose.decomposeConvolutions = options.decomposeConvolutions;
  decompose.decomposeGrouped = !commands.groupedProducts;
  manager.addPass(createDecompose(decompose));
  manager.addNestedPass<func::FuncOp>(createWidenRows());
  manager.addNestedPass<func::FuncOp>(createSplitJoinedRows());
  if (options.chunkLoss) {
    ChunkLossOptions chunk;
    chunk.bytes = *options.chunkLoss;
    manager.addNestedPass<func::FuncOp>(createChunkLoss(chunk));
  }
  manager.addNestedPass<func::FuncOp>(createFoldScatterAdd());
  manager.addNestedPass<func::FuncOp>(createCompactTables());
  manager.addNestedPass<func::FuncOp>(createDeferTransposes());
  manager.addNestedPass<func::FuncOp>(createBatchReductions());
  JoinMomentsOptions joinMoments;
  joinMoments.target = target.str();
  joinMoments.machine = options.machine;
  manager.addNestedPass<func::FuncOp>(createJoinMoments(joinMoments));
  manager.addPass(createJoinArguments());
  FormDispatchesOptions dispatches;
  dispatches.target = target.str();
  dispatches.machine = options.machine;
  dispatches.sumsWait = options.sumsWait;
  manager.addNestedPass<func::FuncOp>(createFormDispatches(dispatches));
  manager.addNestedPass<func::FuncOp>(createOrderRows());
  if (options.overlapExchanges) {
    if (options.zero == 3) {
      PrefetchGathersOptions prefetch;
      prefetch.bucketBytes = options.exchangeBucket;
      prefetch.target = target.str();
      prefetch.machine = options.machine;
      manager.addNestedPass<func::FuncOp>(createPrefetchGathers(prefetch));
    }
    OverlapExchangesOptions overlap;
    overlap.bucketBytes = options.exchangeBucket;
    overlap.target = target.str();
    overlap.machine = options.machine;
    manager.addNestedPass<func::FuncOp>(createOverlapExchanges(overlap));
  }
  manager.addPass(createPlanMemory());
  manager.addPass(createVerifySchedule());
}

void prec::buildToLinalgPipeline(OpPassManager &manager) {
  manager.addPass(createVerifySizes());
  DecomposeOptions decompose;
  decompose.attentionLibrary = AttentionLibrary::None;
  decompose.decomposeConvolutions = true;
  decompose.decomposeGrouped = true;
  manager.addPass(createDecompose(decompose));
  manager.addPass(createConvertPrecToLinalg());
}

void prec::buildSchedulePipeline(OpPassManager &manager, const Target &target,
                                 const CompileOptions &options) {
  buildSchedulePipeline(
      manager, target.getName(),
      {target.getAttentionLibrary(), target.hasGroupedProducts()}, options);
}

KernelOptions prec::getKernelOptions(const CompileOptions &options) {
  KernelOptions kernels;
  kernels.deterministicAttention =
      options.attentionBackward == AttentionBackward::Deterministic;
  kernels.ptxas = options.ptxas;
  kernels.kernelCache = options.kernelCache;
  kernels.kernelCacheSize = options.kernelCacheSize;
  kernels.timing = options.timing ? &llvm::errs() : nullptr;
  return kernels;
}

void prec::buildCodegenPipeline(OpPassManager &manager, const Target &target,
                                const CompileOptions &options) {
  manager.addPass(createVerifySizes());
  target.buildCodegenPipeline(manager, getKernelOptions(options));
}
