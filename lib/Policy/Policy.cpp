//===- Policy.cpp - measured decisions between FP8 and BF16 ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Policy/Policy.h"

#include "prec/Support/JsonReader.h"

#include "llvm/Support/FormatVariadic.h"

using namespace prec;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

Expected<Policy> prec::parsePolicy(StringRef text, StringRef fileName) {
  Expected<JsonValue> json = parseJson(text, fileName);
  if (!json)
    return json.takeError();
  JsonReader reader(fileName);
  if (json->kind != JsonValue::Kind::Object)
    return reader.fail(json->position, "a policy must be an object, but got " +
                                           describeJson(*json));
  const JsonValue *versionValue = json->find("version");
  if (!versionValue)
    return reader.fail(json->position, "missing key 'version'");
  int64_t version = 0;
  if (Error error = reader.readVersion(*versionValue, {1, 2}, version))
    return std::move(error);
  if (version == 1) {
    Expected<ThresholdPolicy> policy = readThresholdPolicy(*json, fileName);
    if (!policy)
      return policy.takeError();
    return Policy{std::move(*policy)};
  }
  Expected<MeasuredPolicy> policy = readMeasuredPolicy(*json, fileName);
  if (!policy)
    return policy.takeError();
  return Policy{std::move(*policy)};
}

void prec::writePolicy(llvm::raw_ostream &os, const Policy &policy) {
  if (const ThresholdPolicy *thresholds = policy.getThresholds())
    writeThresholdPolicy(os, *thresholds);
  else
    writeMeasuredPolicy(os, *policy.getMeasured());
}

PolicyVerdict prec::decideModule(const ThresholdPolicy &policy,
                                 const ModuleKey &module, int64_t tokens) {
  const ThresholdRule *rule = policy.find(module);
  if (!rule)
    return {false, true, false, "no rule for " + printModuleKey(module),
            "a rule for " + printModuleKey(module) + " in the policy"};
  if (policy.isTooSlow(*rule))
    return {false, false, false,
            printModuleKey(module) + ": its measured speedup of " +
                printNumber(*rule->measuredSpeedup) +
                " is below the file's threshold of " +
                printNumber(policy.speedupThreshold),
            "a measured speedup of " + printNumber(policy.speedupThreshold) +
                " or more"};
  bool wins = tokens >= rule->minTokens;
  return {wins, false, false,
          formatv("{0}: {1} tokens are {2} its {3}", printModuleKey(module),
                  tokens, wins ? "at least" : "fewer than", rule->minTokens),
          !wins ? formatv("{0} tokens or more", rule->minTokens).str()
          : rule->minTokens <= 1
              ? "a policy without that rule"
              : formatv("fewer than {0} tokens", rule->minTokens).str()};
}

PolicyVerdict prec::decideModule(const Measurements &measurements,
                                 const ModuleKey &module, int64_t tokens,
                                 double speedupThreshold, StringRef model) {
  std::vector<TokenTimes> points = measurements.getTokenTimes(module, model);
  if (points.empty())
    return {false, true, false, "no times of " + printModuleKey(module),
            "times of " + printModuleKey(module) + " in the policy"};
  std::vector<SpeedupInterval> intervals =
      getIntervals(points, speedupThreshold);
  bool wins = winsAt(intervals, tokens);
  return {wins, false, false,
          formatv("{0} at {1} tokens: FP8 {2}", printModuleKey(module), tokens,
                  printIntervals(intervals)),
          wins ? "a number of tokens at which FP8 does not win"
               : "a number of tokens at which FP8 wins"};
}

/// "12.0", or "12.0 +- 0.5".
static std::string printTime(const Time &time) {
  std::string text = formatv("{0:F1}", time.us);
  return time.noise > 0 ? text + formatv(" +- {0:F1}", time.noise).str() : text;
}

/// What it takes to quantize an operand as it lies: as measured, or no longer
/// than writing both layouts takes. Empty where neither was measured.
static std::optional<Time> findRows(const Measurements &measurements,
                                    QuantizationKey key) {
  for (StringRef layouts : {"rows", "both"}) {
    key.layouts = layouts.str();
    if (std::optional<Time> time = measurements.findQuantization(key))
      return time;
  }
  return std::nullopt;
}

PolicyVerdict prec::decideContraction(const Measurements &measurements,
                                      const ContractionKey &fp8,
                                      const ContractionFormats &plain,
                                      double speedupThreshold) {
  ContractionKey plainKey = fp8;
  plainKey.formats = plain;
  auto makeMissing = [](const std::string &what,
                        bool isUnpriced) -> PolicyVerdict {
    return {false, true, isUnpriced, "no time of " + what,
            "a time of " + what + " in the policy"};
  };
  std::optional<Time> plainTime = measurements.findContraction(plainKey);
  std::optional<Time> fp8Time = measurements.findContraction(fp8);
  if (!plainTime || !fp8Time)
    return makeMissing(printContractionKey(plainTime ? fp8 : plainKey), false);
  Time total = *fp8Time;
  auto isFaster = [&] {
    return TokenTimes{fp8.getTokens(), *plainTime, total}.getSafeSpeedup() >
           speedupThreshold;
  };
  // What loses to the product alone loses with its quantizations, too.
  std::string unpriced;
  if (isFaster()) {
    const QuantizationKey operands[] = {
        {fp8.batch * fp8.m, fp8.k, plain.lhs, fp8.formats.lhs,
         fp8.formats.scaling, "rows"},
        {fp8.batch * fp8.n, fp8.k, plain.lhs, fp8.formats.rhs,
         fp8.formats.scaling, "rows"}};
    for (const QuantizationKey &operand : operands) {
      std::optional<Time> time = findRows(measurements, operand);
      if (!time)
        return makeMissing(printQuantizationKey(operand), true);
      total.us += time->us;
      total.noise += time->noise;
    }
  } else {
    unpriced = ", before any quantization";
  }
  bool wins = isFaster();
  double breakEven =
      (plainTime->us - plainTime->noise) / speedupThreshold - total.noise;
  std::string change =
      breakEven <= 0 ? "times with less noise"
                     : formatv("{0} {1:F2} us of {2}, quantization included",
                               wins ? "no less than" : "less than", breakEven,
                               fp8.formats.lhs)
                           .str();
  return {wins, false, false,
          formatv("{0}: {1} us against {2} us in {3}{4}",
                  printContractionKey(fp8), printTime(total),
                  printTime(*plainTime), plain.lhs, unpriced),
          std::move(change)};
}
