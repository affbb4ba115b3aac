//===- NormalFill.h - random values on the GPU ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_NORMALFILL_H
#define PREC_RT_CUDA_NORMALFILL_H

#include "CudaDriver.h"
#include "Slice.h"

namespace prec::rt {

/// Normal deviates that depend on seed and index alone, as normalDeviate of
/// NormalDeviate.h. The kernel is loaded at the first use.
class NormalFill {
public:
  /// Fills the f32 of a slice at an address, each by its place in the whole
  /// tensor, and waits. Needs a current context.
  Status fill(const CudaDriver &driver, CUstream stream, CUdeviceptr target,
              const Slice &slice, float mean, float stddev, uint64_t seed);

private:
  CudaModule module;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_NORMALFILL_H
