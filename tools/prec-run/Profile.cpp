//===- Profile.cpp - where a step spends its time -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Profile.h"

#include "AtomicFile.h"
#include "FloorMeasurement.h"
#include "JsonFields.h"
#include "ModuleFile.h"
#include "ProfileFile.h"
#include "Pages.h"

#include <algorithm>
#include <array>
#include <cstdio>

using namespace prec::rt;
using namespace prec::run;

static constexpr int rounds = 5;

/// In units of 1e12, which a width of 9 holds.
static std::string formatRate(std::optional<double> amount, double seconds) {
  if (!amount || seconds <= 0)
    return "-";
  char text[32];
  snprintf(text, sizeof text, "%.3f", *amount / seconds * 1e-12);
  return text;
}

static std::string formatLimit(const ProfileGroup &group) {
  if (!group.limit || group.seconds <= 0)
    return "-";
  char text[48];
  snprintf(text, sizeof text, "%.1f %% %s",
           100 * group.limit->seconds / group.seconds,
           std::string(name(group.limit->bound)).c_str());
  return text;
}

/// Of a group with a floor.
static std::string formatFloor(const ProfileGroup &group) {
  if (group.seconds <= 0)
    return "-";
  char text[32];
  snprintf(text, sizeof text, "%.1f %%",
           100 * group.floor->seconds / group.seconds);
  return text;
}

/// Operations of the graph, and the engine of the first of several.
static std::string describe(const ProfileGroup &group) {
  std::string text;
  for (const std::string &op : group.key.graphOps)
    text += (text.empty() ? "" : "+") + op;
  if (group.engines.empty())
    return text;
  text += "  " + describe(group.engines.front());
  if (size_t others = group.engines.size() - 1)
    text += " and " + std::to_string(others) + " more";
  return text;
}

static void printGroups(const Profile &profile, const char *title,
                        const std::vector<ProfileGroup> &groups) {
  bool hasLimits = profile.machine.has_value();
  size_t width = 0;
  for (const ProfileGroup &group : groups)
    width = std::max(width, group.key.module.size());
  printf("%10s %7s %6s %10s %9s %9s %s%s%s\n", "ms", "share", "count",
         "mean us", "TB/s", "TFLOP/s", hasLimits ? "      of limit  " : " ",
         profile.floor ? " floor ms   of floor  " : "", title);
  for (const ProfileGroup &group : groups) {
    const auto &[phase, op, module, graphOps] = group.key;
    printf("%10.3f %5.1f %% %6lld %10.1f %9s %9s ", group.seconds * 1e3,
           profile.seconds > 0 ? 100 * group.seconds / profile.seconds : 0,
           static_cast<long long>(group.count),
           group.seconds * 1e6 / group.count,
           formatRate(group.bytes, group.seconds).c_str(),
           formatRate(group.flops, group.seconds).c_str());
    if (hasLimits)
      printf("%14s ", formatLimit(group).c_str());
    if (group.floor)
      printf("%10.3f %10s ", group.floor->seconds * 1e3,
             formatFloor(group).c_str());
    if (!phase.empty())
      printf(" %-9s", phase.c_str());
    printf(" %-13s %-*s  %s\n", op.c_str(), static_cast<int>(width),
           module.c_str(), describe(group).c_str());
  }
}

static void print(const StepFloor &floor) {
  double bytes = floor.totalBytes();
  printf("floor %.3f ms: products and attention replayed %.3f ms, %.3f GB of "
         "the rest at %.3f TB/s %.3f ms",
         floor.seconds() * 1e3, floor.replayedSeconds() * 1e3, bytes * 1e-9,
         floor.bytesPerSecond * 1e-12, bytes / floor.bytesPerSecond * 1e3);
  if (floor.seconds() > 0)
    printf("; the step takes %.3f ms, %.2f times as long",
           floor.stepSeconds * 1e3, floor.stepSeconds / floor.seconds());
  printf("\n");
}

static void print(const ExchangeTimes &times) {
  printf("a step takes %.3f ms, and %.3f ms where no rank waits for another: "
         "%.3f ms of exchanges (%.1f %%) are exposed\n",
         times.step * 1e3, times.withoutOthers * 1e3, times.exposed() * 1e3,
         100 * times.exposed() / times.step);
}

static void print(const Profile &profile) {
  printf("%zu commands, %.3f ms, means of %d steps", profile.commands.size(),
         profile.seconds * 1e3, profile.rounds);
  if (profile.machine)
    printf("; limits of %s (%s)\n", profile.machine->device.c_str(),
           profile.machine->name.c_str());
  else
    printf("; what share of its limits that is needs --profile-machine\n");
  if (profile.floor)
    print(*profile.floor);
  if (profile.exchanges)
    print(*profile.exchanges);
  printGroups(profile, "phase, op, module, operations of the graph, engine",
              groupByModule(profile));
  printGroups(profile, "op", groupByOp(profile));
}

