//===- LoadCosts.cpp - what a cost model goes by --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Cost/LoadCosts.h"

#include "prec/Support/Files.h"

using namespace mlir;
using namespace prec;
using llvm::Expected;

static Expected<TargetCosts> readTargetCosts(StringRef costsFile,
                                             const Target &target) {
  if (costsFile.empty())
    return parseTargetCosts(findBuiltinTargetCosts(target.name),
                            target.name.str() + ".json");
  Expected<std::string> text = readFile(costsFile);
  if (!text)
    return text.takeError();
  Expected<TargetCosts> costs = parseTargetCosts(*text, costsFile);
  if (costs && costs->name != target.name)
    return llvm::createStringError("target-costs must be of the target " +
                                   target.name + ", but got '" + costs->name +
                                   "' in '" + costsFile + "'");
  return costs;
}

Expected<CostSources> prec::loadCosts(StringRef costsFile, const Target &target,
                                      const PolicySources *policy) {
  CostSources sources;
  Expected<TargetCosts> costs = readTargetCosts(costsFile, target);
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
  if (target.gpus.empty())
    return llvm::createStringError(
        "choose=cost must have times of the target " + target.name +
        ", but policy '" + policy->policyFile + "' has those of " +
        printMachine(machine));
  sources.measured = &times;
  return sources;
}
