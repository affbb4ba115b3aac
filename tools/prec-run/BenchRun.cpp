//===- BenchRun.cpp - measures a bench module -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the entries of a plan in rounds: in each round every entry that is
// not known well enough is visited once, in the order of the step, so that
// candidates are measured in turns and under the load of a step. A visit runs
// the entry point (of a GPU a recorded graph) as often as a visit is long, and
// is one sample. Before the first round all entry points run until the device
// has its steady clock. An entry is known when the interval of its median is
// narrow enough; measuring ends when all are, or with the budget, but each
// entry has a sample then. Reports are written meanwhile, and can be gone on
// with.
//
//===----------------------------------------------------------------------===//

#include "BenchRun.h"

#include "AtomicFile.h"
#include "BenchReport.h"
#include "FloatConvert.h"
#include "ModuleFile.h"
#include "NormalDeviate.h"
#include "StopSignal.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace prec::rt;
using namespace prec::run;

using Clock = std::chrono::steady_clock;

/// Of one visit.
static constexpr double kVisitSeconds = 2e-3;
/// Fewest samples that a known time has.
static constexpr size_t kFewestSamples = 5;
/// A GPU needs about a second to settle on the clocks of a load that lasts.
static constexpr double kWarmUpSeconds = 1;
/// From one report that is written to the next.
static constexpr double kSaveSeconds = 10;
/// Share of the device's memory that pools may take.
static constexpr double kMemoryShare = 0.7;
static constexpr int64_t kPatternBytes = 1 << 20;

/// `kPatternBytes` of what a pool holds.
static std::vector<char> makePattern(DType dtype, PoolUse use) {
  std::vector<char> pattern(kPatternBytes, 0);
  const int64_t count = kPatternBytes / byteSize(dtype);
  if (!isFloat(dtype)) {
    // Flags are set; other bytes are codes, each as good as another. Ids are of
    // the first two rows, as a table may have no more.
    for (int64_t i = 0; i < count; ++i)
      pattern[static_cast<size_t>(i * byteSize(dtype))] =
          dtype == DType::i1   ? 1
          : dtype == DType::i8 ? static_cast<char>(splitMix64(7, i))
                               : static_cast<char>(i & 1);
    return pattern;
  }
  // Scaled tensors use the range of their format: a maximum of about five
  // standard deviations becomes the largest value.
  double largest = dtype == DType::f8E4M3FN ? 448
                   : dtype == DType::f8E5M2 ? 57344
                                            : 5;
  std::vector<float> values(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    float deviate = normalDeviate(7, i, 0, 1);
    values[static_cast<size_t>(i)] =
        use == PoolUse::changed ? 1e-3f * (std::abs(deviate) + 0.1f)
        : use == PoolUse::scale ? 0.01f
                                : deviate * static_cast<float>(largest / 5);
  }
  fromFloat(dtype, values.data(), pattern.data(), count);
  return pattern;
}

static Status fillPools(Device &device, const BenchPlan &plan) {
  for (const Pool &pool : plan.pools) {
    if (pool.use == PoolUse::written)
      continue;
    if (pool.use == PoolUse::ends) {
      std::vector<int32_t> ends = makeEnds(pool.rows, pool.groups);
      PREC_RT_RETURN_IF_ERROR(device.upload(
          pool.buffer, ends.data(),
          static_cast<int64_t>(ends.size() * sizeof(int32_t)), 0));
      continue;
    }
    std::vector<char> pattern = makePattern(pool.dtype, pool.use);
    int64_t bytes =
        plan.manifest.buffers[static_cast<size_t>(pool.buffer)].bytes();
    for (int64_t at = 0; at < bytes; at += kPatternBytes)
      PREC_RT_RETURN_IF_ERROR(device.upload(pool.buffer, pattern.data(),
                                            std::min(kPatternBytes, bytes - at),
                                            at));
  }
  return {};
}

namespace {

class Bench {
public:
  Bench(Device &device, const BenchPlan &plan, const Manifest &module,
        const Options &options, BenchResult &result)
      : device(device), plan(plan), module(module), options(options),
        result(result), runs(plan.entries.size(), 0) {}

