//===- Ptxas.h - NVIDIA's assembler -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_MACHINECODE_PTXAS_H
#define PREC_LIB_CODEGEN_MACHINECODE_PTXAS_H

#include "prec/Codegen/Codegen.h"

#include "llvm/Support/Error.h"

namespace prec {

/// What decides a cubin beside its PTX: the version that `options.ptxas` says
/// it has, and how it is called. Empty without a ptxas.
llvm::Expected<std::string> describePtxas(const GpuOptions &options);

/// Fills in `cubin` and `log` of kernels from their `ptx`: one cubin that has
/// them all. May be called by several threads.
llvm::Error assemble(const GpuOptions &options,
                     llvm::ArrayRef<GpuImage *> images);

} // namespace prec

#endif // PREC_LIB_CODEGEN_MACHINECODE_PTXAS_H
