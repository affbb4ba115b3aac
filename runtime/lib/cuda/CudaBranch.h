//===- CudaBranch.h - a second stream beside a module's ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDABRANCH_H
#define PREC_RT_CUDA_CUDABRANCH_H

#include "CudaDriver.h"

#include <vector>

namespace prec::rt {

/// A stream for what runs beside the commands of a module, of which it waits
/// for what is in front of it, and which wait for it where they say so. Works
/// alike while the module's stream is recorded, as long as what was begun is
/// awaited before the recording ends. Needs a current context.
class CudaBranch {
public:
  static Result<CudaBranch> open(const CudaDriver &driver);

  CUstream stream() const { return own.get(); }
  /// What is put on the branch from now on waits for what is on `line`.
  Status fork(const CudaDriver &driver, CUstream line);
  /// What is on the branch now is bucket `number`.
  Status mark(const CudaDriver &driver, int64_t number);
  /// What is put on `line` from now on waits for bucket `number`, which was
  /// marked.
  Status await(const CudaDriver &driver, CUstream line, int64_t number);

private:
  CudaStream own;
  CudaEvent forked;
  std::vector<CudaEvent> ends; ///< by bucket
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDABRANCH_H
