//===- NumericsFile.cpp - what sampled steps were seen to hold ------------===//

#include "NumericsFile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

using namespace prec::rt;
using namespace prec::run;
using nlohmann::ordered_json;

bool Numerics::add(const Binding &binding,
                   const std::array<float, kNumericsElements> &numbers) {
  for (float number : numbers)
    if (!std::isfinite(number))
      return false;
  auto [amax, square, error, underflow, overflow] = numbers;
  for (const Use &use : binding.uses) {
    Statistics &statistics = uses[{use.path, use.direction, use.operand}];
    statistics.amax = std::max<double>(statistics.amax, amax);
    statistics.sumOfSquares += square * std::pow(double(amax), 2);
    ++statistics.samples;
    Loss &loss = statistics.losses[{use.format, use.scaling}];
    loss.underflow = std::max<double>(loss.underflow, underflow);
    loss.overflow = std::max<double>(loss.overflow, overflow);
    if (error == 0)
      continue;
    double sqnr = 10 * std::log10(double(square) / error);
    loss.sqnr = std::min(loss.sqnr.value_or(sqnr), sqnr);
    loss.sumOfSqnr += sqnr;
    ++loss.rounded;
  }
  return true;
}

void Numerics::addStep(int64_t step) {
  if (!steps++)
    first = step;
}

std::string Numerics::toJson() const {
  ordered_json list = ordered_json::array();
  for (const auto &[key, statistics] : uses) {
    auto [path, direction, operand] = key;
    ordered_json losses = ordered_json::array();
    for (const auto &[name, loss] : statistics.losses) {
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
    list.push_back(
        {{"path", path},
         {"direction", direction},
         {"operand", operand},
         {"amax", statistics.amax},
         {"rms", std::sqrt(statistics.sumOfSquares / statistics.samples)},
         {"losses", std::move(losses)}});
  }
  ordered_json document = {{"version", 1},
                           {"producer", "prec-run"},
                           {"steps", {{"first", first}, {"count", steps}}},
                           {"tensors", ordered_json::array()},
                           {"uses", std::move(list)}};
  return document.dump(1) + "\n";
}

Result<std::vector<std::string>> prec::run::addSample(Session &session,
                                                      const StepResult &result,
                                                      Numerics &numerics) {
  std::vector<std::string> leftOut;
  numerics.addStep(result.step);
  for (const Binding &binding : session.manifest().bindings) {
    if (binding.role != Role::numerics)
      continue;
    std::array<float, kNumericsElements> numbers;
    PREC_RT_RETURN_IF_ERROR(session.device().download(
        binding.buffer, numbers.data(), sizeof numbers));
    if (!numerics.add(binding, numbers))
      leftOut.push_back(binding.name);
  }
  return leftOut;
}
