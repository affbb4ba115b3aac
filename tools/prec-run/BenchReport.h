//===- BenchReport.h - what a benchmark measured ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_BENCHREPORT_H
#define PREC_RUN_BENCHREPORT_H

#include "BenchPlan.h"
#include "Device.h"

#include <map>
#include <string>
#include <vector>

namespace prec::run {

/// One visit of a command: mean microseconds of its repetitions, and the clock
/// that the device said it ran at behind it; 0 where it does not say.
struct BenchSample {
  double us = 0, megahertz = 0;
};

/// The middle of some times, and by how much it may be off.
struct Estimate {
  double us = 0, noise = 0;
};

/// Median of the samples that were taken at about the clock of most, and half
/// of its interval of 95 %, by order statistics; of fewer than six samples half
/// the distance of the extremes.
Estimate estimate(const std::vector<BenchSample> &samples);

struct BenchResult {
  rt::DeviceReport device;
  std::vector<std::vector<BenchSample>> samples; ///< by entry of the plan
  double copyBytesPerSecond = 0;
  double seconds = 0; ///< that measuring took
  int64_t rounds = 0;
  std::vector<double> watts; ///< of samples of a GPU's power
};

/// The report as JSON: version 2 of a policy, times of all commands, and
/// details (docs/Measuring.md).
std::string toJson(const BenchPlan &plan, const rt::Manifest &module,
                   const BenchResult &result);

/// Samples by signature of a report, if it is of the same machine and graph.
rt::Result<std::map<std::string, std::vector<BenchSample>>>
readSamples(const std::string &path, const rt::DeviceReport &device);

} // namespace prec::run

#endif // PREC_RUN_BENCHREPORT_H
