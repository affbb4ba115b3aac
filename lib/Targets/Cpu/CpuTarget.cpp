//===- CpuTarget.cpp - what the CPU multiplies, and its kernels -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Codegen/Codegen.h"
#include "prec/Codegen/Passes.h"
#include "prec/Targets/RegisterAllTargets.h"

#include "Targets/KernelCaches.h"
#include "Targets/MachineFiles.h"
#include "Targets/Products.h"

using namespace mlir;
using namespace prec;
using namespace prec::targets;

/// The CPU computes what a GPU would, so it has the products of all of them
/// with the limits of sm_90a and sm_100a: one graph is assigned alike for a GPU
/// and the CPU and can be compared. Sums are FP32 in every mode.
static constexpr ArrayRef<Product> kProducts[] = {
    kPlain, kTensorFp8AnySum, kRowFp8AnySum, kBlockFp8AnySum, kMxFp8, kNvfp4};

namespace {

/// Kernels are functions of an object that the module links.
class CpuTarget : public Target {
public:
  CpuTarget()
      : Target({"cpu", kProducts, /*fp8Accumulator=*/std::nullopt, /*gpus=*/{},
                findMachineFile("cpu")}) {}

  /// The runtime's own attention takes every format and shape.
  bool hasGroupedProducts() const override { return true; }
  AttentionLibrary getAttentionLibrary() const override {
    return AttentionLibrary::Any;
  }

  void registerDialects(DialectRegistry &dialects) const override {
    registerCodegenTranslations(dialects);
  }

  void buildCodegenPipeline(OpPassManager &manager,
                            const KernelOptions &) const override {
    manager.addPass(createCodegenCpu());
  }

  FailureOr<CompiledKernels>
  compileKernels(ModuleOp module, const KernelOptions &options) const override {
    CompiledKernels compiled;
    auto kernels = module.lookupSymbol<ModuleOp>(kKernelModuleName);
    if (!kernels)
      return compiled;
    FailureOr<std::unique_ptr<KernelCache>> cache =
        openKernelCache(module, options);
    if (failed(cache))
      return failure();
    CpuOptions cpuOptions;
    cpuOptions.cache = cache->get();
    FailureOr<std::vector<std::string>> objects =
        compileCpuObjects(kernels, cpuOptions);
    if (failed(objects))
      return failure();
    if (*cache)
      closeKernelCache(module, **cache, options);
    compiled.objects = std::move(*objects);
    return compiled;
  }

  ModuleTarget getModuleTarget() const override {
    return {"cpu", CpuOptions().cpu};
  }
  rt::KernelCalls getKernelCalls() const override {
    return rt::KernelCalls::table;
  }
};

} // namespace

llvm::Error prec::registerCpuTarget(TargetRegistry &registry) {
  return registry.add(std::make_unique<CpuTarget>());
}
