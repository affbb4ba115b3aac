//===- Nccl.h - NCCL, opened when used --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_NCCL_H
#define PREC_RT_CUDA_NCCL_H

#include "Status.h"

#include <nccl.h>

#include <string>
#include <vector>

#define PREC_RT_NCCL_FUNCTIONS(X)                                              \
  X(ncclGetVersion)                                                            \
  X(ncclGetErrorString)                                                        \
  X(ncclGetLastError)                                                          \
  X(ncclGetUniqueId)                                                           \
  X(ncclCommInitRank)                                                          \
  X(ncclCommAbort)                                                             \
  X(ncclCommGetAsyncError)                                                     \
  X(ncclAllGather)                                                             \
  X(ncclSend)                                                                  \
  X(ncclRecv)                                                                  \
  X(ncclGroupStart)                                                            \
  X(ncclGroupEnd)

namespace prec::rt {

/// The functions of libnccl.so.2. Copyable; valid for the process's life.
struct Nccl {
#define PREC_RT_MEMBER(function) decltype(&::function) function = nullptr;
  PREC_RT_NCCL_FUNCTIONS(PREC_RT_MEMBER)
#undef PREC_RT_MEMBER

  static Result<Nccl> open(const std::vector<std::string> &searchPaths);

  /// Ok, or an error that begins with `what` and quotes NCCL, and what it says
  /// last of a communicator, if there is one.
  Status check(ncclResult_t result, const std::string &what,
               ncclComm_t communicator = nullptr) const;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_NCCL_H
