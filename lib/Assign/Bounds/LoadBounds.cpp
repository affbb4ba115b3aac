//===- LoadBounds.cpp - what a pass is told of bounds ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Bounds/LoadBounds.h"

#include "prec/Support/Files.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace prec;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace {

/// A name of the option's, the range of its number, and where that goes.
struct NumberOption {
  StringRef name;
  double least, most;
  std::function<void(double)> set;
};

} // namespace

std::optional<StringRef> prec::findRepeatedName(ArrayRef<std::string> entries) {
  std::set<StringRef> names;
  for (StringRef entry : entries) {
    StringRef name = entry.contains(':') ? entry.split(':').first : "";
    if (!names.insert(name).second)
      return name;
  }
  return std::nullopt;
}

static Error readNumber(StringRef option, StringRef text,
                        ArrayRef<NumberOption> known) {
  auto [name, value] = text.split(':');
  auto found = llvm::find_if(
      known, [name = name](const NumberOption &o) { return o.name == name; });
  if (found == known.end())
    return createStringError(
        option + " must be NAME:NUMBER with a name of " +
        llvm::join(llvm::map_range(known, [](auto &o) { return o.name; }),
                   ", ") +
        ", but got '" + text + "'");
  double number = 0;
  if (value.getAsDouble(number) || !std::isfinite(number) ||
      number < found->least || number > found->most)
    return createStringError(option + " " + name + " must be a number from " +
                             printNumber(found->least) + " to " +
                             printNumber(found->most) + ", but got '" + value +
                             "'");
  found->set(number);
  return Error::success();
}

static Error readNumbers(StringRef option, ArrayRef<std::string> texts,
                         ArrayRef<NumberOption> known) {
  if (std::optional<StringRef> name = findRepeatedName(texts))
    return createStringError(option + " must give a number once, but got '" +
                             *name + "' twice");
  for (StringRef text : texts)
    if (Error error = readNumber(option, text, known))
      return error;
  return Error::success();
}

Expected<BoundSources> prec::loadBounds(StringRef numericsFile,
                                        ArrayRef<std::string> assume,
                                        ArrayRef<std::string> limits) {
  BoundSources sources;
  BoundAssumptions &a = sources.assumptions;
  BoundLimits &l = sources.limits;
  auto into = [](auto &field) {
    return [&field](double number) { field = number; };
  };
  constexpr double kTiny = 1e-300, kHuge = 1e300;
  if (Error error =
          readNumbers("assume", assume,
                      {{"learning-rate", kTiny, kHuge, into(a.learningRate)},
                       {"weight-rms", kTiny, kHuge, into(a.weightRms)},
                       {"gradient-rms", kTiny, kHuge, into(a.gradientRms)},
                       {"largest-logit", 0, kHuge, into(a.largestLogit)},
                       {"softmax-gap", 0, kHuge, into(a.softmaxGap)},
                       {"beta2", 0, 1, into(a.beta2)},
                       {"epsilon", kTiny, 1, into(a.epsilon)},
                       {"weight-decay", 0, 1e3, into(a.weightDecay)}}))
    return std::move(error);
  if (Error error = readNumbers("limits", limits,
                                {{"underflow", 0, 1, into(l.underflow)},
                                 {"overflow", 0, 1, into(l.overflow)},
                                 {"sqnr", 0, 1000, into(l.sqnr)},
                                 {"accumulation", 0, 1, into(l.accumulation)},
                                 {"moved", 0, 1, into(l.moved)},
                                 {"factor", 1, kHuge, into(l.factor)}}))
    return std::move(error);
  if (numericsFile.empty())
    return sources;
  Expected<std::string> text = readFile(numericsFile);
  if (!text)
    return text.takeError();
  Expected<Numerics> numerics = parseNumerics(*text, numericsFile);
  if (!numerics)
    return numerics.takeError();
  sources.numerics = std::move(*numerics);
  sources.numericsFile = numericsFile.str();
  return sources;
}