static Status write(const Profile &profile, const Options &options) {
  print(profile);
  if (options.profileJson.empty() && options.profileHtml.empty())
    return {};
  std::string json = toJson(profile);
  if (!options.profileJson.empty())
    PREC_RT_RETURN_IF_ERROR(writeAtomically(options.profileJson, json));
  return options.profileHtml.empty()
             ? Status()
             : writeAtomically(options.profileHtml, makeProfilePage(json));
}

/// Of a list of objects with the name and the seconds of each command.
static std::vector<double> readSeconds(JsonFields list,
                                       const std::vector<Command> &commands) {
  std::vector<double> seconds;
  std::vector<JsonFields> entries = list.elements();
  if (entries.size() != commands.size())
    list.fail("must have the step's " + std::to_string(commands.size()) +
              " commands, but got " + std::to_string(entries.size()));
  for (size_t i = 0; i < entries.size() && list.ok(); ++i) {
    std::string name = entries[i].string("name");
    if (list.ok() && name != commands[i].name)
      entries[i].fail("must be of command '" + commands[i].name +
                      "', but got '" + name + "'");
    seconds.push_back(entries[i].at("seconds").asNumber());
    if (list.ok() && !(seconds.back() >= 0))
      entries[i].fail("must have a time of at least 0, but got " +
                      std::to_string(seconds.back()));
  }
  return seconds;
}

Status prec::run::describeProfile(const Options &options) {
  Result<std::unique_ptr<ModuleFile>> file = ModuleFile::read(options.module);
  if (!file.ok())
    return file.status();
  std::optional<MachineRates> machine;
  if (!options.profileMachine.empty()) {
    Result<MachineRates> rates = readMachineRates(options.profileMachine);
    if (!rates.ok())
      return rates.status();
    machine = std::move(*rates);
  }
  Result<nlohmann::json> document = readJson(options.profileOf);
  if (!document.ok())
    return document.status();
  const Manifest &manifest = (*file)->manifest();
  Status error;
  std::vector<double> seconds = readSeconds(
      JsonFields(*document, "times", error), manifest.commands("step"));
  if (!error.ok())
    return error.prefixed(options.profileOf + ": ");
  return write(makeProfile(manifest, seconds, 1, machine, std::nullopt, {}),
               options);
}

/// Medians of some laps. Steps that others take part in come first: behind
/// those without, weights are none of a training.
static Result<ExchangeTimes> timeExchanges(Session &session) {
  constexpr int laps = 5, steps = 3;
  Device &device = session.device();
  PREC_RT_RETURN_IF_ERROR(session.beginStep());
  auto time = [&](Exchanges exchanges) -> Result<double> {
    std::array<double, laps> seconds;
    for (double &lap : seconds) {
      Result<double> timed = device.timeRuns("step", steps, exchanges);
      if (!timed.ok())
        return timed.status();
      lap = *timed / steps;
    }
    std::nth_element(seconds.begin(), seconds.begin() + laps / 2,
                     seconds.end());
    return seconds[laps / 2];
  };
  // Runs of a device come before those that it times.
  for (int i = 0; i < 2; ++i)
    PREC_RT_RETURN_IF_ERROR(device.run("step"));
  Result<double> step = time(Exchanges::run);
  if (!step.ok())
    return step.status();
  Result<double> withoutOthers = time(Exchanges::copied);
  if (!withoutOthers.ok())
    return withoutOthers.status();
  return ExchangeTimes{*step, *withoutOthers};
}

Status prec::run::profileStep(Session &session, const Options &options,
                              const std::optional<MachineRates> &machine,
                              MetricsFile &metrics) {
  std::optional<StepFloor> floor;
  // First: its steps are those of a training, those that are timed are not.
  if (options.profileFloor) {
    Result<StepFloor> measured = measureFloor(session);
    if (!measured.ok())
      return measured.status();
    floor = std::move(*measured);
  }
  std::optional<ExchangeTimes> exchanges;
  if (options.open.ranks) {
    Result<ExchangeTimes> timed = timeExchanges(session);
    if (!timed.ok())
      return timed.status();
    exchanges = *timed;
  }
  std::vector<double> seconds;
  PREC_RT_RETURN_IF_ERROR(session.timeStep(rounds, seconds));
  std::vector<std::optional<Engine>> engines;
  for (const Command &command : session.manifest().commands("step")) {
    Result<std::optional<Engine>> engine = session.device().engineOf(command);
    if (!engine.ok())
      return engine.status();
    engines.push_back(std::move(*engine));
  }
  if (!options.speaks())
    return {};
  Profile profile = makeProfile(session.manifest(), seconds, rounds, machine,
                                std::move(floor), std::move(engines));
  profile.exchanges = exchanges;
  for (const CommandProfile &command : profile.commands)
    PREC_RT_RETURN_IF_ERROR(metrics.command(command));
  return write(profile, options);
}
