//===- Conv.h - convolutions by cuDNN ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CONV_H
#define PREC_RT_CUDA_CONV_H

#include "ConvShape.h"

#include <cuda.h>

#include <map>
#include <memory>

namespace prec::rt {

/// What decides a cuDNN plan: all tensors are dense, with channels last.
struct ConvProblem {
  std::string direction;
  DType operands, result;
  ConvShape shape;
  /// Two or three, with 1 in front of one.
  size_t dimensions;

  /// The problem of a command.
  static ConvProblem of(const Command &command, const Manifest &manifest);
  std::string text() const; ///< unique: also the key of a plan
};

class ConvPlan; // a cuDNN graph with a built execution plan

/// cuDNN, opened when used, with one handle on one stream.
class ConvEngine {
public:
  static Result<std::unique_ptr<ConvEngine>>
  open(const std::vector<std::string> &searchPaths, CUstream stream);
  ~ConvEngine();

  /// Layers of one shape share a plan. Building one takes up to seconds.
  Result<std::shared_ptr<const ConvPlan>> plan(const ConvProblem &problem);

  /// Of input, weight and output.
  Status launch(const ConvPlan &plan, CUdeviceptr x, CUdeviceptr w,
                CUdeviceptr y, CUdeviceptr workspace) const;

  static int64_t workspaceBytes(const ConvPlan &plan);

private:
  struct Library;
  explicit ConvEngine(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CONV_H
