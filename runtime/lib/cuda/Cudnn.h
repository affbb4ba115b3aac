//===- Cudnn.h - cuDNN, opened when used ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDNN_H
#define PREC_RT_CUDA_CUDNN_H

#include "DynamicLibrary.h"

#include <cuda.h>
#include <cudnn.h>

namespace prec::rt {

/// cuDNN with one handle on one stream, which those who make plans derive from.
struct Cudnn {
  cudnnHandle_t handle = nullptr;
  std::string version;
  /// Libraries that cuDNN may miss later: only told when something fails.
  std::string missing;

  Cudnn() = default;
  Cudnn(const Cudnn &) = delete;
  Cudnn &operator=(const Cudnn &) = delete;
  ~Cudnn();

  /// `what` needs it: "attention".
  Status open(const std::string &what,
              const std::vector<std::string> &searchPaths, CUstream stream);

private:
  decltype(&::cudnnDestroy) destroy = nullptr;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDNN_H
