//===- RuleReports.cpp - what is wrong with a user's rules ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Rules/RuleReports.h"

using namespace mlir;
using namespace prec;

static Location getLocation(const RuleSet &rules, unsigned rule,
                            MLIRContext *context) {
  JsonPosition position = rules.rules[rule].position;
  return FileLineColLoc::get(context, rules.fileName, position.line,
                             position.column);
}

LogicalResult prec::verifyRules(const RuleSet &rules,
                                const Projection &projection,
                                const Assignment &assignment,
                                MLIRContext *context) {
  for (const RuleProblem &problem : assignment.ruleProblems) {
    InFlightDiagnostic diagnostic =
        emitError(getLocation(rules, problem.rule, context)) << problem.message;
    if (problem.other != kNone)
      diagnostic.attachNote(getLocation(rules, problem.other, context))
          << "the other rule: " << rules.rules[problem.other].reason;
    bool isValue = problem.node == kNone;
    Location place = isValue ? projection.values[problem.value].getLoc()
                             : projection.operations[problem.node]->getLoc();
    std::string path =
        isValue ? getPath(projection.values[problem.value]) : getPath(place);
    StringRef verb = isValue ? "stored" : "read";
    // A note needs a file to point into.
    if (!place->findInstanceOf<FileLineColLoc>()) {
      if (!path.empty())
        diagnostic << " (" << verb << " at " << path << ")";
      continue;
    }
    Diagnostic &note = diagnostic.attachNote(place);
    note << verb << " here";
    if (!path.empty())
      note << ": " << path;
  }
  return success(assignment.ruleProblems.empty());
}

void prec::warnOfRules(const RuleSet &rules,
                       const std::vector<DecidedFunction> &decided,
                       MLIRContext *context) {
  for (auto [index, rule] : llvm::enumerate(rules.rules)) {
    unsigned matched = 0, followed = 0;
    StringRef obstacle;
    for (const DecidedFunction &function : decided) {
      const RuleOutcome &outcome = function.assignment.ruleOutcomes[index];
      matched += outcome.matched;
      followed += outcome.followed;
      if (obstacle.empty())
        obstacle = outcome.obstacle;
    }
    if (matched == 0)
      emitWarning(getLocation(rules, index, context))
          << "a rule must match something, but no "
          << (rule.isReads ? "operand that is read" : "stored value")
          << " is matched by this one: " << rule.reason;
    else if (followed == 0 && !obstacle.empty())
      emitWarning(getLocation(rules, index, context))
          << "this preference is followed nowhere, because " << obstacle;
  }
}
