//===- CompileCpu.cpp - CPU kernels to objects ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Codegen/KernelCache.h"
#include "prec/Codegen/Codegen.h"

#include "Codegen/MachineCode/Optimize.h"
#include "Codegen/MachineCode/SplitKernels.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/Binary.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace prec;

void prec::registerCodegenTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

/// What a kernel is called until its object is there: kernels that compute the
/// same are one in a cache, whatever steps call them.
static constexpr StringLiteral kAnyName = "kernel";

/// What of the options decides the machine code of every kernel.
static std::string describe(const CpuOptions &options) {
  return llvm::join_items('\n', options.triple, options.cpu, options.features,
                          "O" + std::to_string(options.optLevel));
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const CpuOptions &options) {
  llvm::Triple triple(options.triple);
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError("kernels need a known triple, but got '" +
                                   options.triple + "': " + error);
  llvm::TargetOptions targetOptions;
  // The emitter writes what is fused.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, options.cpu, options.features, targetOptions, llvm::Reloc::PIC_));
  if (!machine)
    return llvm::createStringError("kernels need a machine for '" +
                                   options.triple + "', but got none");
  return machine;
}

/// Names that depend on nothing but the kernel.
static void eraseNames(llvm::Module &module, StringRef kernel) {
  module.getFunction(kernel)->setName(kAnyName);
  for (auto [index, constant] : llvm::enumerate(module.globals()))
    if (constant.hasLocalLinkage())
      constant.setName("constant" + llvm::Twine(index));
}

/// The object with `symbol` for the kernel's name.
static llvm::Expected<std::string> nameKernel(StringRef object,
                                              StringRef symbol) {
  auto binary =
      llvm::object::createBinary(llvm::MemoryBufferRef(object, kAnyName));
  if (!binary)
    return binary.takeError();
  llvm::objcopy::ConfigManager config;
  config.Common.InputFilename = config.Common.OutputFilename = kAnyName;
  config.Common.SymbolsToRename[kAnyName] = symbol;
  llvm::SmallVector<char, 0> named;
  llvm::raw_svector_ostream os(named);
  if (llvm::Error error =
          llvm::objcopy::executeObjcopyOnBinary(config, **binary, os))
    return error;
  return os.str().str();
}

/// The object of one kernel. `description` is that of the options.
static llvm::Expected<std::string> compileKernel(ModuleOp kernels,
                                                 LLVM::LLVMFuncOp kernel,
                                                 const CpuOptions &options,
                                                 StringRef description) {
  StringRef symbol = kernel.getSymName();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(extractKernel(kernels, kernel).get(), context);
  if (!module)
    return llvm::createStringError("kernel '" + symbol +
                                   "' must be LLVM IR, but got other code");
  eraseNames(*module, symbol);
  std::string key;
  if (options.cache) {
    key = hashKernel(description, *module);
    auto found = options.cache->lookup(key);
    if (found && found->size() == 1)
      return nameKernel(found->front(), symbol);
  }
  auto machine = createMachine(options);
  if (!machine)
    return machine.takeError();
  std::string object;
  if (failed(optimizeAndEmit(*module, **machine, options.optLevel,
                             llvm::CodeGenFileType::ObjectFile, object)))
    return llvm::createStringError(
        "the CPU target must emit objects, but got '" + options.triple + "'");
  if (options.cache)
    options.cache->store(key, {object});
  return nameKernel(object, symbol);
}

FailureOr<std::vector<std::string>>
prec::compileCpuObjects(ModuleOp kernels, const CpuOptions &given) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  CpuOptions options = given;
  if (options.triple.empty())
    options.triple = llvm::sys::getDefaultTargetTriple();
  std::string description = describe(options);
  SmallVector<LLVM::LLVMFuncOp> list = listKernels(kernels);
  std::vector<std::string> objects(list.size());
  auto compile = [&](size_t index) {
    return compileKernel(kernels, list[index], options, description)
        .moveInto(objects[index]);
  };
  if (failed(compileEach(kernels, list, compile)))
    return failure();
  return objects;
}
