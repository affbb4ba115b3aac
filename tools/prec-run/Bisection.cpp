//===- Bisection.cpp - --bisect -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --bisect: finds the operands that must not be FP8 or FP4 for one step to be
// good. The module is compiled with a switch for each operand
// (SwitchPrecision.cpp). A set of raised operands is tried by restoring the
// state, setting the switches and taking the step. It is good if all is finite
// and loss and gradients are close enough to those of the step with all raised
// (signal to noise ratio in dB, the least of all). minimizeSet
// (DeltaDebugging.cpp) then finds a set of which no element can be left out,
// and each element is ranked by what the step is without it. It costs as many
// steps as sets that are tried.
//
//===----------------------------------------------------------------------===//

#include "Bisection.h"

#include "AtomicFile.h"
#include "JsonFields.h"
#include "SwitchedStep.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

using namespace prec::rt;
using namespace prec::run;
using nlohmann::ordered_json;

namespace {

/// A step with how near it is to the one with all operands raised.
struct Outcome : SwitchedOutcome {
  double snr = 0;    ///< the least of loss and gradients
  std::string worst; ///< of which it is
};

/// An operand of the set that was found, and the step without it.
struct Finding {
  size_t element;
  Outcome without;
};

class Bisector {
public:
  Bisector(Session &session, const Options &options)
      : session(session), options(options), step(session, "--bisect") {}

  Status run();

private:
  Result<Outcome> take(const ElementSet &raised);
  bool isGood(const Outcome &outcome) const {
    return outcome.notFinite.empty() && outcome.snr >= options.leastSnr;
  }
  Result<std::vector<Finding>> rank(const ElementSet &set);
  Status report(const Outcome &low, const std::vector<Finding> &findings);

  Session &session;
  const Options &options;
  SwitchedStep step;
  Outcome high;
};

/// A gradient that is smaller than this part of the root mean square of all is
/// taken to be that: some cancel, and are nothing but roundings.
constexpr double kLeastRms = 0.01;

} // namespace

static double decibels(double squares, double errors) {
  return errors > 0 ? 10 * std::log10(squares / errors)
                    : std::numeric_limits<double>::infinity();
}

static double sumOfSquares(const std::vector<float> &values) {
  double sum = 0;
  for (double value : values)
    sum += value * value;
  return sum;
}

/// Sets the least of loss and gradients, and of which it is; NaN is less than
/// any.
static void compare(const Outcome &exact, Outcome &other) {
  double total = 0, elements = 0;
  for (const auto &[parameter, values] : exact.gradients) {
    total += sumOfSquares(values);
    elements += values.size();
  }
  auto add = [&](const std::string &what, double squares, double errors) {
    double snr = decibels(squares, errors);
    if (std::isnan(snr))
      snr = -std::numeric_limits<double>::infinity();
    if (other.worst.empty() || snr < other.snr) {
      other.snr = snr;
      other.worst = what;
    }
  };
  add("loss", std::pow(exact.loss, 2), std::pow(other.loss - exact.loss, 2));
  for (const auto &[parameter, values] : exact.gradients) {
    const std::vector<float> &others = other.gradients.at(parameter);
    std::vector<float> errors(values);
    for (size_t i = 0; i < errors.size(); ++i)
      errors[i] = others[i] - errors[i];
    double least = std::pow(kLeastRms, 2) * total / elements;
    add("gradient of " + parameter,
        std::max(sumOfSquares(values), least * values.size()),
        sumOfSquares(errors));
  }
}

Result<Outcome> Bisector::take(const ElementSet &raised) {
  Result<SwitchedOutcome> taken = step.take(raised);
  if (!taken.ok())
    return taken.status();
  Outcome outcome{std::move(*taken), 0, ""};
  if (!high.gradients.empty())
    compare(high, outcome);
  return outcome;
}

/// What matters most first: without it the step is not finite, or is off most.
Result<std::vector<Finding>> Bisector::rank(const ElementSet &set) {
  std::vector<Finding> findings;
  for (size_t element : set) {
    ElementSet rest = set;
    rest.erase(std::find(rest.begin(), rest.end(), element));
    Result<Outcome> outcome = take(rest);
    if (!outcome.ok())
      return outcome.status();
    outcome->gradients.clear();
    findings.push_back({element, std::move(*outcome)});
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding &a, const Finding &b) {
                     bool isFinite = a.without.notFinite.empty();
                     if (isFinite != b.without.notFinite.empty())
                       return !isFinite;
                     return a.without.snr < b.without.snr;
                   });
  return findings;
}

static std::string describe(const Outcome &outcome) {
  if (!outcome.notFinite.empty())
    return outcome.notFinite + " is not finite";
  char text[64];
  snprintf(text, sizeof text, "loss %.6f, %.1f dB in ", outcome.loss,
           outcome.snr);
  return text + outcome.worst;
}

static ordered_json asJson(const Outcome &outcome) {
  auto number = [](double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json();
  };
  ordered_json result = {{"loss", number(outcome.loss)}};
  if (outcome.notFinite.empty())
    result.update({{"snr_db", number(outcome.snr)}, {"worst", outcome.worst}});
  else
    result["not_finite"] = outcome.notFinite;
  return result;
}

Status Bisector::report(const Outcome &low,
                        const std::vector<Finding> &findings) {
  const std::vector<std::string> &names = step.names();
  printf("step %lld, all %zu operands low: %s\n",
         static_cast<long long>(step.firstStep()) + 1, step.all().size(),
         describe(low).c_str());
  printf("all high: loss %.6f\n", high.loss);
  if (findings.empty())
    printf("good already: no operand needs to be raised\n");
  else
    printf("%zu to raise, found in %lld steps; without one of them:\n",
           findings.size(), static_cast<long long>(step.stepsTaken()));
  ordered_json tensors = ordered_json::array();
  for (const Finding &finding : findings) {
    printf("  %s: %s\n", names[finding.element].c_str(),
           describe(finding.without).c_str());
    tensors.push_back({{"tensor", names[finding.element]},
                       {"without", asJson(finding.without)}});
  }
  if (options.report.empty())
    return {};
  ordered_json document = {
      {"module", options.module},         {"recipe", session.manifest().recipe},
      {"step", step.firstStep() + 1},     {"steps_taken", step.stepsTaken()},
      {"least_snr_db", options.leastSnr}, {"low", asJson(low)},
      {"high", {{"loss", high.loss}}},    {"raised", std::move(tensors)}};
  return writeAtomically(options.report, writeJson(document, 1) + "\n");
}

Status Bisector::run() {
  PREC_RT_RETURN_IF_ERROR(step.prepare(options));
  Result<Outcome> raised = take(step.all());
  if (!raised.ok())
    return raised.status();
  if (!raised->notFinite.empty())
    return Status::invalidArgument(
        "a step must be finite with every operand raised, "
        "but " +
        raised->notFinite + " is not: fp8 is not its cause");
  high = std::move(*raised);
  Result<Outcome> low = take({});
  if (!low.ok())
    return low.status();
  if (isGood(*low))
    return report(*low, {});
  Result<ElementSet> set =
      minimizeSet(step.all(), [&](const ElementSet &candidate) -> Result<bool> {
        Result<Outcome> outcome = take(candidate);
        if (!outcome.ok())
          return outcome.status();
        return isGood(*outcome);
      });
  if (!set.ok())
    return set.status();
  Result<std::vector<Finding>> findings = rank(*set);
  if (!findings.ok())
    return findings.status();
  return report(*low, *findings);
}

Status prec::run::bisect(Session &session, const Options &options) {
  return Bisector(session, options).run();
}
