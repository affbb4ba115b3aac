//===- LearningRate.cpp - the learning rate of a step ---------------------===//

#include "LearningRate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace prec::rt;
using namespace prec::run;

double prec::run::scheduleFactor(const Options &options, int64_t step) {
  auto part = [](int64_t some, int64_t all) {
    return std::min(1.0, static_cast<double>(some) /
                             static_cast<double>(std::max<int64_t>(1, all)));
  };
  if (step <= options.warmup)
    return part(step, options.warmup);
  switch (options.schedule) {
  case Schedule::constant:
    return 1;
  case Schedule::cosine: {
    double progress =
        part(step - options.warmup, options.steps - options.warmup);
    return 0.5 * (1 + std::cos(std::numbers::pi * progress));
  }
  case Schedule::wsd:
    return part(options.steps - step, options.decay);
  }
  return 1;
}

LearningRate::LearningRate(const Options &options, const Session &session)
    : options(options) {
  for (const Binding &binding : session.manifest().bindings)
    if (binding.role == Role::hyper &&
        (binding.name == "lr" || binding.name.rfind("lr.", 0) == 0))
      groups.emplace_back(binding.name, options.learningRate.value_or(
                                            binding.defaultValue.value_or(0)));
}

Status LearningRate::set(Session &session, int64_t step) {
  double factor = scheduleFactor(options, step);
  for (const auto &[name, base] : groups)
    PREC_RT_RETURN_IF_ERROR(session.setHyper(name, base * factor));
  last = groups.empty() ? 0 : groups.front().second * factor;
  return {};
}
