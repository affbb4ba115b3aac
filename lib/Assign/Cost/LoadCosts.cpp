//===- LoadCosts.cpp - what a cost model goes by --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Cost/LoadCosts.h"

#include "Assign/Cost/SelectMachine.h"

#include <cmath>

using namespace mlir;
using namespace prec;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

Expected<CostSources> prec::loadCosts(StringRef costsFile, const Target &target,
                                      const PolicySources *policy) {
  CostSources sources;
  Expected<MachineModel> costs = target.loadMachine(costsFile, "target-costs");
  if (!costs)
    return costs.takeError();
  sources.target = std::move(*costs);
  if (!policy)
    return sources;
  const MeasuredPolicy *measured = policy->policy.getMeasured();
  if (!measured)
    return llvm::createStringError(
        "choose=cost needs the times of a policy of version 2, but '" +
        policy->policyFile + "' has thresholds");
  // A policy of another machine may decide; its times are not this target's.
  const auto &[machine, times] = *measured->machines.begin();
  if (!target.hasGpus() && !isMachineOf(machine, target))
    return llvm::createStringError(
        "choose=cost must have times of the target " + target.getName() +
        ", but policy '" + policy->policyFile + "' has those of " +
        printMachine(machine));
  sources.measured = &times;
  return sources;
}

Error prec::loadNoise(StringRef recipe, const BoundSources &bounds,
                      StringRef leastSnr, AssignmentInputs &inputs) {
  if (bounds.numerics && bounds.numerics->gradientNoise)
    inputs.noise = &*bounds.numerics->gradientNoise;
  if (!inputs.noise && !leastSnr.empty())
    return createStringError("'least-gradient-snr' must have a file for "
                             "'numerics' with gradient noise, but got none");
  if (inputs.noise && inputs.noise->recipe != recipe)
    return createStringError("gradient noise must be of recipe " + recipe +
                             ", but '" + bounds.numericsFile +
                             "' has that of " + inputs.noise->recipe);
  if (leastSnr.empty())
    return Error::success();
  double least = 0;
  constexpr double kMost = 1000;
  if (leastSnr.getAsDouble(least) || least < 0 || least > kMost ||
      std::isnan(least))
    return createStringError("'least-gradient-snr' must be decibels from 0 to "
                             "1000, but got '" +
                             leastSnr + "'");
  inputs.leastSnr = least;
  return Error::success();
}
