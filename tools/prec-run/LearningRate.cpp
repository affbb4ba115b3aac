//===- LearningRate.cpp - the learning rate of a step ---------------------===//

#include "LearningRate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace prec::rt;
using namespace prec::run;

double prec::run::scheduleFactor(Schedule schedule, int64_t step,
                                 int64_t warmup, int64_t steps) {
  if (step <= warmup)
    return static_cast<double>(step) / warmup;
  if (schedule == Schedule::constant)
    return 1;
  double progress =
      static_cast<double>(step - warmup) / std::max<int64_t>(1, steps - warmup);
  return 0.5 * (1 + std::cos(std::numbers::pi * std::min(1.0, progress)));
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
  double factor =
      scheduleFactor(options.schedule, step, options.warmup, options.steps);
  for (const auto &[name, base] : groups)
    PREC_RT_RETURN_IF_ERROR(session.setHyper(name, base * factor));
  last = groups.empty() ? 0 : groups.front().second * factor;
  return {};
}