  Status run();

private:
  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  bool isKnown(size_t entry) const;
  size_t countKnown() const;
  Status warmUp();
  Status visit(size_t entry);
  Status save();
  void say(bool isLast);

  Device &device;
  const BenchPlan &plan;
  const Manifest &module;
  const Options &options;
  BenchResult &result;
  std::vector<int> runs; ///< of the entry point in a visit
  Clock::time_point start = Clock::now();
  double saved = 0, said = -10;
};

} // namespace

bool Bench::isKnown(size_t entry) const {
  const std::vector<BenchSample> &samples = result.samples[entry];
  if (samples.size() < kFewestSamples)
    return false;
  Estimate time = estimate(samples);
  return time.noise <= options.benchInterval * time.us;
}

size_t Bench::countKnown() const {
  size_t known = 0;
  for (size_t i = 0; i < plan.entries.size(); ++i)
    known += isKnown(i);
  return known;
}

Status Bench::warmUp() {
  // Twice: libraries load their kernels in the first run, and a GPU records the
  // second.
  for (size_t i = 0; i < plan.entries.size(); ++i) {
    const std::string &entryPoint = plan.entries[i].entryPoint;
    if (stopSignal())
      return {};
    PREC_RT_RETURN_IF_ERROR(device.run(entryPoint));
    PREC_RT_RETURN_IF_ERROR(device.run(entryPoint));
    Result<double> seconds = device.timeRuns(entryPoint, 1);
    if (!seconds.ok())
      return seconds.status();
    runs[i] = static_cast<int>(std::clamp(
        std::ceil(kVisitSeconds / std::max(*seconds, 1e-9)), 1.0, 1000.0));
    say(false);
  }
  Clock::time_point warm = Clock::now();
  double wanted = device.place().isHost()
                      ? 0
                      : std::min(kWarmUpSeconds, options.benchBudget / 5);
  while (std::chrono::duration<double>(Clock::now() - warm).count() < wanted)
    for (const BenchEntry &entry : plan.entries)
      PREC_RT_RETURN_IF_ERROR(device.run(entry.entryPoint));
  return device.synchronize();
}

Status Bench::visit(size_t entry) {
  Result<double> seconds =
      device.timeRuns(plan.entries[entry].entryPoint, runs[entry]);
  if (!seconds.ok())
    return seconds.status();
  BenchSample sample;
  sample.us = *seconds * 1e6 / runs[entry] /
              static_cast<double>(plan.entries[entry].repetitions);
  if (std::optional<ClockSample> clock = device.sampleClock()) {
    sample.megahertz = clock->megahertz;
    result.watts.push_back(clock->watts);
  }
  result.samples[entry].push_back(sample);
  return {};
}

Status Bench::save() {
  result.seconds = elapsed();
  saved = result.seconds;
  return writeAtomically(options.bench, toJson(plan, module, result));
}

void Bench::say(bool isLast) {
  bool isTerminal = isatty(STDERR_FILENO) != 0;
  double now = elapsed();
  if (!isLast && now - said < (isTerminal ? 0.2 : 5))
    return;
  said = now;
  fprintf(stderr,
          "%sbench: round %lld, %zu of %zu known to %.1f %%, %.0f of "
          "%.0f s%s",
          isTerminal ? "\r" : "", static_cast<long long>(result.rounds),
          countKnown(), plan.entries.size(), 100 * options.benchInterval, now,
          options.benchBudget, isTerminal && !isLast ? "" : "\n");
  fflush(stderr);
}

Status Bench::run() {
  PREC_RT_RETURN_IF_ERROR(warmUp());
  // Loading libraries, and measuring algorithms, is no part of the budget.
  start = Clock::now();
  bool isOver = false;
  while (!isOver && !stopSignal()) {
    isOver = true;
    ++result.rounds;
    for (size_t i = 0; i < plan.entries.size() && !stopSignal(); ++i) {
      bool isLate = elapsed() > options.benchBudget;
      if (isKnown(i) || (isLate && !result.samples[i].empty()))
        continue;
      PREC_RT_RETURN_IF_ERROR(visit(i));
      isOver = false;
      say(false);
      if (elapsed() - saved > kSaveSeconds)
        PREC_RT_RETURN_IF_ERROR(save());
    }
  }
  say(true);
  return save();
}

