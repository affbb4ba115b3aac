//===- GradientNoise.cpp - --gradient-noise -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What FP8 and FP4 do to a gradient is measured one contraction at a time: a
// step is taken from one state with every operand raised, then with both
// operands of one contraction low. Errors of rounding are all but independent,
// so what several contractions do together is the sum of what each does alone
// (squares of errors add up), and any choice of formats can be priced by these
// numbers. The step with all of them low is measured, too, which shows how well
// the sum holds. Histories of delayed scales are begun by a step with
// everything low that does not count. Takes as many steps a batch as there are
// contractions, and three.
//
//===----------------------------------------------------------------------===//

#include "GradientNoise.h"

#include "AtomicFile.h"
#include "Inputs.h"
#include "JsonFields.h"
#include "SwitchedStep.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace prec::rt;
using namespace prec::run;
using nlohmann::ordered_json;

namespace {

/// Elements of one contraction.
struct Contraction {
  std::string path, direction;
  ElementSet elements;
  double noise = 0; ///< summed over batches
};

} // namespace

/// Of "PATH/DIRECTION/OPERAND".
static std::vector<Contraction>
findContractions(const std::vector<std::string> &names) {
  std::vector<Contraction> found;
  std::map<std::string, size_t> known;
  for (size_t element = 0; element < names.size(); ++element) {
    std::string key = names[element].substr(0, names[element].rfind('/'));
    auto [place, isNew] = known.insert({key, found.size()});
    if (isNew) {
      size_t slash = key.rfind('/');
      found.push_back({key.substr(0, slash), key.substr(slash + 1), {}});
    }
    found[place->second].elements.push_back(element);
  }
  return found;
}

/// Squares of errors over squares; NaN if the step is not finite.
static double noiseOf(const SwitchedOutcome &exact,
                      const SwitchedOutcome &other) {
  if (!other.notFinite.empty())
    return std::numeric_limits<double>::quiet_NaN();
  double squares = 0, errors = 0;
  for (const auto &[parameter, values] : exact.gradients) {
    const std::vector<float> &others = other.gradients.at(parameter);
    for (size_t i = 0; i < values.size(); ++i) {
      double value = values[i];
      squares += value * value;
      errors += std::pow(others[i] - value, 2);
    }
  }
  return squares > 0 ? errors / squares : 0;
}

static double decibels(double noise) { return -10 * std::log10(noise); }

Status prec::run::measureNoise(Session &session, const Options &options) {
  SwitchedStep step(session, "--gradient-noise");
  PREC_RT_RETURN_IF_ERROR(step.prepare(options));
  std::vector<Contraction> contractions = findContractions(step.names());
  double together = 0;
  for (int64_t batch = 0; batch < options.noiseBatches; ++batch) {
    // The first batch is left to --verify, which shows what this tells of it.
    PREC_RT_RETURN_IF_ERROR(setBatch(session, options, batch + 1));
    Result<SwitchedOutcome> begun = step.take({});
    if (!begun.ok())
      return begun.status();
    PREC_RT_RETURN_IF_ERROR(step.saveState());
    Result<SwitchedOutcome> exact = step.take(step.all());
    if (!exact.ok())
      return exact.status();
    if (!exact->notFinite.empty())
      return Status::invalidArgument(
          "a step must be finite with every operand raised, but " +
          exact->notFinite + " is not");
    auto measure = [&](const ElementSet &raised, double &sum) -> Status {
      Result<SwitchedOutcome> outcome = step.take(raised);
      if (!outcome.ok())
        return outcome.status();
      double noise = noiseOf(*exact, *outcome);
      if (!std::isfinite(noise))
        return Status::badValue("gradients must be finite to have noise, but " +
                                outcome->notFinite +
                                " is not; --bisect finds which operands cause "
                                "that");
      sum += noise;
      return {};
    };
    PREC_RT_RETURN_IF_ERROR(measure({}, together));
    for (Contraction &contraction : contractions) {
      ElementSet raised;
      std::set_difference(
          step.all().begin(), step.all().end(), contraction.elements.begin(),
          contraction.elements.end(), std::back_inserter(raised));
      PREC_RT_RETURN_IF_ERROR(measure(raised, contraction.noise));
    }
  }
  auto count = static_cast<double>(options.noiseBatches);
  together /= count;
  double sum = 0;
  ordered_json list = ordered_json::array();
  for (Contraction &contraction : contractions) {
    contraction.noise /= count;
    sum += contraction.noise;
    list.push_back({{"path", contraction.path},
                    {"direction", contraction.direction},
                    {"noise", contraction.noise}});
  }
  printf("%zu contractions in %lld steps: the gradient keeps %.2f dB with all "
         "of them low, %.2f dB by the sum of each alone\n",
         contractions.size(), static_cast<long long>(step.stepsTaken()),
         decibels(together), decibels(sum));
  ordered_json document = {{"version", 1},
                           {"producer", "prec-run"},
                           {"tensors", ordered_json::array()},
                           {"uses", ordered_json::array()},
                           {"gradient_noise",
                            {{"recipe", session.manifest().recipe},
                             {"steps", options.noiseBatches},
                             {"wide", 0},
                             {"together", together},
                             {"contractions", std::move(list)}}}};
  return writeAtomically(options.gradientNoise, writeJson(document, 1) + "\n");
}
