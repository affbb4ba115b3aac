//===- KernelCaches.cpp - the kernel cache of a compilation ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets/KernelCaches.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace prec;

FailureOr<std::unique_ptr<KernelCache>>
targets::openKernelCache(ModuleOp module, const KernelOptions &options) {
  if (options.kernelCache.empty())
    return std::unique_ptr<KernelCache>();
  auto opened = KernelCache::open(options.kernelCache);
  if (!opened)
    return module.emitError(llvm::toString(opened.takeError()));
  return std::move(*opened);
}

void targets::closeKernelCache(ModuleOp module, const KernelCache &cache,
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
