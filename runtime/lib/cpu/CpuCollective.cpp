//===- CpuCollective.cpp - bytes between ranks, on a CPU ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CpuRules.h"

using namespace prec::rt;

namespace {

/// The operands of a command, and the bytes of a rank's block of them.
struct Exchange {
  const char *given;
  char *got;
  int64_t block;
  RankGroup group;

  Exchange(const CpuContext &context, const Command &command, int ofRank)
      : given(context.address[command.collective.a]),
        got(context.address[command.collective.d]),
        block(context.manifest.buffers[ofRank].bytes()),
        group(context.manifest.groupOf(command.collective.axis,
                                       context.ranks ? context.ranks->rank()
                                                     : 0)) {}
};

} // namespace

static Status named(const Command &command, const Status &status) {
  return status.ok() ? status
                     : status.prefixed("command '" + command.name + "': ");
}

template <>
Status CpuRules<CommandKind::allGather>::prepare(CpuPlan &, const Command &) {
  return {};
}
template <>
Status CpuRules<CommandKind::allGather>::run(const CpuContext &context,
                                             const Command &command) {
  Exchange exchange(context, command, command.collective.a);
  if (context.ranks)
    return named(command, context.ranks->exchange(
                              exchange.group, exchange.given, /*stride=*/0,
                              exchange.got, exchange.block));
  for (int64_t i = 0; i < exchange.group.size; ++i)
    if (char *got = exchange.got + i * exchange.block; got != exchange.given)
      copyBytes(context.pool, got, exchange.given, exchange.block);
  return {};
}

template <>
Status CpuRules<CommandKind::allToAll>::prepare(CpuPlan &, const Command &) {
  return {};
}
template <>
Status CpuRules<CommandKind::allToAll>::run(const CpuContext &context,
                                            const Command &command) {
  Exchange exchange(context, command, command.collective.a);
  const int64_t part = exchange.block / exchange.group.size;
  if (context.ranks)
    return named(command,
                 context.ranks->exchange(exchange.group, exchange.given, part,
                                         exchange.got, part));
  copyBytes(context.pool, exchange.got, exchange.given, exchange.block);
  return {};
}

template <>
Status CpuRules<CommandKind::ownSlice>::prepare(CpuPlan &, const Command &) {
  return {};
}
template <>
Status CpuRules<CommandKind::ownSlice>::run(const CpuContext &context,
                                            const Command &command) {
  Exchange exchange(context, command, command.collective.d);
  copyBytes(context.pool, exchange.got,
            exchange.given + exchange.group.own * exchange.block,
            exchange.block);
  return {};
}
