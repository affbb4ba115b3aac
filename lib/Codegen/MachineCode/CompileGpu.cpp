//===- CompileGpu.cpp - GPU kernels to PTX and cubins ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Codegen/KernelCache.h"

#include "Codegen/Gpu/GpuChips.h"
#include "Codegen/MachineCode/AssembleKernels.h"
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

/// What of the options decides the PTX of every kernel.
static std::string describe(const GpuOptions &options) {
  return llvm::join_items('\n', options.chip, options.features,
                          "O" + std::to_string(options.optLevel));
}

/// Whether a kernel names nothing but memory of its own of a known size. The
/// assembler gives other memory to all kernels of a cubin.
static bool ownsAllItNames(const llvm::Module &module, StringRef kernel) {
  auto isOwn = [&](const llvm::GlobalVariable &variable) {
    return variable.hasLocalLinkage() && variable.getName().starts_with(kernel);
  };
  auto isKernel = [&](const llvm::Function &function) {
    return function.isIntrinsic() || function.getName() == kernel;
  };
  return llvm::all_of(module.globals(), isOwn) &&
         llvm::all_of(module, isKernel);
}

/// The PTX of a kernel.
static llvm::Expected<PtxKernel> compileKernel(gpu::GPUModuleOp kernels,
                                               LLVM::LLVMFuncOp kernel,
                                               const GpuOptions &options) {
  PtxKernel result;
  GpuImage &image = result.image;
  image.symbol = kernel.getSymName().str();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(extractKernel(kernels, kernel).get(), context);
  if (!module)
    return llvm::createStringError("kernel '" + image.symbol +
                                   "' must be LLVM IR, but got other code");
  result.mayShareCubin = ownsAllItNames(*module, image.symbol);
  std::string key;
  if (options.cache) {
    key = hashKernel(describe(options), *module);
    // With an assembler, kernels count where their machine code is looked for.
    auto found = options.cache->lookup(key, options.ptxas.empty() ? 1 : 0);
    if (found && found->size() == 1) {
      image.ptx = std::move(found->front());
      return result;
    }
  }
  auto machine = createMachine(options);
  if (!machine)
    return machine.takeError();
  if (failed(optimizeAndEmit(*module, **machine, options.optLevel,
                             llvm::CodeGenFileType::AssemblyFile, image.ptx)))
    return llvm::createStringError(
        "the GPU target must emit PTX, but got none");
  if (options.cache)
    options.cache->store(key, {image.ptx});
  return result;
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
  // Before any is compiled.
  llvm::Expected<std::string> ptxas =
      options.cache ? describePtxas(options) : std::string();
  if (!ptxas)
    return kernels.emitError(llvm::toString(ptxas.takeError()));

  SmallVector<LLVM::LLVMFuncOp> list = listKernels(kernels);
  std::vector<PtxKernel> compiled(list.size());
  auto compile = [&](size_t index) {
    return compileKernel(kernels, list[index], options)
        .moveInto(compiled[index]);
  };
  if (failed(compileEach(kernels, list, compile)))
    return failure();
  if (!options.ptxas.empty())
    if (llvm::Error error =
            assembleKernels(options, describe(options) + '\n' + *ptxas,
                            kernels.getContext(), compiled))
      return kernels.emitError(llvm::toString(std::move(error)));
  std::vector<GpuImage> images;
  for (PtxKernel &kernel : compiled)
    images.push_back(std::move(kernel.image));
  return images;
}
