//===- FloorMeasurement.cpp - the floor of a step, measured ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FloorMeasurement.h"

#include <chrono>

using namespace prec::rt;
using namespace prec::run;

// A GPU needs about a second to settle on the clocks of a load that lasts.
static constexpr int leastRounds = 5;
static constexpr std::chrono::seconds leastTime(1);

Result<StepFloor> prec::run::measureFloor(Session &session) {
  using Clock = std::chrono::steady_clock;
  const Manifest &manifest = session.manifest();
  const std::vector<Command> &commands = manifest.commands("step");
  Device &device = session.device();
  StepFloor floor;
  floor.bytes = computeUnavoidableBytes(manifest);
  floor.replayed.resize(commands.size());
  std::vector<const Command *> products;
  for (const Command &command : commands)
    if (isReplayed(command.kind))
      products.push_back(&command);

  PREC_RT_RETURN_IF_ERROR(session.beginStep());
  auto replay = [&]() -> Result<std::vector<double>> {
    // A whole step before each replay: products alone would multiply what
    // others left in bytes that they share, soon NaN, and neither the power
    // that takes nor the clocks that a GPU then runs at are those of a step.
    PREC_RT_RETURN_IF_ERROR(device.run("step"));
    return device.timeCommands(products);
  };
  if (!products.empty()) {
    Result<std::vector<double>> warmUp = replay();
    if (!warmUp.ok())
      return warmUp.status();
    std::vector<double> sums(products.size());
    const Clock::time_point start = Clock::now();
    while (floor.rounds < leastRounds || Clock::now() - start < leastTime) {
      Result<std::vector<double>> milliseconds = replay();
      if (!milliseconds.ok())
        return milliseconds.status();
      ++floor.rounds;
      for (size_t i = 0; i < sums.size(); ++i)
        sums[i] += (*milliseconds)[i];
    }
    for (size_t i = 0; i < sums.size(); ++i)
      floor.replayed[products[i] - commands.data()] =
          sums[i] * 1e-3 / floor.rounds;
  }
  Result<double> rate = device.measureCopyRate();
  if (!rate.ok())
    return rate.status();
  floor.bytesPerSecond = *rate;
  return floor;
}
