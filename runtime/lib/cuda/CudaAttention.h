//===- CudaAttention.h - the attention of a step module ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDAATTENTION_H
#define PREC_RT_CUDA_CUDAATTENTION_H

#include "CudaKernels.h"
#include "CudaSegments.h"
#include "Sdpa.h"

namespace prec::rt {

/// Attention and its gradients, by cuDNN, which is opened at the first command
/// that needs it, or by kernels that the module brings for it.
class CudaAttention {
public:
  CudaAttention(const CudaDriver &driver, const ModuleImage &module,
                const CudaKernels &kernels, CUstream stream)
      : driver(driver), module(module), kernels(kernels), stream(stream) {}

  /// Makes the plan of a command, which layers of one shape share.
  Status plan(const Command &command);
  /// Bytes that the greediest command needs.
  int64_t workspaceBytes() const { return workspace; }

  static Engine engineOf(const Command &command);
  Status launch(const Command &command, const CudaSegments &segments) const;

private:
  const CudaDriver &driver;
  const ModuleImage &module;
  const CudaKernels &kernels;
  CUstream stream;
  std::unique_ptr<SdpaEngine> engine; ///< if cuDNN computes any of it
  std::map<std::string, std::shared_ptr<const SdpaPlan>> plans;
  int64_t workspace = 0;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDAATTENTION_H
