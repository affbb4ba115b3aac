//===- CodegenNvptx.cpp - dispatch bodies to kernels for NVIDIA GPUs ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Codegen/Codegen.h"
#include "prec/Dialect/Sched/GroupedKernel.h"
#include "prec/Codegen/Passes.h"
#include "prec/Support/PassRemark.h"

#include "Codegen/Gpu/Attention/AttentionGrad.h"
#include "Codegen/Gpu/GpuKernels.h"
#include "Codegen/Gpu/Grouped/GroupedKernels.h"
#include "Codegen/KernelTable.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

namespace prec {
#define GEN_PASS_DEF_CODEGENNVPTX
#include "prec/Codegen/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {
struct CodegenNvptx : prec::impl::CodegenNvptxBase<CodegenNvptx> {
  using CodegenNvptxBase::CodegenNvptxBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    GpuChip limits = findGpuChip(chip);
    limits.manyRows = manyRows;
    SmallVector<KernelGroup> groups = groupDispatches(module);
    auto kernels = ModuleOp::create(module.getLoc(), kKernelModuleName);
    EqualKernels equal(kernels);
    SmallVector<GpuLaunch> launches;
    for (KernelGroup &group : groups) {
      FailureOr<GpuLaunch> launch =
          buildGpuKernel(group.dispatches.front(), group.name, kernels, limits);
      if (failed(launch)) {
        kernels.erase();
        return signalPassFailure();
      }
      launches.push_back(*launch);
      group.name = equal.keepOne(group.name);
    }
    if (attentionGrad)
      generateAttentionGrads(kernels);
    if (failed(generateGrouped(kernels))) {
      kernels.erase();
      return signalPassFailure();
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
      sched::LaunchAttr attr = launchAttr(launch);
      for (sched::DispatchOp dispatch : group.dispatches) {
        dispatch.setKernel(group.name);
        dispatch.setLaunchAttr(attr);
      }
    }
  }

private:
  sched::LaunchAttr launchAttr(const GpuLaunch &launch) {
    return sched::LaunchAttr::get(&getContext(), /*extent=*/0,
                                  {launch.grid, 1, 1}, launch.block,
                                  launch.shared);
  }

  /// Equal products share their kernels.
  LogicalResult generateGrouped(ModuleOp kernels) {
    struct Made {
      std::string name;
      sched::LaunchAttr launch;
      bool readsMaps;
    };
    llvm::StringMap<Made> known;
    WalkResult result = getOperation().walk([&](sched::GroupedGemmOp op) {
      GroupedProduct product = GroupedProduct::of(op);
      // Rows, columns and tiles are counted in 32 bits.
      constexpr int64_t most = int64_t(1) << 30;
      for (int64_t size : {product.m, product.n, product.k})
        if (size > most) {
          op.emitOpError("grouped products on a GPU have at most ")
              << most << " rows or columns, but got " << size;
          return WalkResult::interrupt();
        }
      auto [it, isNew] = known.try_emplace(product.signature());
      Made &made = it->second;
      if (isNew) {
        made.name = "prec_grouped_" + std::to_string(known.size() - 1);
        made.readsMaps = hasWarpgroupKernel(product, chip);
        auto build =
            made.readsMaps ? buildGroupedWarpgroups : buildGroupedPlain;
        made.launch =
            launchAttr(build(product, made.name, kernels, op.getLoc()));
      }
      op->setAttr(kGroupedKernel,
                  FlatSymbolRefAttr::get(&getContext(), made.name));
      op->setAttr(kGroupedLaunch, made.launch);
      if (made.readsMaps)
        op->setAttr(kGroupedReadsMaps, UnitAttr::get(&getContext()));
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Equal shapes share their kernels.
  void generateAttentionGrads(ModuleOp kernels) {
    llvm::StringMap<std::pair<ArrayAttr, ArrayAttr>> known;
    Builder builder(&getContext());
    SmallVector<sched::SdpaGradOp> left;
    getOperation().walk([&](sched::SdpaGradOp op) {
      auto shape = AttentionGradShape::of(op, chip);
      if (!shape) {
        left.push_back(op);
        return;
      }
      auto [it, isNew] = known.try_emplace(shape->signature());
      if (isNew) {
        std::string prefix =
            "prec_attention_grad_" + std::to_string(known.size() - 1);
        SmallVector<Attribute> names, launches;
        for (auto [side, suffix] :
             {std::pair{AttentionGradSide::Queries, "_queries"},
              {AttentionGradSide::Keys, "_keys"}}) {
          std::string name = prefix + suffix;
          launches.push_back(launchAttr(
              buildAttentionGrad(*shape, side, name, kernels, op.getLoc())));
          names.push_back(FlatSymbolRefAttr::get(&getContext(), name));
        }
        it->second = {builder.getArrayAttr(names),
                      builder.getArrayAttr(launches)};
      }
      op.setKernelsAttr(it->second.first);
      op.setLaunchesAttr(it->second.second);
    });
    if (!left.empty())
      emitPassRemark(left.front().getLoc(), {"prec-codegen-nvptx", "ByLibrary"},
                     "a library computes gradients of attention in " +
                         Twine(left.size()) +
                         (left.size() == 1 ? " place" : " places") +
                         ", for which there are no kernels");
  }
};
} // namespace
