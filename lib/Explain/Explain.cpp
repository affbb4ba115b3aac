//===- Explain.cpp - why a tensor has its format --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Explain/Explain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace prec;
using llvm::raw_ostream;
using llvm::StringRef;

static void printChanges(raw_ostream &os, unsigned indent,
                         llvm::ArrayRef<std::string> changes) {
  for (auto [index, change] : llvm::enumerate(changes))
    os.indent(indent) << (index == 0 ? "would change with: "
                                     : "               or: ")
                      << change << '\n';
}

static void printDecision(raw_ostream &os, const MapDecision &decision) {
  os << decision.print() << '\n';
  constexpr unsigned kIndent = 6;
  os.indent(kIndent) << "because " << decision.rule << '\n';
  printChanges(os, kIndent, decision.changes);
}

static void printValue(raw_ostream &os, const MapValue &value) {
  os << printShape(value.shape) << (value.isStored ? "" : ", not stored")
     << ", ";
  printDecision(os, value.decision);
  for (const MapBeaten &beaten : value.beaten)
    os << "    beat:   " << beaten.format << "\n      because "
       << beaten.getLossReason() << '\n';
}

static std::string printTime(const MapCandidate &candidate) {
  std::string text;
  if (candidate.microseconds)
    llvm::raw_string_ostream(text)
        << llvm::format(" (%.1f us)", *candidate.microseconds);
  return text;
}

static std::string printCandidate(const MapCandidate &candidate) {
  std::string text = candidate.getName() + " -> " + candidate.result;
  if (candidate.reads[0].scaling != "none" ||
      candidate.reads[1].scaling != "none")
    text += ", " + candidate.reads[0].scaling +
            (candidate.reads[0].scaling == candidate.reads[1].scaling
                 ? ""
                 : " x " + candidate.reads[1].scaling);
  if (candidate.reads[0].accumulator != "full")
    text += ", " + candidate.reads[0].accumulator;
  return text + printTime(candidate);
}

std::string prec::getLossReason(const MapChoice &choice, unsigned index) {
  const MapCandidate &candidate = choice.candidates[index];
  if (candidate.veto != "none")
    return candidate.veto + ": " + candidate.reason;
  if (!choice.winner)
    return "nothing was chosen";
  if (!choice.reason.empty())
    return "permitted, but " + choice.reason;
  return index < *choice.winner ? "permitted, but not chosen"
                                : "permitted, but comes after it";
}

static void printChoice(raw_ostream &os, const MapChoice &choice) {
  const MapCandidate *winner = choice.getWinner();
  os << "    winner: " << (winner ? printCandidate(*winner) : "none") << '\n';
  if (!choice.reason.empty())
    os << "      because " << choice.reason << '\n';
  for (auto [index, candidate] : llvm::enumerate(choice.candidates)) {
    if (&candidate == winner)
      continue;
    os << "    beat:   " << printCandidate(candidate) << '\n'
       << "      because " << getLossReason(choice, index) << '\n';
    printChanges(os, 6, candidate.changes);
  }
}

static void printOperation(raw_ostream &os, const MapOperation &operation) {
  os << "  " << operation.name;
  for (StringRef part :
       {StringRef(operation.tensorClass), StringRef(operation.phase),
        StringRef(operation.direction)})
    if (!part.empty())
      os << ", " << part;
  if (operation.mnk)
    os << ", " << printShape(*operation.mnk) << " (MxNxK)";
  if (operation.layer)
    os << ", layer " << *operation.layer;
  if (!operation.module.empty())
    os << ", policy module " << operation.module;
  os << '\n';
  for (auto [index, result] : llvm::enumerate(operation.results)) {
    os << "    result"
       << (operation.results.size() > 1 ? " " + std::to_string(index)
                                        : std::string())
       << ": ";
    printValue(os, result);
  }
  for (const MapRead &read : operation.reads) {
    os << "    operand " << read.operand << ": ";
    printDecision(os, read.decision);
  }
  if (operation.choice)
    printChoice(os, *operation.choice);
}

void prec::printExplanation(raw_ostream &os, const PrecisionMap &map) {
  for (const MapFunction &function : map.functions) {
    os << "\nWhy, in @" << function.name << ": recipe " << map.recipe
       << ", legality of " << map.target << '\n';
    for (const MapValue &argument : function.arguments) {
      os << '\n'
         << (argument.path.empty()
                 ? "argument " + std::to_string(argument.value)
                 : argument.path)
         << "\n  " << argument.origin << "\n    argument: ";
      printValue(os, argument);
    }
    StringRef path;
    for (const MapOperation &operation : function.operations) {
      // Of one module in a row, under one heading.
      if (&operation == &function.operations.front() || operation.path != path)
        os << '\n'
           << (operation.path.empty() ? StringRef("(no path)")
                                      : StringRef(operation.path))
           << '\n';
      path = operation.path;
      printOperation(os, operation);
    }
  }
  os << '\n';
}
