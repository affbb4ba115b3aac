//===- CopyCommand.cpp - copies and zeros ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandRules.h"

using namespace prec::rt;

template <>
Status CommandRules<CommandKind::copy>::verify(const CommandCheck &check) {
  const Copy &copy = check.command.copied;
  const Buffer &src = check.buffer(copy.src), &dst = check.buffer(copy.dst);
  if (src.bytes() != dst.bytes())
    return check.fail("src and dst must have the same byte size, but got " +
                      std::to_string(src.bytes()) + " and " +
                      std::to_string(dst.bytes()));
  if (overlap(src, dst) && !isSameWindow(src, dst))
    return check.fail("src and dst must not share bytes, but do");
  PREC_RT_RETURN_IF_ERROR(check.expectRead(copy.src));
  return check.expectWritten(copy.dst);
}

template <>
Status CommandRules<CommandKind::fill>::verify(const CommandCheck &check) {
  return check.expectWritten(check.command.copied.dst);
}

/// Nothing is rounded.
static std::vector<double> boundBytes(const BoundQuery &query) {
  return std::vector<double>(query.values.after.at(query.output).size(), 0);
}

template <>
std::vector<double>
CommandRules<CommandKind::copy>::bound(const BoundQuery &query) {
  return boundBytes(query);
}
template <>
std::vector<double>
CommandRules<CommandKind::fill>::bound(const BoundQuery &query) {
  return boundBytes(query);
}

template <>
std::optional<Products>
CommandRules<CommandKind::copy>::products(const Manifest &, const Command &) {
  return {};
}
template <>
std::optional<Products>
CommandRules<CommandKind::fill>::products(const Manifest &, const Command &) {
  return {};
}
