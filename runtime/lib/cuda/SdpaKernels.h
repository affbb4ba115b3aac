//===- SdpaKernels.h - gradients of attention by kernels --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two kernels that a module may bring for the gradients of attention, of
// queries and of keys. Both take tensor maps of q, k, v and do, then pointers
// to o, lse, statistics of queries that the first leaves for the second, dq, dk
// and dv.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_CUDA_SDPAKERNELS_H
#define PREC_RT_CUDA_SDPAKERNELS_H

#include "CudaKernels.h"
#include "Sdpa.h"

namespace prec::rt {

/// Two f32 for each query, whose number is rounded up for each head.
int64_t sdpaStatisticBytes(const SdpaProblem &problem);

/// `workspace` has room for the statistics.
Status launchSdpaKernels(const CudaDriver &driver, const CudaKernels &kernels,
                         CUstream stream, const std::vector<Kernel> &launches,
                         const SdpaProblem &problem, SdpaOperands operands,
                         CUdeviceptr workspace);

} // namespace prec::rt

#endif // PREC_RT_CUDA_SDPAKERNELS_H
