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

/// Fills in `cubin` and `log` from `ptx`. May be called by several threads.
llvm::Error assemble(const GpuOptions &options, GpuImage &image);

} // namespace prec

#endif // PREC_LIB_CODEGEN_MACHINECODE_PTXAS_H
