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

struct RunOptions {
  std::string graph;
  std::vector<std::string> recipes; ///< beside bf16
  std::string target = "cpu";
  std::string output = "report.json";
  std::string module; ///< where the bench module stays; else it is removed
  std::string assign; ///< options of --assign-precision, for every recipe
  std::string ptxas;
  std::vector<std::string> cudaLibraries;
  double budget = 60;     ///< seconds
  double interval = 0.01; ///< of medians, as a share of these
  unsigned threads = 0;   ///< of the CPU; 0: all
  bool resume = false;
};

/// Exit codes: 0 success, 1 (diff) differences, 2 an error, told on stderr.
int runMerge(const MergeOptions &options);
int runDiff(const DiffOptions &options);
/// `program` is what this one was called by.
int runRun(const RunOptions &options, const char *program);

} // namespace prec

#endif // PREC_TOOLS_PREC_BENCH_COMMANDS_H
