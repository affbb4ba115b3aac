//===- NumericsFile.cpp - what sampled steps were seen to hold ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NumericsFile.h"

#include "JsonFields.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

using namespace prec::rt;
using namespace prec::run;
using nlohmann::ordered_json;

void Numerics::Statistics::add(float amax, float square) {
  this->amax = std::max<double>(this->amax, amax);
  sumOfSquares += square * std::pow(double(amax), 2);
  ++samples;
}

double Numerics::Statistics::getRms() const {
  return std::sqrt(sumOfSquares / samples);
}

void Numerics::addUses(const Binding &binding,
                       const std::vector<float> &numbers) {
  auto get = [&](UseNumeric what) {
    return numbers[static_cast<size_t>(what)];
  };
  float square = get(UseNumeric::Squares),
        error = get(UseNumeric::ErrorSquares);
  for (const Use &use : binding.uses) {
    Operand &operand = uses[{use.path, use.direction, use.operand}];
    operand.statistics.add(get(UseNumeric::Amax), square);
    Loss &loss =
        operand.losses[{use.format, std::string(prec::rt::name(use.scaling))}];
    loss.underflow =
        std::max<double>(loss.underflow, get(UseNumeric::Underflow));
    loss.overflow = std::max<double>(loss.overflow, get(UseNumeric::Overflow));
    if (error == 0)
      continue;
    double sqnr = 10 * std::log10(double(square) / error);
    loss.sqnr = std::min(loss.sqnr.value_or(sqnr), sqnr);
    loss.sumOfSqnr += sqnr;
    ++loss.rounded;
  }
}

void Numerics::addParameter(const std::string &path,
                            const std::vector<float> &numbers) {
  auto get = [&](ParameterNumeric what) {
    return numbers[static_cast<size_t>(what)];
  };
  using Which = ParameterNumeric;
  Parameter &parameter = parameters[path];
  parameter.value.add(get(Which::Amax), get(Which::Squares));
  parameter.gradient.add(get(Which::GradientAmax), get(Which::GradientSquares));
  parameter.update.add(get(Which::UpdateAmax), get(Which::UpdateSquares));
}

bool Numerics::add(const Binding &binding, const std::vector<float> &numbers) {
  if (!std::all_of(numbers.begin(), numbers.end(),
                   [](float number) { return std::isfinite(number); }))
    return false;
  if (binding.uses.empty())
    addParameter(binding.parameter, numbers);
  else
    addUses(binding, numbers);
  return true;
}

void Numerics::addStep(int64_t step) {
  if (!steps++)
    first = step;
}

std::string Numerics::toJson() const {
  ordered_json tensors = ordered_json::array();
  for (const auto &[path, parameter] : parameters)
    tensors.push_back({{"path", path},
                       {"phase", "forward"},
                       {"amax", parameter.value.amax},
                       {"rms", parameter.value.getRms()},
                       {"update_rms", parameter.update.getRms()},
                       {"gradient_rms", parameter.gradient.getRms()}});
  ordered_json list = ordered_json::array();
  for (const auto &[key, use] : uses) {
    auto [path, direction, operand] = key;
    ordered_json losses = ordered_json::array();
    for (const auto &[name, loss] : use.losses) {
      ordered_json entry = {{"format", name.first},
                            {"scaling", name.second},
                            {"underflow", loss.underflow},
                            {"overflow", loss.overflow},
                            {"sqnr_db", nullptr}};
      if (loss.sqnr) {
        entry["sqnr_db"] = *loss.sqnr;
        entry["mean_sqnr_db"] = loss.sumOfSqnr / loss.rounded;
      }
      losses.push_back(std::move(entry));
    }
    list.push_back({{"path", path},
                    {"direction", direction},
                    {"operand", operand},
                    {"amax", use.statistics.amax},
                    {"rms", use.statistics.getRms()},
                    {"losses", std::move(losses)}});
  }
  ordered_json document = {{"version", 1},
                           {"producer", "prec-run"},
                           {"steps", {{"first", first}, {"count", steps}}},
                           {"tensors", std::move(tensors)},
                           {"uses", std::move(list)}};
  return writeJson(document, 1) + "\n";
}

Result<std::vector<std::string>> prec::run::addSample(Session &session,
                                                      const StepResult &result,
                                                      Numerics &numerics) {
  std::vector<std::string> leftOut;
  numerics.addStep(result.step);
  for (const Binding &binding : session.manifest().bindings) {
    if (binding.role != Role::numerics)
      continue;
    const Buffer &buffer = session.manifest().buffers[binding.buffer];
    std::vector<float> numbers(buffer.elements());
    PREC_RT_RETURN_IF_ERROR(session.device().download(
        binding.buffer, numbers.data(), buffer.bytes()));
    if (!numerics.add(binding, numbers))
      leftOut.push_back(binding.name);
  }
  return leftOut;
}
