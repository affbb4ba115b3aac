//===- LearningRate.h - the learning rate of a step -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_LEARNINGRATE_H
#define PREC_RUN_LEARNINGRATE_H

#include "Options.h"
#include "Session.h"

namespace prec::run {

/// Factor on the base rate in step `step` (from 1): linear from 0 over
/// `options.warmup` steps, then constant; half a cosine to 0 in step
/// `options.steps`; or constant and linear to 0 over the last `options.decay`
/// steps.
double scheduleFactor(const Options &options, int64_t step);

/// The rates of the module's parameter groups, and their course.
class LearningRate {
public:
  LearningRate(const Options &options, const rt::Session &session);
  /// Whether the module has every group that a rate is given for.
  static rt::Status check(const rt::Session &session, const Options &options);
  /// Sets every group's rate for a step; remembers the first group's.
  rt::Status set(rt::Session &session, int64_t step);
  double current() const { return last; }

private:
  const Options &options;
  std::vector<std::pair<std::string, double>> groups; ///< binding, base rate
  double last = 0;
};

} // namespace prec::run

#endif // PREC_RUN_LEARNINGRATE_H
