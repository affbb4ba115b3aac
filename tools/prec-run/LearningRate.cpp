//===- LearningRate.cpp - the learning rate of a step ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

/// The group whose rate a hyper-parameter is: "0" of "lr", "2" of "lr.2".
static std::optional<std::string> getGroup(const Binding &binding) {
  if (binding.role != Role::hyper)
    return std::nullopt;
  if (binding.name == "lr")
    return "0";
  if (binding.name.rfind("lr.", 0) == 0)
    return binding.name.substr(3);
  return std::nullopt;
}

LearningRate::LearningRate(const Options &options, const Session &session)
    : options(options) {
  for (const Binding &binding : session.manifest().bindings) {
    std::optional<std::string> group = getGroup(binding);
    if (!group)
      continue;
    auto given = options.rates.ofGroup.find(*group);
    double base =
        given != options.rates.ofGroup.end()
            ? given->second
            : options.rates.all.value_or(binding.defaultValue.value_or(0));
    groups.emplace_back(binding.name, base);
  }
}

Status LearningRate::check(const Session &session, const Options &options) {
  std::vector<std::string> groups;
  for (const Binding &binding : session.manifest().bindings)
    if (std::optional<std::string> group = getGroup(binding))
      groups.push_back(*group);
  for (const auto &[group, rate] : options.rates.ofGroup) {
    if (std::find(groups.begin(), groups.end(), group) != groups.end())
      continue;
    std::string all;
    for (const std::string &one : groups)
      all += (all.empty() ? "" : ", ") + one;
    return Status::invalidArgument(
        "--lr must be given for a parameter group of the "
        "module (" +
        (all.empty() ? "it has none" : all) + "), but got '" + group + "'");
  }
  return {};
}

Status LearningRate::set(Session &session, int64_t step) {
  double factor = scheduleFactor(options, step);
  for (const auto &[name, base] : groups)
    PREC_RT_RETURN_IF_ERROR(session.setHyper(name, base * factor));
  last = groups.empty() ? 0 : groups.front().second * factor;
  return {};
}
