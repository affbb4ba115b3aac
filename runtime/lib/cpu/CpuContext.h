//===- CpuContext.h - what commands on the CPU run with ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CPU_CPUCONTEXT_H
#define PREC_RT_CPU_CPUCONTEXT_H

#include "Blas.h"
#include "Manifest.h"
#include "ThreadPool.h"

namespace prec::rt {

/// Floats that a piece of scratch memory takes, so that the next one begins
/// like the first.
inline int64_t pieceOf(int64_t floats) { return (floats + 15) & ~15; }

/// Where commands find their operands and scratch memory.
struct CpuContext {
  const Manifest &manifest;
  const std::vector<char *> &address; ///< by buffer
  const Blas &blas;
  ThreadPool &pool;
  float *scratch;
  bool hasBf16Pairs; ///< whether products may be of pairs (Bf16Pairs.h)
};

} // namespace prec::rt

#endif // PREC_RT_CPU_CPUCONTEXT_H
