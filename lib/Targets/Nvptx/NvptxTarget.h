//===- NvptxTarget.h - NVIDIA GPUs ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_TARGETS_NVPTX_NVPTXTARGET_H
#define PREC_LIB_TARGETS_NVPTX_NVPTXTARGET_H

#include "prec/Target/Target.h"

namespace prec::targets {

/// What the matrix units of a chip multiply, one file each.
struct NvptxChip {
  llvm::StringRef name;
  ArrayRef<ArrayRef<Product>> products;
  std::optional<Fp8Accumulator> fp8Accumulator;
  ArrayRef<llvm::StringLiteral> gpus;
  /// Whether there are kernels of products of experts for its matrix units.
  bool hasGrouped = false;
  AttentionLibrary attention = AttentionLibrary::CuDnn;
};

extern const NvptxChip kSm80, kSm89, kSm90a, kSm100a;

/// The kernels of `module` as PTX and, where there is a ptxas, as cubins.
FailureOr<CompiledKernels> compileNvptxKernels(ModuleOp module,
                                               llvm::StringRef chip,
                                               const KernelOptions &options);

} // namespace prec::targets

#endif // PREC_LIB_TARGETS_NVPTX_NVPTXTARGET_H
