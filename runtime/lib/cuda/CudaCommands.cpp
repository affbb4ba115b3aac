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

Status CudaCommands::enqueueBucket(const Command *first, size_t count,
                                   Exchanges exchanges) {
  if (!branch) {
    Result<CudaBranch> opened = CudaBranch::open(work.driver);
    if (!opened.ok())
      return opened.status();
    branch.emplace(std::move(*opened));
  }
  PREC_RT_RETURN_IF_ERROR(branch->fork(work.driver, work.stream));
  CudaWork beside = work;
  beside.stream = branch->stream();
  beside.lane = CudaPeers::beside;
  if (exchanges == Exchanges::copied)
    beside.ranks = nullptr;
  PREC_RT_RETURN_IF_ERROR(named(*first, launchExchanges(beside, first, count)));
  return branch->mark(work.driver, *first->collective.bucket);
}

Status CudaCommands::enqueueAll(const std::vector<Command> &commands,
                                Exchanges exchanges) {
  CudaWork line = work;
  if (exchanges == Exchanges::copied)
    line.ranks = nullptr;
  // A rank alone copies, in place.
  auto bucketOf = [&](size_t i) {
    return work.ranks ? commands[i].collective.bucket : std::nullopt;
  };
  int64_t begun = 0, awaited = 0;
  auto await = [&](int64_t bucket) -> Status {
    // What the branch has in front of it has ended as well.
    awaited = std::max(awaited, bucket + 1);
    return branch->await(work.driver, work.stream, bucket);
  };
  for (size_t i = 0; i < commands.size();) {
    if (work.ranks)
      for (int64_t bucket : commands[i].awaits)
        PREC_RT_RETURN_IF_ERROR(await(bucket));
    std::optional<int64_t> bucket = bucketOf(i);
    size_t end = i + 1;
    while (bucket && end < commands.size() && bucketOf(end) == bucket)
      ++end;
    PREC_RT_RETURN_IF_ERROR(
        bucket ? enqueueBucket(&commands[i], end - i, exchanges)
               : named(commands[i], launch(line, commands[i])));
    if (bucket)
      begun = *bucket + 1;
    i = end;
  }
  return awaited < begun ? await(begun - 1) : Status();
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
