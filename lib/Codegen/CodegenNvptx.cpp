//===- CodegenNvptx.cpp - dispatch bodies to kernels for NVIDIA GPUs ------===//
#include "prec/Codegen/Codegen.h"
#include "prec/Codegen/Passes.h"

#include "GpuKernels.h"
#include "KernelTable.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::prec {
#define GEN_PASS_DEF_CODEGENNVPTX
#include "prec/Codegen/Passes.h.inc"
} // namespace mlir::prec

using namespace mlir;
using namespace mlir::prec;

namespace {
struct CodegenNvptx : prec::impl::CodegenNvptxBase<CodegenNvptx> {
  using CodegenNvptxBase::CodegenNvptxBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    GpuChip limits = findGpuChip(chip);
    limits.manyRows = manyRows;
    SmallVector<KernelGroup> groups = groupDispatches(module);
    auto kernels = ModuleOp::create(module.getLoc(), kKernelModuleName);
    SmallVector<GpuLaunch> launches;
    for (KernelGroup &group : groups) {
      FailureOr<GpuLaunch> launch =
          buildGpuKernel(group.dispatches.front(), group.name, kernels, limits);
      if (failed(launch)) {
        kernels.erase();
        return signalPassFailure();
      }
      launches.push_back(*launch);
    }
    module.push_back(kernels);
    OpPassManager pipeline(ModuleOp::getOperationName());
    buildLoweringPipeline(pipeline);
    if (failed(runPipeline(pipeline, kernels)))
      return signalPassFailure();

    auto builder = OpBuilder::atBlockEnd(module.getBody());
    auto gpuModule =
        gpu::GPUModuleOp::create(builder, module.getLoc(), kKernelModuleName);
    gpuModule.getBody()->getOperations().splice(
        gpuModule.getBody()->begin(), kernels.getBody()->getOperations());
    kernels.erase();
    for (auto [group, launch] : llvm::zip(groups, launches)) {
      auto attr = sched::LaunchAttr::get(&getContext(), /*extent=*/0,
                                         {launch.grid, 1, 1}, launch.block,
                                         launch.shared);
      for (sched::DispatchOp dispatch : group.dispatches) {
        dispatch.setKernel(group.name);
        dispatch.setLaunchAttr(attr);
      }
    }
  }
};
} // namespace
