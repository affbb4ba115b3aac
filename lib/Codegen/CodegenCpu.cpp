//===- CodegenCpu.cpp - dispatch bodies to CPU kernels --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Codegen/Codegen.h"
#include "prec/Codegen/Passes.h"

#include "Codegen/Cpu/CpuKernels.h"
#include "Codegen/KernelTable.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace prec {
#define GEN_PASS_DEF_CODEGENCPU
#include "prec/Codegen/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {
struct CodegenCpu : prec::impl::CodegenCpuBase<CodegenCpu> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<KernelGroup> groups = groupDispatches(module);
    auto kernels = ModuleOp::create(module.getLoc(), kKernelModuleName);
    EqualKernels equal(kernels);
    SmallVector<int64_t> extents;
    for (KernelGroup &group : groups) {
      FailureOr<int64_t> extent =
          buildCpuKernel(group.dispatches.front(), group.name, kernels);
      if (failed(extent)) {
        kernels.erase();
        return signalPassFailure();
      }
      extents.push_back(*extent);
      group.name = equal.keepOne(group.name);
    }
    module.push_back(kernels);
    OpPassManager pipeline(ModuleOp::getOperationName());
    buildLoweringPipeline(pipeline);
    if (failed(runPipeline(pipeline, kernels)))
      return signalPassFailure();
    for (auto [group, extent] : llvm::zip(groups, extents)) {
      auto launch = sched::LaunchAttr::get(&getContext(), extent, {}, {}, 0);
      for (sched::DispatchOp dispatch : group.dispatches) {
        dispatch.setKernel(group.name);
        dispatch.setLaunchAttr(launch);
      }
    }
  }
};
} // namespace
