//===- GemmScratch.h - operands to measure GEMM algorithms on ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_GEMMSCRATCH_H
#define PREC_RT_CUDA_GEMMSCRATCH_H

#include "GemmPlanner.h"

namespace prec::rt {

/// Memory of a problem's shape, filled with random finite values: a product of
/// zeros takes less power and so runs faster than any real one.
class GemmScratch {
public:
  static Result<GemmScratch> create(const CudaDriver &driver, CUstream stream,
                                    const GemmProblem &problem,
                                    int64_t cacheBytes);

  /// Launches each contender once a round, one after the other, so that a GPU
  /// that heats up or slows down does so for all of them, and each with
  /// nothing of its operands in the L2 cache. A first round does not count: who
  /// cannot be launched in it is taken out, and `refusal` says why. `plan` is
  /// left with another algorithm; the inverse scales at `unitScale` are those
  /// of both operands where these are scaled.
  Status race(const CudaDriver &driver, const CublasLt &lt, CUstream stream,
              GemmPlan &plan, CUdeviceptr unitScale, int rounds,
              std::vector<GemmContender> &contenders, Status &refusal) const;

private:
  DeviceMemory a, b, c, d, bias, workspaceMemory;
  GemmProblem problem;
  /// Written in the workspace before a launch, to empty the cache.
  size_t evictedBytes = 0;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_GEMMSCRATCH_H
