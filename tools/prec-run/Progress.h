//===- Progress.h - what a user sees while training -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_PROGRESS_H
#define PREC_RUN_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <string>

namespace prec::run {

/// A bar that is redrawn in place on a terminal; elsewhere a line about twenty
/// times in a run.
class Progress {
public:
  /// `isSilent`: it measures, and writes nothing.
  Progress(int64_t firstStep, int64_t lastStep, int64_t tokensPerStep,
           bool isSilent = false);

  void step(int64_t step, double loss);
  /// A line of its own, above the bar.
  void note(const std::string &line);
  void finish();

  /// Of all steps so far; evaluation is not counted.
  double tokensPerSecond() const;
  /// From the end of the step before to that of the last one.
  double stepSeconds() const { return lastStep.count(); }
  void pause() { paused = Clock::now(); }
  void resume();

private:
  using Clock = std::chrono::steady_clock;
  std::string line(int64_t step, double loss) const;

  int64_t first, last, tokens, done = 0;
  bool silent, terminal;
  bool drawn = false;
  Clock::time_point start, stepEnd, paused, redrawn;
  std::chrono::duration<double> lastStep{};
};

} // namespace prec::run

#endif // PREC_RUN_PROGRESS_H
