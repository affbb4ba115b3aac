//===- Nccl.cpp - NCCL, opened when used ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Nccl.h"

#include "DynamicLibrary.h"

#include <algorithm>

using namespace prec::rt;

Result<Nccl> Nccl::open(const std::vector<std::string> &searchPaths) {
  Result<DynamicLibrary> library = DynamicLibrary::open(
      "NCCL 2, which moves bytes between the GPUs of ranks,", "libnccl.so.2",
      searchPaths);
  if (!library.ok())
    return library.status();
  Nccl nccl;
#define PREC_RT_LOAD(function)                                                 \
  {                                                                            \
    Result<void *> address = library->find(#function);                         \
    if (!address.ok())                                                         \
      return address.status();                                                 \
    nccl.function = reinterpret_cast<decltype(&::function)>(*address);         \
  }
  PREC_RT_NCCL_FUNCTIONS(PREC_RT_LOAD)
#undef PREC_RT_LOAD
  return nccl;
}

Status Nccl::check(ncclResult_t result, const std::string &what,
                   ncclComm_t communicator) const {
  if (result == ncclSuccess)
    return {};
  int version = 0;
  // Only told along: where even this fails, it is 0.
  (void)ncclGetVersion(&version);
  const char *last = ncclGetLastError(communicator);
  std::string reason = last ? last : "";
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  return Status::deviceError(what + ": must succeed, but got " +
                             ncclGetErrorString(result) +
                             (reason.empty() ? "" : " (" + reason + ")") +
                             " from NCCL " + std::to_string(version / 10000) +
                             "." + std::to_string(version / 100 % 100) + "." +
                             std::to_string(version % 100));
}
