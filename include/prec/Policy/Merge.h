//===- Merge.h - reports to policies ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_POLICY_MERGE_H
#define PREC_POLICY_MERGE_H

#include "prec/Policy/Policy.h"

namespace prec {

/// Reads a report: a file of version 2, or the list of layer timings that
/// LoongForge's benchmark writes, whose machine is then `gpu`. Every error
/// begins "fileName:line:column: error: ".
llvm::Expected<MeasuredPolicy> parseReport(llvm::StringRef text,
                                           llvm::StringRef fileName,
                                           llvm::StringRef gpu = "unknown");

/// One policy of version 2 from several reports; what several measured is
/// combined (combineTimes).
MeasuredPolicy mergeReports(llvm::ArrayRef<MeasuredPolicy> reports,
                            double speedupThreshold);

struct ThresholdMerge {
  ThresholdPolicy policy;
  /// Modules whose times version 1 cannot express, each with what was taken.
  std::vector<std::string> notes;
};

/// Version 1 from the times of modules. Where FP8 wins, then loses, the
/// threshold lies after the last loss; where models that share a key disagree,
/// the largest threshold counts, and if FP8 loses at the end in one, there is
/// no rule.
ThresholdMerge makeThresholdPolicy(const Measurements &measurements,
                                   double speedupThreshold);

/// What differs between two policies, a line each; empty if they say the same.
std::vector<std::string> diffPolicies(const Policy &before,
                                      const Policy &after);

} // namespace prec

#endif // PREC_POLICY_MERGE_H
