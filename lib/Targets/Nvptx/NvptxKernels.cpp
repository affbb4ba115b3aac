//===- NvptxKernels.cpp - kernels of a module as PTX and cubins -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets/Nvptx/NvptxTarget.h"

#include "prec/Codegen/Codegen.h"
#include "prec/Codegen/KernelCache.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace prec;

/// Keeps a cache within its size, and says what became of it.
static void finish(ModuleOp module, const KernelCache &cache,
                   const KernelOptions &options) {
  cache.prune(options.kernelCacheSize);
  KernelCache::Counts counts = cache.getCounts();
  if (counts.damaged > 0)
    module.emitWarning("files of the kernel cache must be as they were "
                       "written, but got ")
        << counts.damaged << " damaged in '" << options.kernelCache
        << "': their kernels are compiled again";
  if (!counts.storeError.empty())
    module.emitWarning("the kernel cache keeps not every kernel: ")
        << counts.storeError;
  if (options.timing)
    *options.timing << llvm::formatv(
        "{0} of {1} kernels found in '{2}'\n", counts.found,
        counts.found + counts.absent + counts.damaged, options.kernelCache);
}

FailureOr<CompiledKernels>
targets::compileNvptxKernels(ModuleOp module, StringRef chip,
                             const KernelOptions &options) {
  CompiledKernels result;
  auto kernels = module.lookupSymbol<gpu::GPUModuleOp>(kKernelModuleName);
  if (!kernels)
    return result;
  GpuOptions gpuOptions;
  gpuOptions.chip = chip.str();
  gpuOptions.ptxas = options.ptxas.empty() ? findPtxas() : options.ptxas;
  std::unique_ptr<KernelCache> cache;
  if (!options.kernelCache.empty()) {
    auto opened = KernelCache::open(options.kernelCache);
    if (!opened)
      return module.emitError(llvm::toString(opened.takeError()));
    cache = std::move(*opened);
    gpuOptions.cache = cache.get();
  }
  FailureOr<std::vector<GpuImage>> compiled =
      compileGpuImages(kernels, gpuOptions);
  if (failed(compiled))
    return failure();
  if (cache)
    finish(module, *cache, options);
  if (gpuOptions.ptxas.empty())
    module.emitWarning("no ptxas was found: the driver compiles the kernels "
                       "when the module is first loaded (pip install "
                       "nvidia-cuda-nvcc has one)");
  for (auto [kind, bytes] :
       {std::pair{"cubin", &GpuImage::cubin}, {"ptx", &GpuImage::ptx}})
    for (GpuImage &image : *compiled)
      if (!(image.*bytes).empty())
        result.images.push_back({kind, image.symbol, std::move(image.*bytes)});
  return result;
}
