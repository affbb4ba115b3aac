//===- Comparison.cpp - --compare -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Comparison.h"

#include "Compare.h"
#include "Inputs.h"
#include "OpenModule.h"

#include <cstdio>

using namespace prec::rt;
using namespace prec::run;

namespace {

/// Prints the table and remembers the first disagreement.
class Table {
public:
  Table(const Session &reference, std::string entryPoint)
      : reference(reference), entryPoint(std::move(entryPoint)) {}

  void add(const Comparison &comparison) {
    const Agreement &agreement = comparison.agreement;
    const Command &command = *comparison.command;
    printf("%-4s %-10s %-13s %-9s %10.3g %10.3g %8lld/%-8.0f %s\n",
           agreement.agrees ? "ok" : "FAIL", entryPoint.c_str(),
           std::string(name(command.kind)).c_str(),
           nameFormat(comparison).c_str(), agreement.maxDifference,
           agreement.maxRatio, static_cast<long long>(agreement.flips),
           agreement.expectedFlips, command.name.c_str());
    ++count;
    if (agreement.agrees)
      return;
    if (failures++ == 0)
      first = describe(comparison);
  }

  static void printHeader() {
    printf("%-4s %-10s %-13s %-9s %10s %10s %8s/%-8s %s\n", "", "entry", "op",
           "output", "max diff", "of bound", "flips", "expected", "command");
  }

  int64_t count = 0, failures = 0;
  std::string first;

private:
  const Buffer &getBuffer(const Comparison &comparison) const {
    return reference.manifest().buffers[comparison.buffer];
  }
  std::string nameFormat(const Comparison &comparison) const {
    return comparison.isFp4 ? "f4E2M1FN"
                            : std::string(name(getBuffer(comparison).dtype));
  }

  std::string describe(const Comparison &comparison) const {
    const Agreement &agreement = comparison.agreement;
    std::vector<int64_t> shape = getBuffer(comparison).shape;
    if (comparison.isFp4 && !shape.empty())
      shape.back() *= 2;
    std::string text = entryPoint + " command '" + comparison.command->name +
                       "' must agree with the reference in its " +
                       nameFormat(comparison) + formatShape(shape);
    if (!isFloat(getBuffer(comparison).dtype)) {
      char numbers[160];
      snprintf(numbers, sizeof numbers,
               ", but got %.17g instead of %.17g at element %lld",
               agreement.other, agreement.reference,
               static_cast<long long>(agreement.worst));
      return text + numbers;
    }
    if (agreement.maxRatio > 1) {
      char numbers[160];
      snprintf(numbers, sizeof numbers,
               ", but got %.9g instead of %.9g at element %lld, %.3g times the "
               "bound",
               agreement.other, agreement.reference,
               static_cast<long long>(agreement.worst), agreement.maxRatio);
      return text + numbers;
    }
    return text + ", but " + std::to_string(agreement.flips) +
           " elements rounded otherwise where about " +
           std::to_string(static_cast<int64_t>(agreement.expectedFlips)) +
           " may";
  }

  const Session &reference;
  std::string entryPoint;
};

} // namespace

Status prec::run::compare(Session &session, const Options &options) {
  Result<std::unique_ptr<Session>> opened =
      openModule(options.compare, options);
  if (!opened.ok())
    return opened.status();
  Session &reference = **opened;
  Table::printHeader();
  int64_t count = 0, failures = 0;
  std::string first;
  auto compareCommands = [&](const char *entryPoint) -> Status {
    Table table(reference, entryPoint);
    PREC_RT_RETURN_IF_ERROR(compareEntryPoint(
        reference, session, entryPoint,
        [&](const Comparison &comparison) { table.add(comparison); }));
    count += table.count;
    failures += table.failures;
    if (first.empty())
      first = table.first;
    return {};
  };
  // Before the weights: nothing holds these afterwards, so others stand in.
  for (const Binding &binding : reference.manifest().bindings)
    if (binding.role == Role::stagedParameter) {
      PREC_RT_RETURN_IF_ERROR(
          reference.fillRandom(binding, options.seed, options.stddev));
      PREC_RT_RETURN_IF_ERROR(compareCommands(binding.entryPoint.c_str()));
    }
  PREC_RT_RETURN_IF_ERROR(setInputs(reference, options));
  for (const char *entryPoint :
       {"init", "eval", "accumulate", "apply", "step"}) {
    if (reference.manifest().commands(entryPoint).empty() &&
        session.manifest().commands(entryPoint).empty())
      continue;
    if (std::string_view(entryPoint) != "init" &&
        std::string_view(entryPoint) != "eval")
      PREC_RT_RETURN_IF_ERROR(reference.beginStep());
    PREC_RT_RETURN_IF_ERROR(compareCommands(entryPoint));
  }
  printf("%lld of %lld outputs agree\n",
         static_cast<long long>(count - failures),
         static_cast<long long>(count));
  fflush(stdout);
  return failures ? Status::badValue(first) : Status();
}
