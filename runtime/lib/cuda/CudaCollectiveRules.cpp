//===- CudaCollectiveRules.cpp - commands between ranks -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaRules.h"

using namespace prec::rt;

namespace {

/// The operands of a command, and the bytes of a rank's block of them.
struct Exchange {
  CUdeviceptr given, got;
  int64_t block;

  Exchange(const CudaWork &work, const Command &command, int ofRank)
      : given(work.address(command.collective.a)),
        got(work.address(command.collective.d)),
        block(work.buffer(ofRank).bytes()) {}
};

} // namespace

static Status copy(const CudaWork &work, CUdeviceptr to, CUdeviceptr from,
                   int64_t bytes) {
  if (bytes == 0)
    return {};
  return work.driver.check(
      work.driver.cuMemcpyDtoDAsync(to, from, static_cast<size_t>(bytes),
                                    work.stream),
      "copying " + std::to_string(bytes) + " bytes");
}

template <>
Status CudaRules<CommandKind::allGather>::plan(CudaWork &, const Command &) {
  return {};
}
template <>
Status CudaRules<CommandKind::allGather>::launch(CudaWork &work,
                                                 const Command &command) {
  Exchange exchange(work, command, command.collective.a);
  if (work.ranks)
    return work.ranks->allGather(exchange.given, exchange.got, exchange.block,
                                 work.stream);
  return copy(work, exchange.got, exchange.given, exchange.block);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::allGather>::engine(CudaWork &, const Command &) {
  return std::optional<Engine>();
}

template <>
Status CudaRules<CommandKind::allToAll>::plan(CudaWork &, const Command &) {
  return {};
}
template <>
Status CudaRules<CommandKind::allToAll>::launch(CudaWork &work,
                                                const Command &command) {
  Exchange exchange(work, command, command.collective.a);
  if (work.ranks)
    return work.ranks->allToAll(exchange.given, exchange.got,
                                exchange.block / work.ranks->size(),
                                work.stream);
  return copy(work, exchange.got, exchange.given, exchange.block);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::allToAll>::engine(CudaWork &, const Command &) {
  return std::optional<Engine>();
}

template <>
Status CudaRules<CommandKind::ownSlice>::plan(CudaWork &, const Command &) {
  return {};
}
template <>
Status CudaRules<CommandKind::ownSlice>::launch(CudaWork &work,
                                                const Command &command) {
  Exchange exchange(work, command, command.collective.d);
  const int64_t rank = work.ranks ? work.ranks->rank() : 0;
  return copy(work, exchange.got,
              exchange.given + static_cast<CUdeviceptr>(rank * exchange.block),
              exchange.block);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::ownSlice>::engine(CudaWork &, const Command &) {
  return std::optional<Engine>();
}
