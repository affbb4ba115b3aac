//===- AssembleKernels.h - PTX of kernels to cubins -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_MACHINECODE_ASSEMBLEKERNELS_H
#define PREC_LIB_CODEGEN_MACHINECODE_ASSEMBLEKERNELS_H

#include "prec/Codegen/Codegen.h"

#include "llvm/Support/Error.h"

namespace prec {

/// A kernel in PTX.
struct PtxKernel {
  GpuImage image;
  /// Nothing that it names is another kernel's.
  bool mayShareCubin = false;
};

/// Fills in the cubins of kernels. `description` is what decides them beside
/// the PTX, where the options have a cache.
llvm::Error assembleKernels(const GpuOptions &options,
                            llvm::StringRef description,
                            mlir::MLIRContext *context,
                            llvm::MutableArrayRef<PtxKernel> kernels);

} // namespace prec

#endif // PREC_LIB_CODEGEN_MACHINECODE_ASSEMBLEKERNELS_H
