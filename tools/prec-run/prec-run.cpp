//===- prec-run.cpp - trains with a step module ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BenchRun.h"
#include "Bisection.h"
#include "Comparison.h"
#include "Generation.h"
#include "GradientNoise.h"
#include "Inspect.h"
#include "OpenModule.h"
#include "Options.h"
#include "OutputPaths.h"
#include "Placements.h"
#include "Prediction.h"
#include "Profile.h"
#include "Race.h"
#include "Ranks.h"
#include "RunRanks.h"
#include "StopSignal.h"
#include "Traffic.h"
#include "Training.h"
#include "Verification.h"

#include <cstdio>
#include <exception>
#include <functional>

using namespace prec;

/// What a process does alone, whoever has started it; nothing of what ranks do
/// together.
static std::function<rt::Status()> findAlone(const run::Options &options) {
  if (options.inspect)
    return [&] { return run::printModule(options.module); };
  if (options.placements)
    return [&] { return run::showPlacements(options); };
  if (options.traffic)
    return [&] { return run::printTraffic(options.module); };
  if (!options.profileOf.empty())
    return [&] { return run::describeProfile(options); };
  if (!options.predict.empty())
    return [&] { return run::predictStep(options); };
  if (options.bench.empty() && options.race.empty())
    return {};
  return [&] {
    run::catchStopSignals();
    return options.race.empty() ? run::runBench(options) : run::race(options);
  };
}

static rt::Status runModule(run::Options &options) {
  const std::function<rt::Status()> runAlone = findAlone(options);
  if (!runAlone)
    PREC_RT_RETURN_IF_ERROR(run::findRank(options));
  PREC_RT_RETURN_IF_ERROR(run::checkOutputPaths(options));
  if (runAlone)
    return runAlone();
  rt::Result<std::unique_ptr<rt::ModuleFile>> file =
      rt::ModuleFile::read(options.module);
  if (!file.ok())
    return file.status();
  PREC_RT_RETURN_IF_ERROR(run::joinRanks((*file)->manifest(), options));
  rt::Result<std::unique_ptr<rt::Session>> session = run::openModule(
      std::shared_ptr<rt::ModuleFile>(std::move(*file)), options);
  if (!session.ok())
    return session.status();
  if (options.generate > 0)
    return run::generate(**session, options);
  if (options.bisect)
    return run::bisect(**session, options);
  if (!options.gradientNoise.empty())
    return run::measureNoise(**session, options);
  if (!options.verify.empty())
    return run::verify(**session, options);
  return options.compare.empty() ? run::train(std::move(*session), options)
                                 : run::compare(**session, options);
}

static int runProgram(int argc, char **argv) {
  run::Options options;
  if (std::optional<int> code = run::parseOptions(argc, argv, options))
    return *code;
  rt::Status status = runModule(options);
  if (options.open.ranks)
    options.open.ranks->leave(status.message());
  if (status.ok())
    return 0;
  const std::string start =
      "prec-run: " +
      (options.rank < 0 ? "" : "rank " + std::to_string(options.rank) + ": ") +
      "error: ";
  // One line a difference, where a message lists several.
  std::string line = start;
  for (char character : status.message())
    line += character == '\n' ? "\n" + start : std::string(1, character);
  fprintf(stderr, "%s\n", line.c_str());
  if (options.apart)
    rt::endBeforeConnecting(*options.apart, status.message());
  return 1;
}

int main(int argc, char **argv) {
  int code = 1;
  // Memory, threads and other resources of the standard library; whoever is
  // waiting for a line gets one.
  try {
    code = runProgram(argc, argv);
  } catch (const std::exception &exception) {
    fprintf(stderr,
            "prec-run: error: must not run out of resources, but got: %s\n",
            exception.what());
  }
  if (int signal = run::stopSignal(); signal && code == 0)
    run::dieBySignal(signal);
  return code;
}
