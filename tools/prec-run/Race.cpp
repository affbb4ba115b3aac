//===- Race.cpp - whole steps of several modules in turns -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules take turns, so that what changes with time (clocks, heat, other
// programs) changes for all of them alike. In a turn a module makes some steps
// for about a fifth of a second; the first ones of a module that was just
// opened are not counted. All are open at once if they fit in memory; else each
// is opened for its turn. Rounds end when the interval of each median is narrow
// enough, or with the budget.
//
//===----------------------------------------------------------------------===//

#include "Race.h"

#include "AtomicFile.h"
#include "BenchReport.h"
#include "Inputs.h"
#include "JsonFields.h"
#include "OpenModule.h"
#include "StopSignal.h"

#include <chrono>
#include <cmath>
#include <cstdio>

using namespace prec::rt;
using namespace prec::run;
using nlohmann::ordered_json;

using Clock = std::chrono::steady_clock;

static constexpr double kTurnSeconds = 0.2;
/// The first loads libraries, the second of a GPU records it.
static constexpr int kWarmUpSteps = 3;
static constexpr size_t kFewestTurns = 5;

namespace {

struct Racer {
  std::string path;
  std::string recipe;
  std::unique_ptr<Session> session;
  int steps = 0; ///< of a turn
  std::vector<BenchSample> samples{};
};

} // namespace

static Result<double> takeSteps(Session &session, int count) {
  Clock::time_point start = Clock::now();
  for (int i = 0; i < count; ++i) {
    Result<StepResult> result = session.step();
    if (!result.ok())
      return result.status();
  }
  return std::chrono::duration<double>(Clock::now() - start).count() / count;
}

static Status open(Racer &racer, const Options &options) {
  Result<std::unique_ptr<Session>> session = openModule(racer.path, options);
  if (!session.ok())
    return session.status();
  racer.session = std::move(*session);
  racer.recipe = racer.session->manifest().recipe;
  PREC_RT_RETURN_IF_ERROR(setInputs(*racer.session, options));
  Result<double> seconds = takeSteps(*racer.session, kWarmUpSteps);
  if (!seconds.ok())
    return seconds.status();
  seconds = takeSteps(*racer.session, 1);
  if (!seconds.ok())
    return seconds.status();
  racer.steps = static_cast<int>(std::clamp(
      std::ceil(kTurnSeconds / std::max(*seconds, 1e-6)), 1.0, 200.0));
  return {};
}

static bool isKnown(const Racer &racer, double interval) {
  if (racer.samples.size() < kFewestTurns)
    return false;
  Estimate time = estimate(racer.samples);
  return time.noise <= interval * time.us;
}

static ordered_json asJson(const Racer &racer) {
  Estimate time = estimate(racer.samples);
  ordered_json turns = ordered_json::array();
  for (const BenchSample &sample : racer.samples)
    turns.push_back(sample.us);
  return {{"module", racer.path}, {"recipe", racer.recipe},
          {"us", time.us},        {"noise_us", time.noise},
          {"steps", racer.steps}, {"turns_us", std::move(turns)}};
}

static Status report(const std::vector<Racer> &racers, const Options &options) {
  size_t fastest = 0;
  for (size_t i = 1; i < racers.size(); ++i)
    if (estimate(racers[i].samples).us < estimate(racers[fastest].samples).us)
      fastest = i;
  double least = estimate(racers[fastest].samples).us;
  for (const Racer &racer : racers) {
    Estimate time = estimate(racer.samples);
    printf("%10.3f ms +- %.3f  %6.3fx  %s (%s), %zu turns\n", time.us * 1e-3,
           time.noise * 1e-3, time.us / least, racer.path.c_str(),
           racer.recipe.c_str(), racer.samples.size());
  }
  printf("fastest: %s\n", racers[fastest].path.c_str());
  if (options.report.empty())
    return {};
  ordered_json document = {{"version", 1}, {"fastest", fastest}};
  document["modules"] = ordered_json::array();
  for (const Racer &racer : racers)
    document["modules"].push_back(asJson(racer));
  return writeAtomically(options.report, writeJson(document, 1) + "\n");
}

Status prec::run::race(const Options &options) {
  std::vector<Racer> racers;
  for (const std::string &path : options.race)
    racers.push_back({path, "", nullptr, 0});
  racers.insert(racers.begin(), {options.module, "", nullptr, 0});
  bool isTogether = true;
  for (Racer &racer : racers) {
    Status status = open(racer, options);
    if (!status.ok() && status.code() == Code::outOfMemory &&
        &racer != &racers.front()) {
      isTogether = false;
      fprintf(stderr, "prec-run: note: the modules do not fit in memory "
                      "together; each is opened for its turn\n");
      break;
    }
    PREC_RT_RETURN_IF_ERROR(status);
  }
  if (!isTogether)
    for (Racer &racer : racers)
      racer.session.reset();
  Clock::time_point start = Clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  bool isOver = false;
  while (!isOver && !stopSignal()) {
    isOver = true;
    for (Racer &racer : racers) {
      if (!racer.session)
        PREC_RT_RETURN_IF_ERROR(open(racer, options));
      Result<double> seconds = takeSteps(*racer.session, racer.steps);
      if (!seconds.ok())
        return seconds.status();
      racer.samples.push_back({*seconds * 1e6, 0});
      isOver &= isKnown(racer, options.benchInterval);
      if (!isTogether)
        racer.session.reset();
    }
    isOver |= elapsed() > options.benchBudget;
  }
  if (racers.back().samples.empty())
    return Status::invalidState("a race must have a turn of each module, but "
                                "was ended by a signal before");
  return report(racers, options);
}
