//===- Commands.h - what prec-bench can do ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_TOOLS_PREC_BENCH_COMMANDS_H
#define PREC_TOOLS_PREC_BENCH_COMMANDS_H

#include <string>
#include <vector>

namespace prec {

enum class PolicyVersion { Thresholds, Times };

struct MergeOptions {
  std::vector<std::string> reports;
  std::string output = "-";
  PolicyVersion version = PolicyVersion::Thresholds;
  double speedupThreshold = 1;
  /// The machine to take, by a part of its name; needed where reports are of
  /// several and version 1 is written.
  std::string gpu;
  /// Only modules of this model; all if empty.
  std::string model;
};

struct DiffOptions {
  std::string before, after;
};

/// Exit codes: 0 success, 1 (diff) differences, 2 an error, told on stderr.
int runMerge(const MergeOptions &options);
int runDiff(const DiffOptions &options);

} // namespace prec

#endif // PREC_TOOLS_PREC_BENCH_COMMANDS_H