/// Versions of the libraries that compute its commands, as engines name them:
/// "cuBLASLt 13.0.2".
static Status addLibraries(Device &device, const BenchPlan &plan,
                           DeviceReport &report) {
  for (const BenchEntry &entry : plan.entries) {
    const Command &command = plan.manifest.commands(entry.entryPoint).front();
    Result<std::optional<Engine>> engine = device.engineOf(command);
    if (!engine.ok())
      return engine.status();
    if (!*engine)
      continue;
    const std::string &name = (*engine)->name;
    size_t space = name.rfind(' ');
    bool hasVersion = space != std::string::npos && space + 1 < name.size() &&
                      isdigit(static_cast<unsigned char>(name[space + 1]));
    if (!hasVersion)
      continue;
    std::string library = name.substr(0, space);
    for (char &letter : library)
      letter = static_cast<char>(tolower(static_cast<unsigned char>(letter)));
    report.versions[library] = name.substr(space + 1);
  }
  return {};
}

static Result<DeviceReport> describeDevice(const ModuleImage &image) {
  Result<std::unique_ptr<Device>> device = createDevice(image);
  if (!device.ok())
    return device.status();
  PREC_RT_RETURN_IF_ERROR((*device)->prepare());
  return (*device)->describe();
}

Status prec::run::runBench(const Options &options) {
  Result<std::unique_ptr<ModuleFile>> read = ModuleFile::read(options.module);
  if (!read.ok())
    return read.status();
  ModuleFile &file = **read;
  const Manifest &module = file.manifest();
  if (module.bench.empty())
    return Status::invalidArgument(
        "--bench needs a module that was compiled with --bench, but got one "
        "that trains: " +
        options.module);
  PREC_RT_RETURN_IF_ERROR(file.load());
  file.setOptions(options.open);
  // What it is, from a device without memory.
  Manifest none;
  none.target = module.target;
  none.abi = module.abi;
  ModuleImage image = file.image();
  image.constants = {};
  image.manifest = &none;
  Result<DeviceReport> report = describeDevice(image);
  if (!report.ok())
    return report.status();
  auto memory = static_cast<int64_t>(kMemoryShare *
                                     static_cast<double>(report->freeBytes));
  Result<BenchPlan> plan = planBench(module, report->cacheBytes, memory);
  if (!plan.ok())
    return plan.status();
  for (const std::string &note : plan->notes)
    fprintf(stderr, "prec-run: note: left out, %s\n", note.c_str());
  image.manifest = &plan->manifest;
  Result<std::unique_ptr<Device>> created = createDevice(image);
  if (!created.ok())
    return created.status();
  Device &device = **created;
  PREC_RT_RETURN_IF_ERROR(device.prepare());
  // Again: this device is the one whose clock is sampled.
  if (Result<DeviceReport> again = device.describe(); !again.ok())
    return again.status();
  PREC_RT_RETURN_IF_ERROR(addLibraries(device, *plan, *report));
  PREC_RT_RETURN_IF_ERROR(fillPools(device, *plan));
  BenchResult result;
  result.device = *report;
  result.samples.resize(plan->entries.size());
  if (options.benchResume) {
    auto samples = readSamples(options.bench, result.device);
    if (!samples.ok())
      return samples.status();
    for (size_t i = 0; i < plan->entries.size(); ++i)
      result.samples[i] = (*samples)[plan->entries[i].signature];
  }
  Result<double> rate = device.measureCopyRate();
  if (!rate.ok())
    return rate.status();
  result.copyBytesPerSecond = *rate;
  PREC_RT_RETURN_IF_ERROR(Bench(device, *plan, module, options, result).run());
  size_t measured = 0;
  for (const auto &samples : result.samples)
    measured += !samples.empty();
  printf("%s: %zu commands of %s measured in %.1f s, %zu left out\n",
         options.bench.c_str(), measured, result.device.name.c_str(),
         result.seconds, plan->notes.size());
  return {};
}
