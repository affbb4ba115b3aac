//===- Merge.cpp - reports to policies ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Policy/Merge.h"

#include <cmath>

using namespace prec;
using llvm::ArrayRef;

namespace {

/// All times of one thing, by machine.
template <typename Key>
using Samples = std::map<Machine, std::map<Key, std::vector<Time>>>;

} // namespace

template <typename Key>
static void addSamples(Samples<Key> &samples, const Machine &machine,
                       const std::map<Key, Time> &times) {
  for (const auto &[key, time] : times)
    samples[machine][key].push_back(time);
}

MeasuredPolicy prec::mergeReports(ArrayRef<MeasuredPolicy> reports,
                                  double speedupThreshold) {
  Samples<ContractionKey> contractions;
  Samples<QuantizationKey> quantizations;
  Samples<std::pair<ModuleRunKey, bool>> modules;
  MeasuredPolicy merged;
  merged.speedupThreshold = speedupThreshold;
  for (const MeasuredPolicy &report : reports)
    for (const auto &[machine, measured] : report.machines) {
      merged.machines.try_emplace(machine);
      addSamples(contractions, machine, measured.contractions);
      addSamples(quantizations, machine, measured.quantizations);
      for (const auto &[key, times] : measured.modules)
        for (bool isFp8 : {false, true})
          if (const std::optional<Time> &time = isFp8 ? times.fp8 : times.bf16)
            modules[machine][{key, isFp8}].push_back(*time);
    }
  for (auto &[machine, measured] : merged.machines) {
    for (const auto &[key, times] : contractions[machine])
      measured.contractions[key] = combineTimes(times);
    for (const auto &[key, times] : quantizations[machine])
      measured.quantizations[key] = combineTimes(times);
    for (const auto &[key, times] : modules[machine]) {
      ModuleTimes &slots = measured.modules[key.first];
      (key.second ? slots.fp8 : slots.bf16) = combineTimes(times);
    }
  }
  return merged;
}

static double roundSpeedup(double speedup) {
  return std::round(speedup * 1000) / 1000;
}

/// The threshold that is safe for one module in all models, none if FP8 loses
/// at the largest count in any.
static std::optional<ThresholdRule>
mergeModels(const Measurements &measurements, const ModuleKey &module,
            ArrayRef<std::string> models, double speedupThreshold,
            std::vector<std::string> &notes) {
  std::optional<ThresholdRule> rule;
  bool anyLoses = false, anyWins = false;
  for (const std::string &model : models) {
    std::vector<SpeedupInterval> intervals = getIntervals(
        measurements.getTokenTimes(module, model), speedupThreshold);
    if (intervals.empty())
      continue;
    SafeThreshold threshold = getSafeThreshold(intervals);
    std::string name = printModuleKey(module) +
                       (model.empty() ? "" : " of " + model) + ": FP8 " +
                       printIntervals(intervals);
    if (!threshold.givenUp.empty())
      notes.push_back(name + "; version 1 has one threshold, took " +
                      (threshold.minTokens
                           ? std::to_string(*threshold.minTokens)
                           : std::string("BF16 everywhere")));
    anyWins |= threshold.minTokens.has_value();
    anyLoses |= !threshold.minTokens.has_value();
    if (threshold.minTokens &&
        (!rule || *threshold.minTokens > rule->minTokens))
      // What wins must not be rounded to what does not.
      rule = ThresholdRule{
          *threshold.minTokens,
          std::max(roundSpeedup(threshold.speedup), speedupThreshold),
          {}};
  }
  if (anyLoses && anyWins)
    notes.push_back(printModuleKey(module) +
                    ": FP8 wins in one model and loses in another; version 1 "
                    "cannot tell them apart, took BF16 everywhere");
  return anyLoses ? std::nullopt : rule;
}

ThresholdMerge prec::makeThresholdPolicy(const Measurements &measurements,
                                         double speedupThreshold) {
  ThresholdMerge merge;
  merge.policy.speedupThreshold = speedupThreshold;
  for (const auto &[module, models] : measurements.getModules())
    if (std::optional<ThresholdRule> rule = mergeModels(
            measurements, module, models, speedupThreshold, merge.notes))
      merge.policy.rules.emplace(module, *rule);
  return merge;
}
