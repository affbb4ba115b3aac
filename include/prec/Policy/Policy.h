//===- Policy.h - measured decisions between FP8 and BF16 -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_POLICY_POLICY_H
#define PREC_POLICY_POLICY_H

#include "prec/Policy/MeasuredPolicy.h"
#include "prec/Policy/ThresholdPolicy.h"

#include <variant>

namespace prec {

/// A policy of either version.
struct Policy {
  std::variant<ThresholdPolicy, MeasuredPolicy> content;

  const ThresholdPolicy *getThresholds() const {
    return std::get_if<ThresholdPolicy>(&content);
  }
  const MeasuredPolicy *getMeasured() const {
    return std::get_if<MeasuredPolicy>(&content);
  }
};

/// Reads version 1 or 2. Every error begins "fileName:line:column: error: ".
llvm::Expected<Policy> parsePolicy(llvm::StringRef text,
                                   llvm::StringRef fileName);
void writePolicy(llvm::raw_ostream &os, const Policy &policy);

/// What a policy says of a module or contraction.
struct PolicyVerdict {
  bool useFp8 = false;
  /// The policy has nothing about it: BF16, to be safe.
  bool isMissing = false;
  /// If isMissing: products were measured, but not what quantizes operands.
  bool isUnpriced = false;
  /// One line: what was compared, with the numbers; "no rule for ..." and the
  /// like if isMissing.
  std::string reason;
  /// What would make it say the contrary, as a noun: "1024 tokens or more".
  std::string change;
};

/// Version 1: FP8 from minTokens on, unless the rule's measured speedup is
/// below the threshold of its own file.
PolicyVerdict decideModule(const ThresholdPolicy &policy,
                           const ModuleKey &module, int64_t tokens);
/// Version 2, by the times of whole modules: FP8 where it wins (winsAt).
PolicyVerdict decideModule(const Measurements &measurements,
                           const ModuleKey &module, int64_t tokens,
                           double speedupThreshold, llvm::StringRef model = "");

/// Version 2, by the time of one contraction: `fp8` with quantizations of both
/// operands (in full, though others might share them) against the same sizes in
/// `plain`. Of a quantization that was measured in both layouts only, that time
/// counts; where one was not measured at all the verdict is missing, unless FP8
/// loses without any.
PolicyVerdict decideContraction(const Measurements &measurements,
                                const ContractionKey &fp8,
                                const ContractionFormats &plain,
                                double speedupThreshold);

} // namespace prec

#endif // PREC_POLICY_POLICY_H
