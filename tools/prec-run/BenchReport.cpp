//===- BenchReport.cpp - what a benchmark measured ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BenchReport.h"

#include "CommandSignature.h"
#include "JsonFields.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace prec::rt;
using namespace prec::run;
using nlohmann::ordered_json;

/// Samples whose clock is farther from that of most are no samples of a step.
static constexpr double kClockShare = 0.02;

static double medianOf(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Estimate prec::run::estimate(const std::vector<BenchSample> &samples) {
  if (samples.empty())
    return {};
  std::vector<double> clocks, times;
  for (const BenchSample &sample : samples)
    clocks.push_back(sample.megahertz);
  double usual = medianOf(clocks);
  for (const BenchSample &sample : samples)
    if (std::abs(sample.megahertz - usual) <= kClockShare * usual)
      times.push_back(sample.us);
  std::sort(times.begin(), times.end());
  size_t count = times.size();
  // Ranks between which the median of whatever distribution lies with 95 %:
  // those of a binomial one, which is about normal.
  double reach = 0.98 * std::sqrt(static_cast<double>(count));
  double middle = static_cast<double>(count - 1) / 2;
  auto rank = [&](double at) {
    return times[static_cast<size_t>(
        std::clamp(at, 0.0, static_cast<double>(count - 1)))];
  };
  double low = rank(std::floor(middle - reach)),
         high = rank(std::ceil(middle + reach));
  double median = count % 2 ? times[count / 2]
                            : (times[count / 2 - 1] + times[count / 2]) / 2;
  return {median, (high - low) / 2};
}

static double round3(double number) { return std::round(number * 1e3) / 1e3; }

static void addTime(ordered_json &entry, const Estimate &time) {
  // A policy has no times of 0.
  entry["us"] = std::max(round3(time.us), 1e-3);
  if (double noise = round3(time.noise); noise > 0)
    entry["noise_us"] = noise;
}

static ordered_json contraction(const Manifest &module, const BenchItem &item) {
  const Gemm &gemm =
      module.commands("step")[static_cast<size_t>(item.first)].gemm;
  auto format = [&](int buffer) {
    return formatName(module.buffers[static_cast<size_t>(buffer)].dtype);
  };
  ordered_json entry = {{"machine", "m0"},       {"direction", item.direction},
                        {"m", gemm.m},           {"n", gemm.n},
                        {"k", gemm.k},           {"batch", gemm.batch},
                        {"lhs", format(gemm.a)}, {"rhs", format(gemm.b)}};
  entry["result"] = format(gemm.d);
  entry["scaling"] = name(gemm.scalingA);
  entry["accumulator"] = name(gemm.accumulator);
  return entry;
}

static ordered_json quantization(const BenchItem &item) {
  return {{"machine", "m0"},         {"rows", item.rows},
          {"columns", item.columns}, {"from", item.from},
          {"to", item.to},           {"scaling", item.scaling},
          {"layouts", item.layouts}};
}

static ordered_json describeDevice(const DeviceReport &device) {
  ordered_json libraries = ordered_json::object();
  for (const auto &[library, version] : device.versions)
    libraries[library] = version;
  return {{"id", "m0"}, {"gpu", device.name}, {"libraries", libraries}};
}

std::string prec::run::toJson(const BenchPlan &plan, const Manifest &module,
                              const BenchResult &result) {
  ordered_json document = {
      {"version", 2},
      {"machines", ordered_json::array({describeDevice(result.device)})}};
  ordered_json contractions = ordered_json::array(),
               quantizations = ordered_json::array(),
               commands = ordered_json::array(),
               samples = ordered_json::array();
  std::set<std::string> known;
  std::vector<double> clocks;
  for (size_t i = 0; i < plan.entries.size(); ++i) {
    const BenchEntry &entry = plan.entries[i];
    if (result.samples[i].empty())
      continue;
    Estimate time = estimate(result.samples[i]);
    for (size_t item : entry.items) {
      const BenchItem &bench = module.bench[item];
      if (bench.kind == "command")
        continue;
      bool isProduct = bench.kind == "contraction";
      ordered_json list =
          isProduct ? contraction(module, bench) : quantization(bench);
      // Some differ by what a policy does not tell apart: a bias, an order.
      if (!known.insert(list.dump()).second)
        continue;
      addTime(list, time);
      (isProduct ? contractions : quantizations).push_back(std::move(list));
    }
    ordered_json command = {{"machine", "m0"}, {"command", entry.signature}};
    addTime(command, time);
    command["bytes"] = entry.bytes;
    if (entry.flops > 0)
      command["flops"] = entry.flops;
    commands.push_back(std::move(command));
    ordered_json times = ordered_json::array(),
                 megahertz = ordered_json::array();
    for (const BenchSample &sample : result.samples[i]) {
      times.push_back(round3(sample.us));
      megahertz.push_back(sample.megahertz);
      clocks.push_back(sample.megahertz);
    }
    samples.push_back({{"command", entry.signature},
                       {"us", std::move(times)},
                       {"megahertz", std::move(megahertz)}});
  }
  document["contractions"] = std::move(contractions);
  document["quantizations"] = std::move(quantizations);
  document["commands"] = std::move(commands);
  ordered_json details = {{"producer", "prec-run"},
                          {"recipe", module.recipe},
                          {"graph", module.graph},
                          {"target", module.target.chip},
                          {"seconds", round3(result.seconds)},
                          {"rounds", result.rounds},
                          {"copy_bytes_per_second", result.copyBytesPerSecond}};
  if (!clocks.empty())
    details["megahertz"] = medianOf(clocks);
  if (!result.watts.empty())
    details["watts"] = medianOf(result.watts);
  details["left_out"] = plan.notes;
  details["samples"] = std::move(samples);
  document["details"] = std::move(details);
  return writeJson(document, 1) + "\n";
}

Result<std::map<std::string, std::vector<BenchSample>>>
prec::run::readSamples(const std::string &path, const DeviceReport &device) {
  std::map<std::string, std::vector<BenchSample>> samples;
  Result<nlohmann::json> document = readJson(path);
  if (!document.ok())
    return document.status();
  Status error;
  JsonFields root(*document, "report", error);
  std::vector<JsonFields> machines = root.at("machines").elements();
  if (error.ok() &&
      (machines.size() != 1 || machines[0].string("gpu") != device.name))
    root.fail("must be of one machine, " + device.name +
              ", to go on with, but is of another");
  if (error.ok())
    for (const auto &[library, version] : device.versions)
      if (std::string other =
              machines[0].at("libraries").string(library.c_str());
          error.ok() && other != version)
        root.fail("must be of " + library + " " + version +
                  " to go on with, but is of " + other);
  for (JsonFields entry : root.at("details").at("samples").elements()) {
    std::vector<BenchSample> &list = samples[entry.string("command")];
    std::vector<JsonFields> times = entry.at("us").elements(),
                            clocks = entry.at("megahertz").elements();
    for (size_t i = 0; i < times.size() && i < clocks.size(); ++i)
      list.push_back({times[i].asNumber(), clocks[i].asNumber()});
  }
  if (!error.ok())
    return error.prefixed(path + ": ");
  return samples;
}
