//===- CompileGpu.cpp - GPU kernels to PTX and cubins ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Codegen/KernelCache.h"

#include "Codegen/Gpu/GpuChips.h"
#include "Codegen/MachineCode/Optimize.h"
#include "Codegen/MachineCode/Ptxas.h"
#include "Codegen/MachineCode/SplitKernels.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace prec;

/// The PTX version of a feature string, or 0.
static unsigned ptxVersion(StringRef features) {
  unsigned version = 0;
  for (StringRef feature : llvm::split(features, ','))
    if (feature.consume_front("+ptx"))
      (void)feature.getAsInteger(10, version);
  return version;
}

/// LLVM ends the process over an instruction that it cannot select.
static LogicalResult verifyConversions(gpu::GPUModuleOp kernels,
                                       StringRef chip) {
  if (convertsFp8(chip))
    return success();
  WalkResult result = kernels.walk([&](Operation *op) {
    if (!isa<NVVM::ConvertF32x2ToF8x2Op, NVVM::ConvertF8x2ToF16x2Op>(op))
      return WalkResult::advance();
    op->emitError("kernels that convert FP8 need a chip that does (from ")
        << getFirstWithFp8() << " on), but got '" << chip << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Fills in the PTX version; an error says what is needed.
static LogicalResult complete(gpu::GPUModuleOp kernels, GpuOptions &options) {
  // LLVM ends the process over a version that does not know the chip.
  const GpuArchitecture *chip = findArchitecture(options.chip);
  if (!chip)
    return kernels.emitError("kernels need a chip with bf16 (")
           << getArchitectureNames() << "), but got '" << options.chip << "'";
  unsigned least = chip->leastPtx;
  if (options.features.empty())
    options.features = "+ptx" + std::to_string(std::max(84u, least));
  if (ptxVersion(options.features) < least)
    return kernels.emitError("kernels of ")
           << options.chip << " need PTX " << least / 10 << '.' << least % 10
           << " or later, but got '" << options.features << "'";
  return verifyConversions(kernels, options.chip);
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const GpuOptions &options) {
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError(
        "kernels need LLVM's NVPTX target, but got: " + error);
  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, options.chip, options.features, targetOptions, std::nullopt));
  if (!machine)
    return llvm::createStringError("kernels need a machine for '" +
                                   options.chip + "', but got none");
  return machine;
}

/// What of the options decides the machine code of every kernel.
static llvm::Expected<std::string> describe(const GpuOptions &options) {
  llvm::Expected<std::string> ptxas = describePtxas(options);
  if (!ptxas)
    return ptxas.takeError();
  return llvm::join_items('\n', options.chip, options.features,
                          "O" + std::to_string(options.optLevel), *ptxas);
}

/// `description` is that of the options, if they have a cache.
static llvm::Expected<GpuImage> compileKernel(gpu::GPUModuleOp kernels,
                                              LLVM::LLVMFuncOp kernel,
                                              const GpuOptions &options,
                                              StringRef description) {
  GpuImage image;
  image.symbol = kernel.getSymName().str();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(extractKernel(kernels, kernel).get(), context);
  if (!module)
    return llvm::createStringError("kernel '" + image.symbol +
                                   "' must be LLVM IR, but got other code");
  std::string key;
  if (options.cache) {
    key = hashKernel(description, *module);
    auto found = options.cache->lookup(key);
    if (found && found->size() == 3) {
      image.ptx = std::move((*found)[0]);
      image.cubin = std::move((*found)[1]);
      image.log = std::move((*found)[2]);
      return image;
    }
  }
  auto machine = createMachine(options);
  if (!machine)
    return machine.takeError();
  if (failed(optimizeAndEmit(*module, **machine, options.optLevel,
                             llvm::CodeGenFileType::AssemblyFile, image.ptx)))
    return llvm::createStringError(
        "the GPU target must emit PTX, but got none");
  if (!options.ptxas.empty())
    if (llvm::Error error = assemble(options, image))
      return error;
  if (options.cache)
    options.cache->store(key, {image.ptx, image.cubin, image.log});
  return image;
}

FailureOr<std::vector<GpuImage>>
prec::compileGpuImages(gpu::GPUModuleOp kernels, const GpuOptions &given) {
  GpuOptions options = given;
  if (failed(complete(kernels, options)))
    return failure();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  std::string description;
  if (options.cache) {
    llvm::Expected<std::string> described = describe(options);
    if (!described)
      return kernels.emitError(llvm::toString(described.takeError()));
    description = std::move(*described);
  }

  SmallVector<LLVM::LLVMFuncOp> list = listKernels(kernels);
  std::vector<GpuImage> images(list.size());
  auto compile = [&](size_t index) {
    return compileKernel(kernels, list[index], options, description)
        .moveInto(images[index]);
  };
  if (failed(compileEach(kernels, list, compile)))
    return failure();
  return images;
}
