//===- CpuCommands.cpp - kernels and copies on a CPU ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CpuRules.h"

#include <climits>
#include <cstring>

using namespace prec::rt;

Status prec::rt::checkExtents(const Command &command, const char *what,
                              std::initializer_list<int64_t> extents) {
  for (int64_t extent : extents)
    if (extent > INT_MAX)
      return Status::unsupported(
          "command '" + command.name + "': extents of " + what +
          " on the cpu must be below 2^31, but got " + std::to_string(extent));
  return {};
}

/// Below this many bytes of operands a loop ends sooner than threads wake.
static constexpr int64_t smallKernelBytes = 16 << 10;

template <>
Status CpuRules<CommandKind::kernel>::prepare(CpuPlan &plan,
                                              const Command &command) {
  std::vector<void *> &pointers = plan.arguments[&command];
  for (int arg : command.kernel.args)
    pointers.push_back(plan.address[arg]);
  return {};
}

template <>
Status CpuRules<CommandKind::kernel>::run(const CpuContext &context,
                                          const Command &command) {
  prec_cpu_kernel kernel = context.kernels[command.kernel.index];
  void *const *buffers = context.arguments.find(&command)->second.data();
  int64_t bytes = 0;
  for (int arg : command.kernel.args)
    bytes += context.manifest.buffers[arg].bytes();
  const int64_t extent = command.kernel.extent;
  // Four ranges a thread even out cores that are busy elsewhere.
  int64_t ranges =
      bytes < smallKernelBytes ? 1 : 4 * int64_t(context.pool.size());
  context.pool.parallelFor(extent, (extent + ranges - 1) / ranges,
                           [&](int64_t begin, int64_t end, unsigned) {
                             kernel(buffers, begin, end);
                           });
  return {};
}

void prec::rt::copyBytes(ThreadPool &pool, char *target, const char *source,
                         int64_t bytes) {
  pool.parallelFor(bytes, kCopyRange,
                   [&](int64_t begin, int64_t end, unsigned) {
                     memcpy(target + begin, source + begin, end - begin);
                   });
}

template <>
Status CpuRules<CommandKind::copy>::prepare(CpuPlan &, const Command &) {
  return {};
}

template <>
Status CpuRules<CommandKind::copy>::run(const CpuContext &context,
                                        const Command &command) {
  char *target = context.address[command.copied.dst];
  const char *source = context.address[command.copied.src];
  if (target == source)
    return {};
  copyBytes(context.pool, target, source,
            context.manifest.buffers[command.copied.dst].bytes());
  return {};
}

template <>
Status CpuRules<CommandKind::fill>::prepare(CpuPlan &, const Command &) {
  return {};
}

template <>
Status CpuRules<CommandKind::fill>::run(const CpuContext &context,
                                        const Command &command) {
  char *target = context.address[command.copied.dst];
  context.pool.parallelFor(context.manifest.buffers[command.copied.dst].bytes(),
                           kCopyRange,
                           [&](int64_t begin, int64_t end, unsigned) {
                             memset(target + begin, 0, end - begin);
                           });
  return {};
}
