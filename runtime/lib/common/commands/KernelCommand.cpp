//===- KernelCommand.cpp - generated kernels ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandRules.h"

#include <algorithm>
#include <cmath>

using namespace prec::rt;

/// f32 operations between an input and an output of a kernel besides the chain
/// of additions; exp, log and their like count as the few ulp they err by.
static constexpr int64_t kernelOperations = 32;

template <>
Status CommandRules<CommandKind::kernel>::verify(const CommandCheck &check) {
  for (int arg : check.command.kernel.args)
    if (!check.expectListed(check.command.reads, arg, "").ok())
      PREC_RT_RETURN_IF_ERROR(
          check.expectListed(check.command.writes, arg, "reads and writes"));
  return {};
}

/// What a kernel adds up is not in the manifest; the largest result stands for
/// the magnitude. A chain's real error grows with the root of its length, and
/// so does, for terms that cancel, the ratio of magnitude to result.
template <>
std::vector<double>
CommandRules<CommandKind::kernel>::bound(const BoundQuery &query) {
  const std::vector<float> &result = query.values.after.at(query.output);
  double error = accumulationError(
      query.command.accumulation + kernelOperations, Accumulator::full, false);
  if (query.command.innerRounding)
    error += 2 * unitRoundoff(*query.command.innerRounding);
  double largest = 0;
  for (float value : result)
    if (std::isfinite(value))
      largest = std::max(largest, std::abs(static_cast<double>(value)));
  return std::vector<double>(result.size(), error * largest);
}

template <>
std::optional<Products>
CommandRules<CommandKind::kernel>::products(const Manifest &, const Command &) {
  return {};
}
