//===- Verification.cpp - --verify ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Verification.h"

#include "AtomicFile.h"
#include "FirstMoments.h"
#include "Inputs.h"

#include "JsonFields.h"
#include "OpenModule.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

using namespace prec::rt;
using namespace prec::run;

namespace {

/// One batch at one set of weights.
struct Gradients {
  double loss = 0;
  Tensors tensors; ///< by parameter
};

struct TensorAgreement {
  std::string parameter;
  double cosine, decibels;
};

struct ModuleAgreement {
  std::string module, recipe;
  double loss = 0;
  double decibels = 0;                  ///< of all gradients as one vector
  std::vector<TensorAgreement> tensors; ///< the least exact first
};

/// More good steps than one never need so many lower loss scales.
constexpr int kMaxSteps = 64;

} // namespace

/// A step that is finite; one that is not lowers a dynamic loss scale.
static Result<double> goodStep(Session &session, const std::string &path) {
  for (int i = 0; i < kMaxSteps; ++i) {
    Result<StepResult> result = session.step();
    if (!result.ok())
      return result.status();
    if (!result->notFinite)
      return result->loss;
    if (result->isIndex)
      return Status::badValue(path + ": " + result->fault());
  }
  return Status::badValue(
      path + ": a step must have finite gradients, but got none in " +
      std::to_string(kMaxSteps) + ": " + *session.notFinite() +
      " is not finite");
}

static Result<Gradients> computeGradients(Session &session,
                                          const std::string &path,
                                          const Options &options) {
  PREC_RT_RETURN_IF_ERROR(setInputs(session, options));
  PREC_RT_RETURN_IF_ERROR(keepGradients(session));
  Result<double> seen = goodStep(session, path);
  if (!seen.ok())
    return seen.status();
  Result<double> loss = goodStep(session, path);
  if (!loss.ok())
    return loss.status();
  Result<Tensors> gradients = readFirstMoments(session, "--verify");
  if (!gradients.ok())
    return gradients.status().prefixed(path + ": ");
  return Gradients{*loss, std::move(*gradients)};
}

/// 1 and infinity for two tensors of zeros.
static TensorAgreement agreementOf(const std::string &parameter,
                                   const std::vector<float> &exact,
                                   const std::vector<float> &other) {
  double product = 0, exactSquares = 0, otherSquares = 0, errors = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    double x = exact[i], y = other[i];
    product += x * y;
    exactSquares += x * x;
    otherSquares += y * y;
    errors += (y - x) * (y - x);
  }
  double norms = std::sqrt(exactSquares) * std::sqrt(otherSquares);
  double cosine = norms > 0 ? product / norms : exactSquares == otherSquares;
  double decibels = errors > 0 ? 10 * std::log10(exactSquares / errors)
                               : std::numeric_limits<double>::infinity();
  return {parameter, cosine, decibels};
}

/// Of all gradients as one vector.
static double decibelsOf(const Tensors &exact, const Tensors &others) {
  double squares = 0, errors = 0;
  for (const auto &[parameter, values] : exact) {
    const std::vector<float> &other = others.at(parameter);
    for (size_t i = 0; i < values.size(); ++i) {
      squares += std::pow(double(values[i]), 2);
      errors += std::pow(double(other[i]) - values[i], 2);
    }
  }
  return errors > 0 ? 10 * std::log10(squares / errors)
                    : std::numeric_limits<double>::infinity();
}

static Result<ModuleAgreement> compareGradients(const Gradients &reference,
                                                const std::string &path,
                                                const Options &options) {
  Result<std::unique_ptr<Session>> session = openModule(path, options);
  if (!session.ok())
    return session.status();
  Result<Gradients> gradients = computeGradients(**session, path, options);
  if (!gradients.ok())
    return gradients.status();
  ModuleAgreement result{
      path, (*session)->manifest().recipe, gradients->loss, 0, {}};
  for (const auto &[parameter, exact] : reference.tensors) {
    auto found = gradients->tensors.find(parameter);
    if (found == gradients->tensors.end() ||
        found->second.size() != exact.size())
      return Status::badValue(path +
                              ": --verify needs modules of one model, but '" +
                              parameter + "' is not in both of one size");
    result.tensors.push_back(agreementOf(parameter, exact, found->second));
  }
  result.decibels = decibelsOf(reference.tensors, gradients->tensors);
  std::stable_sort(result.tensors.begin(), result.tensors.end(),
                   [](const TensorAgreement &a, const TensorAgreement &b) {
                     return a.decibels < b.decibels;
                   });
  return result;
}

static void print(const ModuleAgreement &agreement, double referenceLoss) {
  constexpr size_t shown = 8;
  const std::vector<TensorAgreement> &tensors = agreement.tensors;
  double leastCosine =
      std::min_element(tensors.begin(), tensors.end(),
                       [](const TensorAgreement &a, const TensorAgreement &b) {
                         return a.cosine < b.cosine;
                       })
          ->cosine;
  printf("%s (%s): loss %.6f, %+.4f %%; gradients of %zu parameters: median "
         "%.1f dB, least %.1f dB, least cosine %.6f; together %.1f dB\n",
         agreement.module.c_str(), agreement.recipe.c_str(), agreement.loss,
         100 * (agreement.loss / referenceLoss - 1), tensors.size(),
         tensors[tensors.size() / 2].decibels, tensors.front().decibels,
         leastCosine, agreement.decibels);
  for (size_t i = 0; i < std::min(shown, tensors.size()); ++i)
    printf("  %8.1f dB  cosine %9.6f  %s\n", tensors[i].decibels,
           tensors[i].cosine, tensors[i].parameter.c_str());
  if (tensors.size() > shown)
    printf("  ... and %zu more\n", tensors.size() - shown);
}

/// No JSON number is infinite.
static nlohmann::ordered_json asNumber(double number) {
  return std::isfinite(number) ? nlohmann::ordered_json(number)
                               : nlohmann::ordered_json();
}

static nlohmann::ordered_json asJson(const ModuleAgreement &agreement) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::object();
  for (const TensorAgreement &tensor : agreement.tensors)
    tensors[tensor.parameter] = {{"cosine", tensor.cosine},
                                 {"snr_db", asNumber(tensor.decibels)}};
  return {{"module", agreement.module},
          {"recipe", agreement.recipe},
          {"loss", agreement.loss},
          {"snr_db", asNumber(agreement.decibels)},
          {"gradients", tensors}};
}

Status prec::run::verify(Session &reference, const Options &options) {
  Result<Gradients> exact =
      computeGradients(reference, options.module, options);
  if (!exact.ok())
    return exact.status();
  nlohmann::ordered_json report = {
      {"reference", options.module},
      {"recipe", reference.manifest().recipe},
      {"loss", exact->loss},
      {"modules", nlohmann::ordered_json::array()}};
  printf("%s (%s): loss %.6f\n", options.module.c_str(),
         reference.manifest().recipe.c_str(), exact->loss);
  for (const std::string &path : options.verify) {
    Result<ModuleAgreement> agreement = compareGradients(*exact, path, options);
    if (!agreement.ok())
      return agreement.status();
    print(*agreement, exact->loss);
    fflush(stdout);
    report["modules"].push_back(asJson(*agreement));
  }
  return options.report.empty()
             ? Status()
             : writeAtomically(options.report, writeJson(report, 1) + "\n");
}
