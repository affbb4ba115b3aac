//===- CpuContext.h - what commands on the CPU run with ---------*- C++ -*-===//
#ifndef PREC_RT_CPU_CPUCONTEXT_H
#define PREC_RT_CPU_CPUCONTEXT_H

#include "Blas.h"
#include "Manifest.h"
#include "ThreadPool.h"

namespace prec::rt {

/// Where commands find their operands and scratch memory.
struct CpuContext {
  const Manifest &manifest;
  const std::vector<char *> &address; ///< by buffer
  const Blas &blas;
  ThreadPool &pool;
  float *scratch;
  bool hasBf16Pairs; ///< whether products of bf16 may use them (Bf16Pairs.h)
};

} // namespace prec::rt

#endif // PREC_RT_CPU_CPUCONTEXT_H
