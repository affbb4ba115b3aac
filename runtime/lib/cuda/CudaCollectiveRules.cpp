//===- CudaCollectiveRules.cpp - commands between ranks -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaRules.h"

using namespace prec::rt;

static Status copy(const CudaWork &work, CUdeviceptr to, CUdeviceptr from,
                   int64_t bytes) {
  if (bytes == 0)
    return {};
  return work.driver.check(
      work.driver.cuMemcpyDtoDAsync(to, from, static_cast<size_t>(bytes),
                                    work.stream),
      "copying " + std::to_string(bytes) + " bytes");
}

static RankGroup groupOf(const CudaWork &work, const Collective &collective) {
  return work.manifest.groupOf(collective.axis,
                               work.ranks ? work.ranks->rank() : 0);
}

Status prec::rt::launchExchanges(CudaWork &work, const Command *first,
                                 size_t count) {
  std::vector<CudaExchange> all;
  for (size_t i = 0; i < count; ++i) {
    const Command &command = first[i];
    const Collective &collective = command.collective;
    const bool gathers = command.kind == CommandKind::allGather;
    const int64_t bytes = work.buffer(collective.a).bytes();
    const RankGroup group = groupOf(work, collective);
    all.push_back({gathers, group, work.address(collective.a),
                   work.address(collective.d),
                   gathers || !work.ranks ? bytes : bytes / group.size});
  }
  if (work.ranks)
    return work.ranks->exchange(all, work.stream, work.lane);
  // Of a rank alone, or where others' are left out.
  for (const CudaExchange &one : all) {
    const int64_t copies = one.gathers ? one.group.size : 1;
    for (int64_t i = 0; i < copies; ++i) {
      CUdeviceptr out = one.out + static_cast<CUdeviceptr>(i * one.bytes);
      if (out != one.in)
        PREC_RT_RETURN_IF_ERROR(copy(work, out, one.in, one.bytes));
    }
  }
  return {};
}

template <>
Status CudaRules<CommandKind::allGather>::plan(CudaWork &, const Command &) {
  return {};
}
template <>
Status CudaRules<CommandKind::allGather>::launch(CudaWork &work,
                                                 const Command &command) {
  return launchExchanges(work, &command, 1);
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
  return launchExchanges(work, &command, 1);
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
  const Collective &collective = command.collective;
  const int64_t block = work.buffer(collective.d).bytes();
  const int64_t rank = groupOf(work, collective).own;
  return copy(work, work.address(collective.d),
              work.address(collective.a) +
                  static_cast<CUdeviceptr>(rank * block),
              block);
}
template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::ownSlice>::engine(CudaWork &, const Command &) {
  return std::optional<Engine>();
}
