//===- FloorMeasurement.cpp - the floor of a step, measured ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays products and attention of a step. What they multiply may be anything,
// but integers say how much they do: where the rows of experts end. By the end
// of a step other values lie in the bytes of these, so the integers of each
// command are read once, when a step comes to it, and written back before the
// replay. Where a product writes over integers that a later one reads, or two
// commands have other integers in the same bytes, the replay is cut in front of
// the later one, and goes on when its integers are back.
//
//===----------------------------------------------------------------------===//

#include "FloorMeasurement.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

using namespace prec::rt;
using namespace prec::run;

// A GPU needs about a second to settle on the clocks of a load that lasts.
static constexpr int leastRounds = 5;
static constexpr std::chrono::seconds leastTime(1);

namespace {

/// Integers that a replayed command reads, as a step had them.
struct Integers {
  int buffer;
  std::vector<std::byte> bytes{};
};

/// Commands that run right behind each other, once the integers are written.
struct Stretch {
  std::vector<const Command *> commands{};
  std::vector<Integers> integers{};
};

/// The replayed commands of a step.
class Replay {
public:
  explicit Replay(Session &session)
      : manifest(session.manifest()), device(session.device()) {}

  /// Runs the commands of a begun step one by one and notes the integers.
  Status prepare();
  /// Milliseconds of each.
  Result<std::vector<double>> run();
  size_t count() const { return number; }

private:
  bool readsWorkspace(int buffer) const;
  bool overlap(int a, int b) const;
  bool isDisturbed(const Integers &needed) const;
  void append(const Command &command, std::vector<Integers> needed);

  const Manifest &manifest;
  Device &device;
  std::vector<Stretch> stretches;
  size_t number = 0;
};

} // namespace

/// Whether a buffer has integers that others may replace within a step.
bool Replay::readsWorkspace(int buffer) const {
  const Buffer &it = manifest.buffers[buffer];
  return it.segment == Segment::workspace && it.dtype == DType::i32;
}

bool Replay::overlap(int a, int b) const {
  const Buffer &first = manifest.buffers[a], &second = manifest.buffers[b];
  return first.segment == second.segment &&
         first.offset < second.offset + second.bytes() &&
         second.offset < first.offset + first.bytes();
}

/// Whether integers would not be what they were behind the last stretch.
bool Replay::isDisturbed(const Integers &needed) const {
  const Stretch &last = stretches.back();
  for (const Command *command : last.commands)
    for (int buffer : command->writes)
      if (overlap(buffer, needed.buffer))
        return true;
  return std::any_of(
      last.integers.begin(), last.integers.end(), [&](const Integers &other) {
        bool isSame = manifest.buffers[other.buffer].offset ==
                          manifest.buffers[needed.buffer].offset &&
                      other.bytes == needed.bytes;
        return overlap(other.buffer, needed.buffer) && !isSame;
      });
}

void Replay::append(const Command &command, std::vector<Integers> needed) {
  if (stretches.empty() ||
      std::any_of(needed.begin(), needed.end(),
                  [&](const Integers &it) { return isDisturbed(it); }))
    stretches.emplace_back();
  Stretch &last = stretches.back();
  last.commands.push_back(&command);
  std::move(needed.begin(), needed.end(), std::back_inserter(last.integers));
  ++number;
}

Status Replay::prepare() {
  for (const Command &command : manifest.commands("step")) {
    if (isReplayed(command.kind)) {
      std::vector<Integers> needed;
      for (int buffer : command.reads)
        if (readsWorkspace(buffer)) {
          Integers &it = needed.emplace_back(Integers{buffer});
          it.bytes.resize(manifest.buffers[buffer].bytes());
          PREC_RT_RETURN_IF_ERROR(
              device.download(buffer, it.bytes.data(), it.bytes.size()));
        }
      append(command, std::move(needed));
    }
    PREC_RT_RETURN_IF_ERROR(device.runCommand(command));
  }
  return {};
}

Result<std::vector<double>> Replay::run() {
  std::vector<double> all;
  for (const Stretch &stretch : stretches) {
    for (const Integers &it : stretch.integers)
      PREC_RT_RETURN_IF_ERROR(
          device.upload(it.buffer, it.bytes.data(), it.bytes.size()));
    Result<std::vector<double>> milliseconds =
        device.timeCommands(stretch.commands);
    if (!milliseconds.ok())
      return milliseconds.status();
    all.insert(all.end(), milliseconds->begin(), milliseconds->end());
  }
  return all;
}

Result<StepFloor> prec::run::measureFloor(Session &session) {
  using Clock = std::chrono::steady_clock;
  const Manifest &manifest = session.manifest();
  const std::vector<Command> &commands = manifest.commands("step");
  Device &device = session.device();
  StepFloor floor;
  floor.bytes = computeUnavoidableBytes(manifest);
  floor.replayed.resize(commands.size());
  PREC_RT_RETURN_IF_ERROR(session.beginStep());
  Replay products(session);
  PREC_RT_RETURN_IF_ERROR(products.prepare());
  // Runs of a device come before those that it times.
  for (int i = 0; i < 2; ++i)
    PREC_RT_RETURN_IF_ERROR(device.run("step"));
  if (Result<std::vector<double>> warmUp = products.run(); !warmUp.ok())
    return warmUp.status();
  std::vector<double> sums(products.count());
  const Clock::time_point start = Clock::now();
  while (floor.rounds < leastRounds ||
         (products.count() > 0 && Clock::now() - start < leastTime)) {
    // A whole step before each replay: products alone would multiply what
    // others left in bytes that they share, soon NaN, and neither the power
    // that takes nor the clocks that a GPU then runs at are those of a step.
    Result<double> step = device.timeRuns("step", 1);
    if (!step.ok())
      return step.status();
    Result<std::vector<double>> milliseconds = products.run();
    if (!milliseconds.ok())
      return milliseconds.status();
    floor.stepSeconds += *step;
    ++floor.rounds;
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += (*milliseconds)[i];
  }
  floor.stepSeconds /= floor.rounds;
  size_t next = 0;
  for (size_t i = 0; i < commands.size(); ++i)
    if (isReplayed(commands[i].kind))
      floor.replayed[i] = sums[next++] * 1e-3 / floor.rounds;
  Result<double> rate = device.measureCopyRate();
  if (!rate.ok())
    return rate.status();
  floor.bytesPerSecond = *rate;
  return floor;
}
