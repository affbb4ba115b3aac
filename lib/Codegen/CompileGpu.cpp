//===- CompileGpu.cpp - GPU kernels to PTX and a cubin --------------------===//
#include "prec/Codegen/Codegen.h"

#include "GpuChip.h"
#include "Optimize.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::prec;

std::string prec::findPtxas() {
  if (auto path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  if (auto path =
          llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *path;
  return {};
}

/// The least PTX version of a chip, 0 if FP8 or the chip is not known. LLVM
/// ends the process over a version that does not know the chip.
static unsigned leastPtxVersion(StringRef chip) {
  switch (architectureOf(chip)) {
  case 89:
  case 90:
    return 81;
  case 100:
    return 86;
  case 120:
    return 87;
  case 103:
  case 121:
    return 88;
  default:
    return 0;
  }
}

/// The PTX version of a feature string, or 0.
static unsigned ptxVersion(StringRef features) {
  unsigned version = 0;
  for (StringRef feature : llvm::split(features, ','))
    if (feature.consume_front("+ptx"))
      (void)feature.getAsInteger(10, version);
  return version;
}

static std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

static LogicalResult assemble(Operation *op, const GpuOptions &options,
                              GpuImage &image) {
  SmallString<128> ptxPath, cubinPath, logPath;
  for (auto [suffix, path] :
       {std::pair{"ptx", &ptxPath}, std::pair{"cubin", &cubinPath},
        std::pair{"log", &logPath}})
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("prec-kernels", suffix, *path))
      return op->emitError("kernels need a temporary file, but got '")
             << error.message() << "'";
  llvm::FileRemover removePtx(ptxPath), removeCubin(cubinPath),
      removeLog(logPath);
  {
    std::error_code error;
    llvm::raw_fd_ostream os(ptxPath, error);
    if (!error)
      os << image.ptx;
    os.close();
    if (error || os.has_error()) {
      os.clear_error();
      return op->emitError("kernels need a temporary file, but got one that "
                           "cannot be written");
    }
  }
  std::string arch = "-arch=" + options.chip;
  // The text already says what is fused.
  StringRef arguments[] = {options.ptxas, arch,    "-O3", "-fmad=false",
                           "-v",          ptxPath, "-o",  cubinPath};
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(logPath),
                                          StringRef(logPath)};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(options.ptxas, arguments, std::nullopt,
                                         redirects, 0, 0, &message);
  image.log = readFile(logPath);
  if (status != 0)
    return op->emitError("ptxas must assemble the kernels, but got status ")
           << status << ": " << (message.empty() ? image.log : message);
  image.cubin = readFile(cubinPath);
  if (image.cubin.empty())
    return op->emitError("ptxas must assemble the kernels, but got no cubin");
  return success();
}

FailureOr<GpuImage> prec::compileGpuImage(gpu::GPUModuleOp kernels,
                                          const GpuOptions &options) {
  StringRef chip = options.chip;
  unsigned least = leastPtxVersion(chip);
  if (!least)
    return kernels.emitError("kernels need a chip with FP8 (sm_89, sm_90, "
                             "sm_100, sm_103, sm_120 or sm_121), but got '")
           << chip << "'";
  std::string features = options.features;
  if (features.empty())
    features = "+ptx" + std::to_string(std::max(84u, least));
  if (ptxVersion(features) < least)
    return kernels.emitError("kernels of ")
           << chip << " need PTX " << least / 10 << '.' << least % 10
           << " or later, but got '" << features << "'";
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return kernels.emitError("kernels need LLVM's NVPTX target, but got: ")
           << error;
  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, chip, features, targetOptions, std::nullopt));
  if (!machine)
    return kernels.emitError("kernels need a machine for '")
           << chip << "', but got none";

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(kernels, context);
  if (!module)
    return failure();
  GpuImage image;
  if (failed(optimizeAndEmit(*module, *machine, options.optLevel,
                             llvm::CodeGenFileType::AssemblyFile, image.ptx)))
    return kernels.emitError("the GPU target must emit PTX, but got none");
  if (!options.ptxas.empty() && failed(assemble(kernels, options, image)))
    return failure();
  return image;
}
