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
#include "DeltaDebugging.h"
#include "FirstMoments.h"
#include "Inputs.h"

#include "JsonFields.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

using namespace prec::rt;
using namespace prec::run;
using nlohmann::ordered_json;

namespace {

/// What a step with some operands raised gave.
struct Outcome {
  double loss = 0;
  std::string notFinite; ///< empty if all is
  double snr = 0;        ///< the least of loss and gradients
  std::string worst;     ///< of which it is
  Tensors gradients;
};

/// An operand of the set that was found, and the step without it.
struct Finding {
  size_t element;
  Outcome without;
};

class Bisector {
public:
  Bisector(Session &session, const Options &options)
      : session(session), options(options) {}

  Status run();

private:
  Status prepare();
  Status saveState();
  Status restoreState();
  Result<Outcome> take(const ElementSet &raised);
  bool isGood(const Outcome &outcome) const {
    return outcome.notFinite.empty() && outcome.snr >= options.leastSnr;
  }
  Result<std::vector<Finding>> rank(const ElementSet &set);
  Status report(const Outcome &low, const std::vector<Finding> &findings);

  Session &session;
  const Options &options;
  int switches = -1;
  ElementSet all;
  Outcome high;
  int64_t step = 0, taken = 0;
  std::vector<std::pair<int, std::vector<char>>> state;
};

/// A gradient that is smaller than this part of the root mean square of all is
/// taken to be that: some cancel, and are nothing but roundings.
constexpr double kLeastRms = 0.01;

} // namespace

static bool isState(Role role) {
  return role == Role::parameter || role == Role::optimizerState ||
         role == Role::workWeight || role == Role::scaleState;
}

static const std::vector<std::string> &namesOf(const Session &session,
                                               int switches) {
  return session.manifest().bindings[static_cast<size_t>(switches)].tensors;
}

Status Bisector::prepare() {
  const std::vector<Binding> &bindings = session.manifest().bindings;
  for (size_t i = 0; i < bindings.size(); ++i)
    if (bindings[i].role == Role::switches)
      switches = static_cast<int>(i);
  if (switches < 0)
    return Status::invalidArgument(
        "--bisect must be given for a module compiled with "
        "--switchable, but is not");
  all.resize(namesOf(session, switches).size());
  std::iota(all.begin(), all.end(), size_t(0));
  PREC_RT_RETURN_IF_ERROR(setInputs(session, options));
  PREC_RT_RETURN_IF_ERROR(keepGradients(session));
  PREC_RT_RETURN_IF_ERROR(session.initialize());
  step = session.stepsDone();
  return saveState();
}

Status Bisector::saveState() {
  const std::vector<Binding> &bindings = session.manifest().bindings;
  for (size_t i = 0; i < bindings.size(); ++i) {
    if (!isState(bindings[i].role))
      continue;
    std::vector<char> bytes(session.bufferOf(bindings[i]).bytes());
    PREC_RT_RETURN_IF_ERROR(session.device().download(
        bindings[i].buffer, bytes.data(), static_cast<int64_t>(bytes.size())));
    state.emplace_back(bindings[i].buffer, std::move(bytes));
  }
  return {};
}

Status Bisector::restoreState() {
  for (const auto &[buffer, bytes] : state)
    PREC_RT_RETURN_IF_ERROR(session.device().upload(
        buffer, bytes.data(), static_cast<int64_t>(bytes.size())));
  session.setStepsDone(step);
  return {};
}

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
  ++taken;
  PREC_RT_RETURN_IF_ERROR(restoreState());
  std::vector<float> values(all.size(), 0);
  for (size_t element : raised)
    values[element] = 1;
  PREC_RT_RETURN_IF_ERROR(session.set(switches, DType::f32,
                                      {static_cast<int64_t>(values.size())},
                                      values.data()));
  Result<StepResult> result = session.step();
  if (!result.ok())
    return result.status();
  if (result->isIndex)
    return Status::invalidArgument(result->fault() +
                                   ", which no precision changes");
  Outcome outcome;
  outcome.loss = result->loss;
  if (result->notFinite)
    outcome.notFinite = *result->notFinite;
  else if (!std::isfinite(result->loss))
    outcome.notFinite = "loss";
  Result<Tensors> gradients = readFirstMoments(session, "--bisect");
  if (!gradients.ok())
    return gradients.status();
  outcome.gradients = std::move(*gradients);
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
  const std::vector<std::string> &names = namesOf(session, switches);
  printf("step %lld, all %zu operands low: %s\n",
         static_cast<long long>(step) + 1, all.size(), describe(low).c_str());
  printf("all high: loss %.6f\n", high.loss);
  if (findings.empty())
    printf("good already: no operand needs to be raised\n");
  else
    printf("%zu to raise, found in %lld steps; without one of them:\n",
           findings.size(), static_cast<long long>(taken));
  ordered_json tensors = ordered_json::array();
  for (const Finding &finding : findings) {
    printf("  %s: %s\n", names[finding.element].c_str(),
           describe(finding.without).c_str());
    tensors.push_back({{"tensor", names[finding.element]},
                       {"without", asJson(finding.without)}});
  }
  if (options.report.empty())
    return {};
  ordered_json document = {{"module", options.module},
                           {"recipe", session.manifest().recipe},
                           {"step", step + 1},
                           {"steps_taken", taken},
                           {"least_snr_db", options.leastSnr},
                           {"low", asJson(low)},
                           {"high", {{"loss", high.loss}}},
                           {"raised", std::move(tensors)}};
  return writeAtomically(options.report, writeJson(document, 1) + "\n");
}

Status Bisector::run() {
  PREC_RT_RETURN_IF_ERROR(prepare());
  Result<Outcome> raised = take(all);
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
      minimizeSet(all, [&](const ElementSet &candidate) -> Result<bool> {
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
