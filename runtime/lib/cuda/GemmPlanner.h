//===- GemmPlanner.h - cuBLASLt plans with a measured choice ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_GEMMPLANNER_H
#define PREC_RT_CUDA_GEMMPLANNER_H

#include "AlgorithmFile.h"
#include "CublasLt.h"
#include "CudaDriver.h"
#include "CudaKernels.h"
#include "GemmProblem.h"

#include <vector>

namespace prec::rt {

/// An algorithm that is measured.
struct GemmContender {
  cublasLtMatmulAlgo_t algorithm;
  size_t workspace = 0;               ///< bytes
  std::vector<double> milliseconds{}; ///< of each launch that counts

  double median() const;
};

/// Device addresses of one launch; scales and bias are null where there are
/// none.
struct GemmOperands {
  CUdeviceptr a, b, c, d, scaleA, scaleB, bias;
};

/// A problem with its descriptors and the algorithm that serves it.
struct GemmPlan {
  GemmProblem problem;
  CublasLtDescriptor operation;
  CublasLtLayout first, second, result; ///< as in ColumnMajorGemm
  cublasLtMatmulAlgo_t algorithm{};
  size_t workspace = 0; ///< bytes
  /// Algorithms that were about as fast when the product was measured alone,
  /// the chosen one first; empty if none was or the choice is final.
  std::vector<GemmContender> rivals{};
  int64_t candidates = 0; ///< that were measured; 0 if that is not known
  /// As measured when the algorithm was chosen.
  double milliseconds = 0;

  void take(const GemmContender &contender) {
    algorithm = contender.algorithm;
    workspace = contender.workspace;
  }
  /// Ends the choice with the contender that was measured as the fastest.
  void choose(const GemmContender &contender);
  /// What the algorithm file has of the choice.
  Algorithm describeChoice() const;

  Status launch(const CublasLt &lt, CUstream stream,
                const GemmOperands &operands, float alpha, float beta,
                CUdeviceptr workspaceMemory) const;
};

/// Makes plans: the algorithm comes from the algorithm file, or is the fastest
/// of cuBLASLt's candidates here and now. It is entered into the file, unless
/// it has rivals, of which there are none where that choice is final.
class GemmPlanner {
public:
  /// Most algorithms that are measured for one problem. The heuristic orders
  /// them by times that it estimates, and the fastest need not be among its
  /// first. Whoever does not get past the first heat costs two launches, once:
  /// the choice is kept in the algorithm file.
  static constexpr size_t maxCandidates = 64;
  /// Most bytes of workspace that an algorithm may ask for.
  static constexpr uint64_t maxWorkspace = 64 << 20;

  GemmPlanner(const CudaDriver &driver, const CublasLt &lt, CUstream stream,
              const CudaDeviceInfo &gpu, AlgorithmFile &file, bool isFinal)
      : driver(driver), lt(lt), stream(stream), gpu(gpu), file(file),
        isFinal(isFinal) {}

  /// Measures in scratch memory of its own: planning changes no buffer.
  Result<GemmPlan> plan(const GemmProblem &problem);

private:
  Status describe(GemmPlan &plan);
  Status setScaleModes(GemmPlan &plan);
  Status setUnitScales(GemmPlan &plan);
  Status setEpilogue(GemmPlan &plan);
  Status takeFromFile(GemmPlan &plan, const std::string &key,
                      const Algorithm &known) const;
  Status chooseFastest(GemmPlan &plan) const;
  Result<std::vector<cublasLtMatmulHeuristicResult_t>>
  candidates(const GemmPlan &plan) const;
  /// The candidates whose results are the same bits every time.
  Result<std::vector<GemmContender>> findContenders(const GemmPlan &plan) const;
  Result<bool> isReproducible(const cublasLtMatmulAlgo_t &algorithm) const;

  const CudaDriver &driver;
  const CublasLt &lt;
  CUstream stream;
  const CudaDeviceInfo &gpu;
  AlgorithmFile &file;
  bool isFinal;
  DeviceMemory unitScale; ///< inverse scales of 1 for the problem being planned
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_GEMMPLANNER_H
