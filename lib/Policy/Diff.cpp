//===- Diff.cpp - what differs between two policies -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Policy/Merge.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace prec;
using llvm::formatv;

namespace {

class PolicyDiff {
public:
  std::vector<std::string> lines;

  void diffThreshold(double before, double after) {
    if (before != after)
      lines.push_back(formatv("speedup_threshold: {0} -> {1}", before, after));
  }

  /// Walks two ordered maps together.
  template <typename Map, typename Describe, typename Compare>
  void diffMaps(const Map &before, const Map &after, const Describe &describe,
                const Compare &compare) {
    auto b = before.begin(), a = after.begin();
    while (b != before.end() || a != after.end()) {
      bool isRemoved =
          a == after.end() || (b != before.end() && b->first < a->first);
      bool isAdded = !isRemoved && (b == before.end() || a->first < b->first);
      if (isRemoved) {
        lines.push_back("- " + describe(*b++));
      } else if (isAdded) {
        lines.push_back("+ " + describe(*a++));
      } else {
        std::string change = compare(b->second, a->second);
        if (!change.empty())
          lines.push_back("  " + describe(*b) + " -> " + change);
        ++b;
        ++a;
      }
    }
  }

  void diff(const ThresholdPolicy &before, const ThresholdPolicy &after);
  void diff(const MeasuredPolicy &before, const MeasuredPolicy &after);

private:
  void diff(const Measurements &before, const Measurements &after);
};

} // namespace

void PolicyDiff::diff(const ThresholdPolicy &before,
                      const ThresholdPolicy &after) {
  diffThreshold(before.speedupThreshold, after.speedupThreshold);
  auto describe = [](const auto &entry) {
    return formatv("{0}: FP8 from {1} tokens", printModuleKey(entry.first),
                   entry.second.minTokens)
        .str();
  };
  diffMaps(before.rules, after.rules, describe,
           [](const ThresholdRule &b, const ThresholdRule &a) {
             return b.minTokens == a.minTokens
                        ? std::string()
                        : std::to_string(a.minTokens) + " tokens";
           });
}

static std::string printNoisyTime(const Time &time) {
  return formatv("{0:F1} us +- {1:F1}", time.us, time.noise);
}

/// Empty unless the times differ by more than their noise explains.
static std::string compareTimes(const Time &before, const Time &after) {
  if (std::abs(before.us - after.us) <= before.noise + after.noise)
    return "";
  return formatv("{0} ({1}{2:F1} %)", printNoisyTime(after),
                 after.us > before.us ? "+" : "",
                 100 * (after.us / before.us - 1));
}

void PolicyDiff::diff(const Measurements &before, const Measurements &after) {
  diffMaps(
      before.contractions, after.contractions,
      [](const auto &entry) {
        return printContractionKey(entry.first) + ": " +
               printNoisyTime(entry.second);
      },
      compareTimes);
  diffMaps(
      before.quantizations, after.quantizations,
      [](const auto &entry) {
        return printQuantizationKey(entry.first) + ": " +
               printNoisyTime(entry.second);
      },
      compareTimes);
  auto printModuleTimes = [](const ModuleTimes &times) {
    return formatv("bf16 {0}, fp8 {1}",
                   times.bf16 ? printNoisyTime(*times.bf16) : "not measured",
                   times.fp8 ? printNoisyTime(*times.fp8) : "not measured")
        .str();
  };
  diffMaps(
      before.modules, after.modules,
      [&](const auto &entry) {
        const ModuleRunKey &key = entry.first;
        return printModuleKey(key.module) +
               (key.model.empty() ? "" : " of " + key.model) + " at " +
               std::to_string(key.tokens) +
               " tokens: " + printModuleTimes(entry.second);
      },
      [&](const ModuleTimes &b, const ModuleTimes &a) {
        auto isChanged = [](const std::optional<Time> &x,
                            const std::optional<Time> &y) {
          return x && y ? !compareTimes(*x, *y).empty() : x || y;
        };
        return isChanged(b.bf16, a.bf16) || isChanged(b.fp8, a.fp8)
                   ? printModuleTimes(a)
                   : std::string();
      });
}

void PolicyDiff::diff(const MeasuredPolicy &before,
                      const MeasuredPolicy &after) {
  diffThreshold(before.speedupThreshold, after.speedupThreshold);
  static const Measurements kNone;
  std::map<Machine, std::pair<const Measurements *, const Measurements *>> both;
  for (const auto &[machine, measured] : before.machines)
    both[machine] = {&measured, &kNone};
  for (const auto &[machine, measured] : after.machines)
    both.try_emplace(machine, &kNone, nullptr).first->second.second = &measured;
  for (const auto &[machine, pair] : both) {
    size_t size = lines.size();
    diff(*pair.first, *pair.second);
    if (lines.size() > size)
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(size),
                   printMachine(machine) + ":");
  }
}

std::vector<std::string> prec::diffPolicies(const Policy &before,
                                            const Policy &after) {
  PolicyDiff diff;
  const ThresholdPolicy *b = before.getThresholds(), *a = after.getThresholds();
  if (b && a)
    diff.diff(*b, *a);
  else if (!b && !a)
    diff.diff(*before.getMeasured(), *after.getMeasured());
  else
    diff.lines.push_back(formatv("version: {0} -> {1}", b ? 1 : 2, a ? 1 : 2));
  return diff.lines;
}
