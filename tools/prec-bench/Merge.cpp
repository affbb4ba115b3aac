//===- Merge.cpp - reports to one policy ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"

#include "prec/Policy/Merge.h"
#include "prec/Support/Files.h"

#include "llvm/Support/WithColor.h"

using namespace prec;
using llvm::Error;
using llvm::Expected;

static Expected<MeasuredPolicy> readReports(const MergeOptions &options) {
  std::vector<MeasuredPolicy> reports;
  for (const std::string &fileName : options.reports) {
    Expected<std::string> text = readFile(fileName);
    if (!text)
      return text.takeError();
    Expected<MeasuredPolicy> report = parseReport(
        *text, fileName, options.gpu.empty() ? "unknown" : options.gpu);
    if (!report)
      return report.takeError();
    reports.push_back(std::move(*report));
  }
  return mergeReports(reports, options.speedupThreshold);
}

static void keepModel(MeasuredPolicy &policy, const std::string &model) {
  for (auto &entry : policy.machines) {
    std::map<ModuleRunKey, ModuleTimes> kept;
    for (const auto &[key, times] : entry.second.modules)
      if (key.model == model)
        kept.emplace(key, times);
    entry.second.modules = std::move(kept);
  }
}

static Expected<Policy> makeThresholds(const MeasuredPolicy &merged,
                                       const MergeOptions &options) {
  const Measurements *measurements = merged.findMachine(options.gpu);
  if (!measurements) {
    std::string names;
    for (const auto &entry : merged.machines)
      names += (names.empty() ? "" : "; ") + printMachine(entry.first);
    return llvm::createStringError("version 1 is for one machine; --gpu must "
                                   "choose one of: " +
                                   names);
  }
  if (measurements->modules.empty())
    return llvm::createStringError(
        "version 1 is made from times of modules, but the reports have none");
  ThresholdMerge merge =
      makeThresholdPolicy(*measurements, options.speedupThreshold);
  for (const std::string &note : merge.notes)
    llvm::WithColor::warning(llvm::errs(), "prec-bench") << note << "\n";
  return Policy{std::move(merge.policy)};
}

static Error merge(const MergeOptions &options) {
  if (!(options.speedupThreshold > 0))
    return llvm::createStringError("--speedup-threshold must be above 0");
  Expected<MeasuredPolicy> merged = readReports(options);
  if (!merged)
    return merged.takeError();
  if (!options.model.empty())
    keepModel(*merged, options.model);
  Policy policy;
  if (options.version == PolicyVersion::Thresholds) {
    Expected<Policy> thresholds = makeThresholds(*merged, options);
    if (!thresholds)
      return thresholds.takeError();
    policy = std::move(*thresholds);
  } else {
    policy.content = std::move(*merged);
  }
  return writeFileAtomically(
      options.output, [&](llvm::raw_ostream &os) { writePolicy(os, policy); });
}

int prec::runMerge(const MergeOptions &options) {
  if (Error error = merge(options)) {
    llvm::errs() << "prec-bench: " << llvm::toString(std::move(error)) << "\n";
    return 2;
  }
  return 0;
}
