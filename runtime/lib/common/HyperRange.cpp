//===- HyperRange.cpp - what hyper-parameters may be ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HyperRange.h"

#include <cmath>
#include <limits>
#include <string>

using namespace prec::rt;

namespace {

struct HyperLimits {
  std::string_view name;
  double least, most;
  bool isOpen; ///< without `most`
};

constexpr double kMost = std::numeric_limits<float>::max();
/// Those of the framework's own optimizers; a rate of learning beyond 1e6 is
/// none (prec-run says the same of --lr).
constexpr HyperLimits kRanges[] = {
    {"lr", 0, 1e6, false},    {"beta1", 0, 1, true},
    {"beta2", 0, 1, true},    {"momentum", 0, 1, false},
    {"eps", 0, kMost, false}, {"weight_decay", 0, 1e6, false}};

} // namespace

/// As short as it is exact enough to be recognized.
static std::string shown(double value) {
  char text[32];
  snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string_view prec::rt::withoutGroup(std::string_view name) {
  size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size() ||
      name.find_first_not_of("0123456789", dot + 1) != std::string_view::npos)
    return name;
  return name.substr(0, dot);
}

Status prec::rt::checkHyper(std::string_view name, double value) {
  // No bound on the norm of gradients is an infinite one.
  bool isNoBound = name == "max_norm" && value > 0 && std::isinf(value);
  if (!std::isfinite(static_cast<float>(value)) && !isNoBound)
    return Status::invalidArgument("hyper-parameter '" + std::string(name) +
                                   "' must be a finite f32, but got " +
                                   std::to_string(value));
  for (const HyperLimits &range : kRanges) {
    bool isWithin = value >= range.least &&
                    (range.isOpen ? static_cast<float>(value) < range.most
                                  : value <= range.most);
    if (range.name == name && !isWithin)
      return Status::invalidArgument(
          "hyper-parameter '" + std::string(name) + "' must lie in [" +
          shown(range.least) + ", " + shown(range.most) +
          (range.isOpen ? ")" : "]") + ", but got " + shown(value));
  }
  return {};
}
