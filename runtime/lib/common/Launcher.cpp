//===- Launcher.cpp - which rank a launcher made this process -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launchers start a program several times, and tell each process its rank by
// variables of the environment. Those of the launcher that is nearest count:
// torchrun may run below Slurm, and so may Open MPI. A launcher is one only
// where both its rank and its number of ranks are there.
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

#include "RankFrame.h"

#include <cstdlib>

using namespace prec::rt;

namespace {

struct Variables {
  const char *launcher, *rank, *size, *localRank;
};

} // namespace

static constexpr Variables kLaunchers[] = {
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"}};

using ReadVariable = std::function<const char *(const char *)>;

static Status readCount(const ReadVariable &read, const char *name,
                        int &value) {
  const char *text = read(name);
  std::optional<int> number = frame::readNumber(text ? text : "");
  if (!number)
    return Status::invalidArgument(
        std::string("variable ") + name +
        " of a launcher must be a number, but got " +
        (text ? "'" + std::string(text) + "'" : std::string("none")));
  value = *number;
  return {};
}

/// The port behind that of torchrun.
static Status readAddress(const ReadVariable &read, std::string &address) {
  const char *host = read("MASTER_ADDR");
  if (!host || !read("MASTER_PORT"))
    return {};
  int port = 0;
  PREC_RT_RETURN_IF_ERROR(readCount(read, "MASTER_PORT", port));
  if (port < 1 || port > 65534)
    return Status::invalidArgument(
        "variable MASTER_PORT must be in [1, 65534], "
        "as ranks meet at the port behind it, but "
        "got " +
        std::to_string(port));
  std::string name = host;
  bool isNumbers = name.find(':') != std::string::npos; // of IPv6
  address =
      (isNumbers ? "[" + name + "]" : name) + ":" + std::to_string(port + 1);
  return {};
}

Result<Launch> prec::rt::findLaunch(const std::string &rendezvous,
                                    const ReadVariable &read) {
  Launch launch;
  for (const Variables &variables : kLaunchers) {
    if (!read(variables.rank) || !read(variables.size))
      continue;
    launch.launcher = variables.launcher;
    PREC_RT_RETURN_IF_ERROR(readCount(read, variables.rank, launch.rank));
    PREC_RT_RETURN_IF_ERROR(readCount(read, variables.size, launch.size));
    if (read(variables.localRank))
      PREC_RT_RETURN_IF_ERROR(
          readCount(read, variables.localRank, launch.localRank));
    if (launch.rank >= launch.size)
      return Status::invalidArgument(
          std::string("variable ") + variables.rank + " must be below " +
          variables.size + ", but got " + std::to_string(launch.rank) +
          " and " + std::to_string(launch.size));
    break;
  }
  if (!rendezvous.empty() && !frame::splitAddress(rendezvous))
    return Status::invalidArgument(
        "the address of rank 0 must be HOST:PORT, but got '" + rendezvous +
        "'");
  launch.address = rendezvous;
  if (launch.size > 1 && rendezvous.empty())
    PREC_RT_RETURN_IF_ERROR(readAddress(read, launch.address));
  if (launch.size > 1 && launch.address.empty())
    return Status::invalidArgument(
        "ranks must know where rank 0 is, which " + launch.launcher +
        " does not say (MASTER_ADDR and MASTER_PORT are not set): give "
        "--rendezvous=HOST:PORT, in a program the address, with the host of "
        "rank 0 and a port that is free there");
  return launch;
}

Result<Launch> prec::rt::findLaunch(const std::string &rendezvous) {
  return findLaunch(rendezvous, [](const char *name) -> const char * {
    return getenv(name);
  });
}
