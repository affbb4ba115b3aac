//===- CudaCommands.cpp - the commands of a step module -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reaches the rules of each kind of command (CudaRules.h). The switches over
// kinds are made from the list of commands, so a program without the rules of a
// new kind does not link. Before the first step each command is planned: GEMMs
// and attention choose algorithms and say how much workspace they need. A
// command that is launched finds its plan again and fills in addresses.
//
//===----------------------------------------------------------------------===//

#include "CudaCommands.h"

#include "LaunchTimer.h"

#include <algorithm>

using namespace prec::rt;

static Status plan(CudaWork &work, const Command &command) {
  switch (command.kind) {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  case CommandKind::name:                                                      \
    return CudaRules<CommandKind::name>::plan(work, command);
#include "prec-rt/enums.def"
  }
  return {};
}

static Status launch(CudaWork &work, const Command &command) {
  switch (command.kind) {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  case CommandKind::name:                                                      \
    return CudaRules<CommandKind::name>::launch(work, command);
#include "prec-rt/enums.def"
  }
  return {};
}

Result<std::optional<Engine>> CudaCommands::engineOf(const Command &command) {
  switch (command.kind) {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  case CommandKind::name:                                                      \
    return CudaRules<CommandKind::name>::engine(work, command);
#include "prec-rt/enums.def"
  }
  return std::optional<Engine>();
}

/// An error of a command, with its name.
static Status named(const Command &command, Status status) {
  if (status.ok())
    return status;
  return status.prefixed("command '" + command.name + "': ");
}

Status CudaCommands::plan() {
  for (const auto &[name, commands] : work.manifest.entryPoints)
    for (const Command &command : commands)
      PREC_RT_RETURN_IF_ERROR(named(command, ::plan(work, command)));
  return work.gemms.endPlanning();
}

int64_t CudaCommands::workspaceBytes() const {
  return std::max({work.gemms.workspaceBytes(), work.attention.workspaceBytes(),
                   work.convolutions.workspaceBytes()});
}

Status CudaCommands::enqueue(const Command &command) {
  return named(command, launch(work, command));
}

Status CudaCommands::enqueueAll(const std::vector<Command> &commands) {
  for (const Command &command : commands)
    PREC_RT_RETURN_IF_ERROR(enqueue(command));
  return Status();
}

Result<std::vector<double>>
CudaCommands::time(const std::vector<const Command *> &commands,
                   const std::string &what,
                   const std::function<void(size_t)> &prepare) {
  return timeLaunches(work.driver, work.stream, commands.size(), what,
                      [&](size_t i) {
                        prepare(i);
                        return enqueue(*commands[i]);
                      });
}

Status CudaCommands::chooseRivals(const std::vector<Command> &commands) {
  return work.gemms.choose(
      commands, [&](const std::vector<const Command *> &repeated,
                    const std::function<void(size_t)> &prepare) {
        return time(repeated, "measuring products in the step", prepare);
      });
}
