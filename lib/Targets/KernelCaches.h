//===- KernelCaches.h - the kernel cache of a compilation -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_TARGETS_KERNELCACHES_H
#define PREC_LIB_TARGETS_KERNELCACHES_H

#include "prec/Codegen/KernelCache.h"
#include "prec/Target/Target.h"

namespace prec::targets {

/// The cache that a compilation asks for; null if for none. Reports a folder
/// that is none.
FailureOr<std::unique_ptr<KernelCache>>
openKernelCache(ModuleOp module, const KernelOptions &options);

/// Keeps a cache within its size, and says what became of it.
void closeKernelCache(ModuleOp module, const KernelCache &cache,
                      const KernelOptions &options);

} // namespace prec::targets

#endif // PREC_LIB_TARGETS_KERNELCACHES_H
