//===- CollectiveCommand.cpp - bytes between ranks ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands that move bytes between the ranks of an axis of the mesh, or take
// this rank's block of what all have. None of them computes: sums over ranks
// are those of kernels, in the order of the ranks, so that bits do not depend
// on how ranks are connected.
//
//===----------------------------------------------------------------------===//

#include "CommandRules.h"

#include <limits>

using namespace prec::rt;

/// What is as large on each rank as `blocks` of the other operand.
struct Blocks {
  const char *whole, *block;
  int64_t wholeBytes, blockBytes;
};

static Status verifyBlocks(const CommandCheck &check, const Blocks &blocks,
                           int64_t ranks) {
  if (blocks.blockBytes <= std::numeric_limits<int64_t>::max() / ranks &&
      blocks.wholeBytes == blocks.blockBytes * ranks)
    return {};
  return check.fail(std::string(blocks.whole) + " must have " +
                    std::to_string(ranks) + " times the bytes of " +
                    blocks.block + ", a block for each rank, but got " +
                    std::to_string(blocks.wholeBytes) + " and " +
                    std::to_string(blocks.blockBytes));
}

/// The axis is one of the mesh, operands are listed and share no bytes.
static Status verifyOperands(const CommandCheck &check, int64_t &ranks) {
  const Collective &collective = check.command.collective;
  const std::optional<RankGroup> axis =
      check.manifest.findGroup(collective.axis, 0);
  if (!axis)
    return check.fail("axis must be one of the mesh, but got " +
                      quote(collective.axis));
  ranks = axis->size;
  if (overlap(check.buffer(collective.a), check.buffer(collective.d)))
    return check.fail("a and d must not share bytes, but do");
  PREC_RT_RETURN_IF_ERROR(check.expectRead(collective.a));
  return check.expectWritten(collective.d);
}

template <>
Status CommandRules<CommandKind::allGather>::verify(const CommandCheck &check) {
  const Collective &collective = check.command.collective;
  int64_t ranks = 1;
  PREC_RT_RETURN_IF_ERROR(verifyOperands(check, ranks));
  return verifyBlocks(check,
                      {"d", "a", check.buffer(collective.d).bytes(),
                       check.buffer(collective.a).bytes()},
                      ranks);
}

template <>
Status CommandRules<CommandKind::ownSlice>::verify(const CommandCheck &check) {
  const Collective &collective = check.command.collective;
  int64_t ranks = 1;
  PREC_RT_RETURN_IF_ERROR(verifyOperands(check, ranks));
  return verifyBlocks(check,
                      {"a", "d", check.buffer(collective.a).bytes(),
                       check.buffer(collective.d).bytes()},
                      ranks);
}

template <>
Status CommandRules<CommandKind::allToAll>::verify(const CommandCheck &check) {
  const Collective &collective = check.command.collective;
  int64_t ranks = 1;
  PREC_RT_RETURN_IF_ERROR(verifyOperands(check, ranks));
  int64_t given = check.buffer(collective.a).bytes(),
          got = check.buffer(collective.d).bytes();
  if (given != got)
    return check.fail("a and d must have the same byte size, but got " +
                      std::to_string(given) + " and " + std::to_string(got));
  if (given % ranks == 0)
    return {};
  return check.fail("a must have a multiple of " + std::to_string(ranks) +
                    " bytes, a block for each rank, but got " +
                    std::to_string(given));
}

/// Nothing is rounded.
static std::vector<double> boundExchanged(const BoundQuery &query) {
  return std::vector<double>(query.values.after.at(query.output).size(), 0);
}

template <>
std::vector<double>
CommandRules<CommandKind::allGather>::bound(const BoundQuery &query) {
  return boundExchanged(query);
}
template <>
std::vector<double>
CommandRules<CommandKind::allToAll>::bound(const BoundQuery &query) {
  return boundExchanged(query);
}
template <>
std::vector<double>
CommandRules<CommandKind::ownSlice>::bound(const BoundQuery &query) {
  return boundExchanged(query);
}

template <>
std::optional<Products>
CommandRules<CommandKind::allGather>::products(const Manifest &,
                                               const Command &) {
  return {};
}
template <>
std::optional<Products>
CommandRules<CommandKind::allToAll>::products(const Manifest &,
                                              const Command &) {
  return {};
}
template <>
std::optional<Products>
CommandRules<CommandKind::ownSlice>::products(const Manifest &,
                                              const Command &) {
  return {};
}
