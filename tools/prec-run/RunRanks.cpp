//===- RunRanks.cpp - a run of several processes --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ranks must agree on beside what the module exchanges: the command line,
// and after every step where they are. A rank that would go on alone, because
// it alone got a signal or read other data, would wait for the others until the
// time is over; so this is asked for, and said in one line.
//
//===----------------------------------------------------------------------===//

#include "RunRanks.h"

#include "Launcher.h"
#include "Ranks.h"

using namespace prec::rt;
using namespace prec::run;

/// What only a process alone does.
static const char *findAloneOption(const Options &options) {
  const std::pair<const char *, bool> given[] = {
      {"--profile-floor", options.profileFloor},
      {"--generate", options.generate > 0},
      {"--bisect", options.bisect},
      {"--gradient-noise", !options.gradientNoise.empty()},
      {"--verify", !options.verify.empty()},
      {"--compare", !options.compare.empty()},
      {"--collect-numerics", !options.numerics.empty()},
      {"--switch", !options.switches.empty()},
      {"--fallback", !options.fallback.empty()},
      {"--keep-bad-batches", !options.badBatches.empty()}};
  for (auto [name, isGiven] : given)
    if (isGiven)
      return name;
  return nullptr;
}

static Status checkCommandLines(Communicator &ranks, const Options &options) {
  constexpr int64_t most = 1 << 16;
  Result<std::vector<std::string>> lines =
      gatherTexts(ranks, options.commandLine, most);
  if (!lines.ok())
    return lines.status();
  for (size_t i = 1; i < lines->size(); ++i)
    if ((*lines)[i] != (*lines)[0])
      return Status::ranksFailed(
          "ranks must be started with one command line, but rank 0 got '" +
          (*lines)[0] + "' and rank " + std::to_string(i) + " '" + (*lines)[i] +
          "'");
  return {};
}

Status prec::run::findRank(Options &options) {
  Result<Launch> launch = findLaunch(options.rendezvous);
  if (!launch.ok())
    return launch.status();
  if (launch->size == 1 && !options.rendezvous.empty())
    return Status::invalidArgument(
        "--rendezvous must be given to ranks that torchrun, mpirun or srun "
        "starts, but this process is alone");
  if (launch->size == 1)
    return {};
  options.rank = launch->rank;
  options.launcher = launch->launcher;
  options.apart = RankOptions{launch->rank, launch->size, launch->address,
                              std::chrono::milliseconds(static_cast<int64_t>(
                                  options.rankTimeout * 1e3))};
  return {};
}

Status prec::run::joinRanks(const Manifest &manifest, Options &options) {
  if (!options.apart)
    return {};
  const RankOptions ranks = *options.apart;
  const int64_t wanted = manifest.numRanks();
  if (wanted != ranks.size) {
    std::string started = options.launcher + " has started " +
                          std::to_string(ranks.size) + " ranks";
    return Status::invalidArgument(
        "a module must be compiled for as many ranks as run it, but " +
        started + " of " +
        (wanted == 1 ? "one for a process alone"
                     : "one for " + std::to_string(wanted)) +
        ": compile it with --mesh=dp=" + std::to_string(ranks.size));
  }
  if (const char *alone = findAloneOption(options))
    return Status::unsupported(std::string(alone) +
                               " must be given to a process alone, but got " +
                               std::to_string(ranks.size) + " ranks");
  options.apart.reset();
  Result<std::shared_ptr<Communicator>> connected = connectRanks(ranks);
  if (!connected.ok())
    return connected.status();
  options.open.ranks = *connected;
  options.dataRanks = manifest.dataRanks();
  options.dataRank = manifest.dataGroup(ranks.rank).own;
  // Of all that is said once rank 0 is enough.
  if (!options.speaks())
    options.open.log = [](prec_rt_log_level, const std::string &) {};
  return checkCommandLines(**connected, options);
}

Result<bool> prec::run::agreeOnStep(Communicator &ranks,
                                    const StepReport &own) {
  const std::vector<int64_t> given = {own.step, own.position, own.isSkipped,
                                      own.isStopped};
  std::vector<int64_t> all(given.size() * static_cast<size_t>(ranks.size()));
  PREC_RT_RETURN_IF_ERROR(
      ranks.allGather(given.data(), all.data(),
                      static_cast<int64_t>(given.size() * sizeof(int64_t))));
  bool isStopped = false;
  for (size_t rank = 0; rank < all.size() / given.size(); ++rank) {
    const int64_t *said = &all[rank * given.size()];
    auto differs = [&](const std::string &what, size_t field) {
      return Status::ranksFailed(
          "ranks must " + what + ", but got " + std::to_string(all[field]) +
          " of rank 0 and " + std::to_string(said[field]) + " of rank " +
          std::to_string(rank));
    };
    if (said[0] != all[0])
      return differs("be at one step", 0);
    if (said[1] != all[1])
      return differs("be at one place of their data", 1);
    if (said[2] != all[2])
      return differs("all skip a step or none (1 where it is skipped)", 2);
    isStopped |= said[3] != 0;
  }
  return isStopped;
}
