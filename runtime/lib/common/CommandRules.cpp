//===- CommandRules.cpp - what a kind of command means --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandRules.h"

#include <algorithm>
#include <set>

using namespace prec::rt;

bool prec::rt::overlap(const Buffer &a, const Buffer &b) {
  return a.segment == b.segment && a.offset < b.offset + b.bytes() &&
         b.offset < a.offset + a.bytes();
}

bool prec::rt::isSameWindow(const Buffer &a, const Buffer &b) {
  return a.segment == b.segment && a.offset == b.offset &&
         a.bytes() == b.bytes();
}

Status CommandCheck::fail(const std::string &message) const {
  return Status::badFile("manifest." + place + ": " + message);
}

Status CommandCheck::expectListed(const std::vector<int> &list, int index,
                                  const char *listName) const {
  if (std::find(list.begin(), list.end(), index) != list.end())
    return {};
  return fail(std::string(listName) + " must list every operand, but buffer " +
              std::to_string(index) + " is missing");
}

Status CommandCheck::expectElements(int index, int64_t elements,
                                    const char *operand) const {
  if (buffer(index).elements() >= elements)
    return {};
  return fail(std::string(operand) + " must have at least " +
              std::to_string(elements) + " elements, but got " +
              formatShape(buffer(index).shape));
}

Status CommandCheck::expectFloat(int index, const char *operand) const {
  if (isFloat(buffer(index).dtype))
    return {};
  return fail(std::string(operand) + " must be of a float dtype, but got " +
              std::string(name(buffer(index).dtype)));
}

/// What a command needs of a buffer lies in it, run behind run.
static Status verifyParts(const CommandCheck &check) {
  const Command &command = check.command;
  std::set<int> named, seen(command.reads.begin(), command.reads.end());
  seen.insert(command.writes.begin(), command.writes.end());
  for (const Part &part : command.parts) {
    std::string what = "a part of buffer " + std::to_string(part.buffer);
    if (!seen.count(part.buffer))
      return check.fail(what +
                        " must be of one that the command reads or writes");
    if (!named.insert(part.buffer).second)
      return check.fail(what + " must be the only one, but got two");
    if (part.bytes > part.stride)
      return check.fail(what + " must have runs of at most its stride of " +
                        std::to_string(part.stride) + " bytes, but got " +
                        std::to_string(part.bytes));
    int64_t bytes = check.buffer(part.buffer).bytes();
    // Without products that may be too large.
    bool fits =
        part.offset <= bytes && part.bytes <= bytes - part.offset &&
        part.count - 1 <= (bytes - part.offset - part.bytes) / part.stride;
    if (!fits)
      return check.fail(what + " must lie in its " + std::to_string(bytes) +
                        " bytes, but got " + std::to_string(part.count) +
                        " runs of " + std::to_string(part.bytes) +
                        " from byte " + std::to_string(part.offset) +
                        " on, every " + std::to_string(part.stride));
  }
  return {};
}

Status prec::rt::verifyCommand(const CommandCheck &check) {
  PREC_RT_RETURN_IF_ERROR(verifyParts(check));
  switch (check.command.kind) {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  case CommandKind::name:                                                      \
    return CommandRules<CommandKind::name>::verify(check);
#include "prec-rt/enums.def"
  }
  return {};
}

std::vector<double> prec::rt::boundCommand(const BoundQuery &query) {
  switch (query.command.kind) {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  case CommandKind::name:                                                      \
    return CommandRules<CommandKind::name>::bound(query);
#include "prec-rt/enums.def"
  }
  return {};
}

std::optional<Products> prec::rt::productsOf(const Manifest &manifest,
                                             const Command &command) {
  switch (command.kind) {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  case CommandKind::name:                                                      \
    return CommandRules<CommandKind::name>::products(manifest, command);
#include "prec-rt/enums.def"
  }
  return {};
}
