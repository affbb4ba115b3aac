//===- CudaGemms.h - the matrix products of a step module -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDAGEMMS_H
#define PREC_RT_CUDA_CUDAGEMMS_H

#include "CudaSegments.h"
#include "GemmRivals.h"

#include <optional>

namespace prec::rt {

/// The products of a module by cuBLASLt, which is opened at the first: plans
/// that layers of one shape share, and the algorithm file that keeps choices.
class CudaGemms {
public:
  /// Reads the algorithm file of the module, if there is one.
  static Result<std::unique_ptr<CudaGemms>> open(const CudaDriver &driver,
                                                 const ModuleImage &module,
                                                 const CudaDeviceInfo &gpu,
                                                 CUstream stream);
  CudaGemms(const CudaDriver &driver, const ModuleImage &module,
            const CudaDeviceInfo &gpu, CUstream stream,
            AlgorithmFile algorithms)
      : driver(driver), module(module), gpu(gpu), stream(stream),
        algorithms(std::move(algorithms)) {}

  /// What the algorithm file has or gets.
  std::string algorithmText() const { return algorithms.text(); }
  /// Before the first plan: that of another rank, in the place of a file.
  Status adoptAlgorithms(const std::string &text);
  /// Makes the plan of a product, unless there is one for its problem.
  Status plan(const Gemm &gemm);
  /// After the last plan: writes the algorithm file, if it has new choices.
  Status endPlanning();
  /// Bytes that the greediest plan or rival needs.
  int64_t workspaceBytes() const { return workspace; }

  /// See chooseRivals of GemmRivals.h.
  Status choose(const std::vector<Command> &commands, const TimeCommands &time);
  Result<Engine> engineOf(const Gemm &gemm);
  Status launch(const Gemm &gemm, const CudaSegments &segments);

private:
  Result<GemmPlan *> find(const Gemm &gemm);

  const CudaDriver &driver;
  const ModuleImage &module;
  const CudaDeviceInfo &gpu;
  CUstream stream;
  AlgorithmFile algorithms;
  std::unique_ptr<CublasLt> lt; ///< if the module has products
  GemmPlans plans;
  std::optional<GemmPlanner> planner; ///< until planning ends
  int64_t workspace = 0;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDAGEMMS_H
