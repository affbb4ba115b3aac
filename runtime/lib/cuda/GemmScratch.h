//===- GemmScratch.h - operands to measure GEMM algorithms on ---*- C++ -*-===//
#ifndef PREC_RT_CUDA_GEMMSCRATCH_H
#define PREC_RT_CUDA_GEMMSCRATCH_H

#include "GemmPlanner.h"

namespace prec::rt {

/// Memory of a problem's shape, filled with random finite values: a product of
/// zeros takes less power and so runs faster than any real one.
class GemmScratch {
public:
  static Result<GemmScratch> create(const CudaDriver &driver, CUstream stream,
                                    const GemmProblem &problem);

  /// Median milliseconds of five launches after three, on the stream, with
  /// the factors at `unitScale` for both operands where these are scaled.
  Result<double> time(const CudaDriver &driver, const CublasLt &lt,
                      CUstream stream, const GemmPlan &plan,
                      CUdeviceptr unitScale) const;

private:
  DeviceMemory a, b, c, d, workspaceMemory;
  GemmProblem problem;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_GEMMSCRATCH_H
