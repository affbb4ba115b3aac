//===- ThresholdPolicy.h - policies of version 1 ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LoongForge's FP8 dynamic policy: for a module, the number of tokens from
// which on FP8 is faster. Read as it is; docs/Policy.md has the format.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_POLICY_THRESHOLDPOLICY_H
#define PREC_POLICY_THRESHOLDPOLICY_H

#include "prec/Policy/Module.h"
#include "prec/Support/Json.h"

#include "llvm/Support/raw_ostream.h"

#include <map>

namespace prec {

struct ThresholdRule {
  int64_t minTokens = 0;
  /// BF16 time over FP8 time at minTokens.
  std::optional<double> measuredSpeedup;
  JsonPosition position;
};

struct ThresholdPolicy {
  /// The least measured speedup that counts.
  double speedupThreshold = 1;
  std::map<ModuleKey, ThresholdRule> rules;

  /// Null if the policy has none: such modules stay in BF16.
  const ThresholdRule *find(const ModuleKey &key) const;
  /// Whether a rule's own measurement says that FP8 does not pay.
  bool isTooSlow(const ThresholdRule &rule) const {
    return rule.measuredSpeedup && *rule.measuredSpeedup < speedupThreshold;
  }
};

/// Reads version 1. Every error begins "fileName:line:column: error: ".
llvm::Expected<ThresholdPolicy> readThresholdPolicy(const JsonValue &json,
                                                    llvm::StringRef fileName);

/// Writes what readThresholdPolicy reads, rules in the order of kinds, names
/// and sizes.
void writeThresholdPolicy(llvm::raw_ostream &os, const ThresholdPolicy &policy);

} // namespace prec

#endif // PREC_POLICY_THRESHOLDPOLICY_H
