//===- CudaConvolutions.h - the convolutions of a step module ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDACONVOLUTIONS_H
#define PREC_RT_CUDA_CUDACONVOLUTIONS_H

#include "Conv.h"
#include "CudaSegments.h"

namespace prec::rt {

/// Convolutions and their gradients by cuDNN, which is opened at the first.
class CudaConvolutions {
public:
  CudaConvolutions(const ModuleImage &module, CUstream stream)
      : module(module), stream(stream) {}

  /// Makes the plan of a command, which layers of one shape share.
  Status plan(const Command &command);
  /// Bytes that the greediest command needs.
  int64_t workspaceBytes() const { return workspace; }

  Status launch(const Command &command, const CudaSegments &segments) const;

private:
  const ModuleImage &module;
  CUstream stream;
  std::unique_ptr<ConvEngine> engine; ///< if there are any
  std::map<std::string, std::shared_ptr<const ConvPlan>> plans;
  int64_t workspace = 0;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDACONVOLUTIONS_H
