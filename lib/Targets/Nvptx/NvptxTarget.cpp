//===- NvptxTarget.cpp - NVIDIA GPUs --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets/Nvptx/NvptxTarget.h"

#include "prec/Codegen/Codegen.h"
#include "prec/Codegen/Passes.h"
#include "prec/Targets/RegisterAllTargets.h"

#include "Targets/MachineFiles.h"

using namespace mlir;
using namespace prec;
using namespace prec::targets;

namespace {

/// A chip whose name is the target's. Kernels are images that the driver loads.
class NvptxTarget : public Target {
public:
  explicit NvptxTarget(const NvptxChip &chip)
      : Target({chip.name, chip.products, chip.fp8Accumulator, chip.gpus,
                findMachineFile(chip.name)}),
        chip(chip) {}

  AttentionLibrary getAttentionLibrary() const override {
    return chip.attention;
  }

  bool hasGroupedProducts() const override { return chip.hasGrouped; }

  void registerDialects(DialectRegistry &dialects) const override {
    registerCodegenTranslations(dialects);
  }

  void buildCodegenPipeline(OpPassManager &manager,
                            const KernelOptions &options) const override {
    CodegenNvptxOptions codegen;
    codegen.chip = getName().str();
    codegen.attentionGrad = options.deterministicAttention;
    manager.addPass(createCodegenNvptx(codegen));
  }

  FailureOr<CompiledKernels>
  compileKernels(ModuleOp module, const KernelOptions &options) const override {
    return compileNvptxKernels(module, getName(), options);
  }

  ModuleTarget getModuleTarget() const override {
    return {"cuda", getName().str()};
  }
  rt::KernelCalls getKernelCalls() const override {
    return rt::KernelCalls::launch;
  }

private:
  const NvptxChip &chip;
};

} // namespace

llvm::Error prec::registerNvptxTargets(TargetRegistry &registry) {
  // By age, of which messages make use.
  for (const NvptxChip *chip : {&kSm80, &kSm89, &kSm90a, &kSm100a})
    if (llvm::Error error = registry.add(std::make_unique<NvptxTarget>(*chip)))
      return error;
  return llvm::Error::success();
}
