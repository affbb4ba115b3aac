//===- LaunchTimer.h - times by the GPU's own clock -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_LAUNCHTIMER_H
#define PREC_RT_CUDA_LAUNCHTIMER_H

#include "CudaDriver.h"

#include <functional>
#include <string>
#include <vector>

namespace prec::rt {

/// Milliseconds of each of `count` launches, all put on the stream at once, in
/// the current context. Errors name `what`.
Result<std::vector<double>>
timeLaunches(const CudaDriver &driver, CUstream stream, size_t count,
             const std::string &what,
             const std::function<Status(size_t)> &launch);

/// Bytes a millisecond that copies in device memory read and write, of blocks
/// that a cache of so many bytes does not hold.
Result<double> measureCopyRate(const CudaDriver &driver, CUstream stream,
                               int64_t cacheBytes);

} // namespace prec::rt

#endif // PREC_RT_CUDA_LAUNCHTIMER_H
