//===- CommandRules.h - what a kind of command means ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kind of command is a line of prec-rt/enums.def and a file of commands/,
// which defines CommandRules for it; what runs it on a CPU or a GPU is in
// CpuRules.h and CudaRules.h. Whoever asks goes through the functions at the
// end, and names no kind.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_COMMANDRULES_H
#define PREC_RT_COMMON_COMMANDRULES_H

#include "ErrorBound.h"
#include "Manifest.h"

namespace prec::rt {

/// One command whose operands are checked; the place names entry point, index
/// and command.
class CommandCheck {
public:
  CommandCheck(const Manifest &manifest, const Command &command,
               std::string place)
      : manifest(manifest), command(command), place(std::move(place)) {}

  const Buffer &buffer(int index) const {
    return manifest.buffers[static_cast<size_t>(index)];
  }
  Status fail(const std::string &message) const;
  /// `list` ("reads", "writes") of the command must have a buffer.
  Status expectListed(const std::vector<int> &list, int index,
                      const char *listName) const;
  Status expectRead(int index) const {
    return expectListed(command.reads, index, "reads");
  }
  Status expectWritten(int index) const {
    return expectListed(command.writes, index, "writes");
  }
  Status expectElements(int index, int64_t elements, const char *operand) const;
  Status expectFloat(int index, const char *operand) const;

  const Manifest &manifest;
  const Command &command;

private:
  std::string place;
};

/// Whether two windows share bytes, and whether they are one.
bool overlap(const Buffer &a, const Buffer &b);
bool isSameWindow(const Buffer &a, const Buffer &b);

/// What bounds the difference of two targets in one output of a command.
struct BoundQuery {
  const Manifest &manifest;
  const Command &command;
  int output;
  const OperandValues &values;
  ThreadPool &pool;
};

/// Floating-point operations of products, and the buffers whose formats say
/// which unit of a machine computes them.
struct Products {
  double flops;
  std::vector<int> operands;
};

template <CommandKind kind> struct CommandRules {
  /// Sizes, formats and bytes of the operands.
  static Status verify(const CommandCheck &check);
  /// As errorBound (ErrorBound.h).
  static std::vector<double> bound(const BoundQuery &query);
  /// None of what multiplies no matrices.
  static std::optional<Products> products(const Manifest &manifest,
                                          const Command &command);
};

#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  template <>                                                                  \
  Status CommandRules<CommandKind::name>::verify(const CommandCheck &);        \
  template <>                                                                  \
  std::vector<double> CommandRules<CommandKind::name>::bound(                  \
      const BoundQuery &);                                                     \
  template <>                                                                  \
  std::optional<Products> CommandRules<CommandKind::name>::products(           \
      const Manifest &, const Command &);
#include "prec-rt/enums.def"

Status verifyCommand(const CommandCheck &check);
std::vector<double> boundCommand(const BoundQuery &query);
std::optional<Products> productsOf(const Manifest &manifest,
                                   const Command &command);

} // namespace prec::rt

#endif // PREC_RT_COMMON_COMMANDRULES_H
