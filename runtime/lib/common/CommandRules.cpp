//===- CommandRules.cpp - what a kind of command means --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandRules.h"

#include <algorithm>

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

Status prec::rt::verifyCommand(const CommandCheck &check) {
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
