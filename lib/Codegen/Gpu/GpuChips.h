//===- GpuChips.h - chips that kernels are compiled for ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row for each architecture: what LLVM, kernels and ptxas need to know of
// it.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_GPUCHIPS_H
#define PREC_LIB_CODEGEN_GPU_GPUCHIPS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace prec {

struct GpuArchitecture {
  unsigned number; ///< 90 of "sm_90a"
  /// Least version of PTX that kernels for it are written in; 70 is 7.0.
  unsigned leastPtx;
  /// Bytes of shared memory of a block, when asked for, and of a
  /// multiprocessor.
  int64_t blockShared, multiprocessorShared;
};

/// The number in a chip's name: 90 of "sm_90a"; 0 of other names.
unsigned architectureOf(llvm::StringRef chip);
/// That of a chip with bf16; null if it has none or is not known.
const GpuArchitecture *findArchitecture(llvm::StringRef chip);
/// "sm_80, sm_86 or sm_90", of all.
std::string getArchitectureNames();
/// Whether it converts FP8.
bool convertsFp8(llvm::StringRef chip);
/// The first that does, as in "sm_89".
std::string getFirstWithFp8();
/// Whether warpgroups multiply matrices of shared memory (wgmma).
bool hasWarpgroups(llvm::StringRef chip);

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_GPUCHIPS_H
