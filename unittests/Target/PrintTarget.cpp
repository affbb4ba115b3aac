//===- PrintTarget.cpp - a target of somebody else's ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses public headers alone, as another compiler that embeds prec.
//
//===----------------------------------------------------------------------===//
#include "PrintTarget.h"

#include "prec/Codegen/Codegen.h"
#include "prec/Codegen/Passes.h"

using namespace mlir;
using namespace prec;

static constexpr Format kF32[] = {Format::F32};
static constexpr ScalingPair kUnscaled[] = {{Scaling::None, Scaling::None}};
static constexpr Accumulator kFull[] = {Accumulator::Full};
static constexpr Product kRows[] = {
    {Format::F32, Format::F32, kF32, kUnscaled, kFull}};
static constexpr ArrayRef<Product> kProducts[] = {kRows};

static constexpr StringLiteral kMachine = R"({
  "version": 1, "name": "print", "device": "paper",
  "flops_per_second": {"f32": {"value": 1e9, "source": "test"}},
  "bytes_per_second": {"value": 1e9, "source": "test"},
  "launch_us": {"value": 0, "source": "test"},
  "schedule": {
    "launch_bytes": {"value": 1, "source": "test"},
    "operations_per_byte": {"value": 1, "source": "test"},
    "matrix_operations_per_byte": {"value": 1, "source": "test"},
    "last_blocks": {"value": 1, "source": "test"},
    "fewest_blocks": {"value": 1, "source": "test"},
    "launch_elements": {"value": 1, "source": "test"},
    "shared_elements": {"value": 1, "source": "test"},
    "exchange_bytes": {"value": 1, "source": "test"},
    "bytes_per_exchanged": {"value": 1, "source": "test"}
  }
})";

namespace {

class PrintTarget : public Target {
public:
  PrintTarget()
      : Target({"print", kProducts, /*fp8Accumulator=*/std::nullopt,
                /*gpus=*/{}, kMachine}) {}

  AttentionLibrary getAttentionLibrary() const override {
    return AttentionLibrary::None;
  }

  void buildCodegenPipeline(OpPassManager &manager,
                            const KernelOptions &) const override {
    manager.addPass(createCodegenCpu());
  }

  FailureOr<CompiledKernels>
  compileKernels(ModuleOp module, const KernelOptions &) const override {
    auto kernels = module.lookupSymbol<ModuleOp>(kKernelModuleName);
    if (!kernels)
      return module.emitError("a printed module must have kernels");
    KernelImage image{"mlir", /*symbol=*/"", /*bytes=*/""};
    llvm::raw_string_ostream os(image.bytes);
    kernels.print(os);
    CompiledKernels compiled;
    compiled.images.push_back(std::move(image));
    return compiled;
  }

  ModuleTarget getModuleTarget() const override { return {"print", "paper"}; }
  rt::KernelCalls getKernelCalls() const override {
    return rt::KernelCalls::launch;
  }
};

} // namespace

llvm::Error test::registerPrintTarget(TargetRegistry &registry) {
  return registry.add(std::make_unique<PrintTarget>());
}
