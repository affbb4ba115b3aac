//===- CudaCopyRules.cpp - commands that copy and clear buffers -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaRules.h"

using namespace prec::rt;

template <>
Status CudaRules<CommandKind::copy>::plan(CudaWork &, const Command &) {
  return {};
}
template <>
Status CudaRules<CommandKind::copy>::launch(CudaWork &work,
                                            const Command &command) {
  const int64_t bytes = work.buffer(command.copied.src).bytes();
  if (bytes == 0)
    return Status();
  return work.driver.check(
      work.driver.cuMemcpyDtoDAsync(work.address(command.copied.dst),
                                    work.address(command.copied.src),
                                    static_cast<size_t>(bytes), work.stream),
      "copying " + std::to_string(bytes) + " bytes");
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::copy>::engine(CudaWork &, const Command &) {
  return std::optional<Engine>();
}

template <>
Status CudaRules<CommandKind::fill>::plan(CudaWork &, const Command &) {
  return {};
}
template <>
Status CudaRules<CommandKind::fill>::launch(CudaWork &work,
                                            const Command &command) {
  const int64_t bytes = work.buffer(command.copied.dst).bytes();
  if (bytes == 0)
    return Status();
  return work.driver.check(
      work.driver.cuMemsetD8Async(work.address(command.copied.dst), 0,
                                  static_cast<size_t>(bytes), work.stream),
      "clearing " + std::to_string(bytes) + " bytes");
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::fill>::engine(CudaWork &, const Command &) {
  return std::optional<Engine>();
}
