//===- NvptxKernels.cpp - kernels of a module as PTX and cubins -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets/Nvptx/NvptxTarget.h"

#include "prec/Codegen/Codegen.h"

#include "Targets/KernelCaches.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace prec;

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
  FailureOr<std::unique_ptr<KernelCache>> cache =
      openKernelCache(module, options);
  if (failed(cache))
    return failure();
  gpuOptions.cache = cache->get();
  FailureOr<std::vector<GpuImage>> compiled =
      compileGpuImages(kernels, gpuOptions);
  if (failed(compiled))
    return failure();
  if (*cache)
    closeKernelCache(module, **cache, options);
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
