//===- Launcher.h - which rank a launcher made this process -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_LAUNCHER_H
#define PREC_RT_COMMON_LAUNCHER_H

#include "Status.h"

#include <functional>
#include <string>

namespace prec::rt {

/// What a launcher says of a process. A process without one is rank 0 of 1.
struct Launch {
  std::string launcher; ///< "torchrun", "Open MPI", "Slurm", or empty
  int rank = 0;
  int size = 1;
  int localRank = 0;
  std::string address; ///< of rank 0, "HOST:PORT"; empty where nobody says it
};

/// Reads the variables of the environment by which launchers tell a process its
/// rank; nothing else of the runtime reads any. `rendezvous` is "HOST:PORT" of
/// rank 0, or empty: then it is the host that torchrun says, and the port
/// behind its own, at which it listens itself.
Result<Launch> findLaunch(const std::string &rendezvous);

/// The same of other variables: `read` gives the value of one, or null.
Result<Launch>
findLaunch(const std::string &rendezvous,
           const std::function<const char *(const char *)> &read);

} // namespace prec::rt

#endif // PREC_RT_COMMON_LAUNCHER_H
