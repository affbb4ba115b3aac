//===- CpuContext.h - what commands on the CPU run with ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CPU_CPUCONTEXT_H
#define PREC_RT_CPU_CPUCONTEXT_H

#include "Blas.h"
#include "Communicator.h"
#include "Manifest.h"
#include "OpenOptions.h"
#include "ThreadPool.h"
#include "prec-rt/module.h"

#include <unordered_map>

namespace prec::rt {

/// Floats that a piece of scratch memory takes, so that the next one begins
/// like the first.
inline int64_t pieceOf(int64_t floats) { return (floats + 15) & ~15; }

/// One worker's scratch memory, handed out piece by piece.
class ScratchPieces {
public:
  explicit ScratchPieces(float *start) : next(start) {}
  float *take(int64_t floats) {
    float *piece = next;
    next += pieceOf(floats);
    return piece;
  }

private:
  float *next;
};

/// Pointers of a kernel's args; built once, as a step allocates nothing.
using KernelArguments =
    std::unordered_map<const Command *, std::vector<void *>>;

/// A function of the caller's and all that it is given; built once.
struct HostCall {
  HostFunction function;
  std::vector<prec_rt_tensor> inputs, results;
  prec_rt_call call{};
};
using HostCalls = std::unordered_map<const Command *, HostCall>;

/// Where commands find their operands and scratch memory.
struct CpuContext {
  const Manifest &manifest;
  const std::vector<char *> &address; ///< by buffer
  const Blas &blas;
  ThreadPool &pool;
  float *scratch;
  bool hasBf16Pairs; ///< whether products may be of pairs (Bf16Pairs.h)
  const prec_cpu_kernel *kernels; ///< of the module
  const KernelArguments &arguments;
  const HostCalls &calls;
  Communicator *ranks; ///< null where the module is run alone
};

/// An operand of a command in memory.
struct CpuOperand {
  DType dtype;
  int64_t size; ///< bytes of an element
  char *data;

  CpuOperand(const CpuContext &context, int buffer)
      : dtype(context.manifest.buffers[static_cast<size_t>(buffer)].dtype),
        size(byteSize(dtype)),
        data(context.address[static_cast<size_t>(buffer)]) {}
  char *at(int64_t element) const { return data + element * size; }
};

} // namespace prec::rt

#endif // PREC_RT_CPU_CPUCONTEXT_H
