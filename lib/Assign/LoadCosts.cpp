//===- LoadCosts.cpp - what a cost model goes by --------------------------===//
#include "LoadCosts.h"

#include "prec/Support/Files.h"

using namespace mlir;
using namespace mlir::prec;
using llvm::Expected;

Expected<int64_t> prec::parseByteSize(StringRef text) {
  static constexpr std::pair<StringRef, double> kUnits[] = {
      {"KiB", 1024.0},
      {"MiB", 1024.0 * 1024},
      {"GiB", 1024.0 * 1024 * 1024},
      {"TiB", 1024.0 * 1024 * 1024 * 1024}};
  StringRef number = text;
  double scale = 1, value = 0;
  for (auto [unit, bytes] : kUnits)
    if (number.consume_back(unit))
      scale = bytes;
  constexpr double kMost = 1e18;
  // Not a number fails every comparison.
  if (number.trim().getAsDouble(value) || !(value > 0) ||
      !(value * scale < kMost))
    return llvm::createStringError("max-memory must be a number of bytes, "
                                   "KiB, MiB, GiB or TiB, but got '" +
                                   text + "'");
  return static_cast<int64_t>(value * scale);
}

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
