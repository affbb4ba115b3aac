//===- CudaPrimaryContext.h - the GPU and the stream ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUDAPRIMARYCONTEXT_H
#define PREC_RT_CUDA_CUDAPRIMARYCONTEXT_H

#include "CudaDriver.h"
#include "CudaKernels.h"

namespace prec::rt {

/// The primary context of a GPU, which the CUDA runtime inside cuDNN uses too.
class CudaPrimaryContext {
public:
  /// Of the GPU that the options name, or else that of their stream, of the
  /// calling thread's context, or the first one.
  static Result<CudaPrimaryContext> retain(const CudaDriver &driver,
                                           const OpenOptions &options);
  CudaPrimaryContext() = default;
  CudaPrimaryContext(CudaPrimaryContext &&other) noexcept
      : info(std::move(other.info)), index(other.index), device(other.device),
        context(std::exchange(other.context, nullptr)), release(other.release) {
  }
  CudaPrimaryContext &operator=(CudaPrimaryContext &&) = delete;
  ~CudaPrimaryContext() {
    if (context)
      (void)release(device);
  }
  CUcontext get() const { return context; }
  /// A stream of this context: the one of the options, or a new one.
  Result<CudaStream> openStream(const CudaDriver &driver,
                                const OpenOptions &options) const;

  CudaDeviceInfo info;
  int index = 0; ///< of the GPU, in the driver's order

private:
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUresult (*release)(CUdevice) = nullptr;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUDAPRIMARYCONTEXT_H
