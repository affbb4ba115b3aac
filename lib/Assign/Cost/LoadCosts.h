//===- LoadCosts.h - what a cost model goes by ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_COST_LOADCOSTS_H
#define PREC_LIB_ASSIGN_COST_LOADCOSTS_H

#include "Assign/Bounds/LoadBounds.h"
#include "prec/Assign/Assignment.h"

namespace prec {

struct CostSources {
  MachineModel target;
  /// Null without a policy; belongs to the policy.
  const Measurements *measured = nullptr;
};

/// Reads `costsFile`, or the target's own file if it is empty, and finds the
/// times of a policy, which may be null and must be of version 2 otherwise.
llvm::Expected<CostSources> loadCosts(llvm::StringRef costsFile,
                                      const Target &target,
                                      const PolicySources *policy);

/// Sets what is known of the noise of the gradient, of the recipe at hand, and
/// which signal to noise ratio it must keep: decibels as text, or empty.
llvm::Error loadNoise(llvm::StringRef recipe, const BoundSources &bounds,
                      llvm::StringRef leastSnr, AssignmentInputs &inputs);

} // namespace prec

#endif // PREC_LIB_ASSIGN_COST_LOADCOSTS_H
