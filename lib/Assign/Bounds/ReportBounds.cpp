//===- ReportBounds.cpp - broken bounds as diagnostics --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Bounds/LoadBounds.h"

#include "llvm/ADT/MapVector.h"

#include <set>

using namespace mlir;
using namespace prec;

using EntryKey = std::tuple<std::string, std::string, int64_t>;

static std::set<EntryKey> collectKeys(ArrayRef<DecidedFunction> functions) {
  std::set<EntryKey> keys;
  for (const DecidedFunction &decided : functions) {
    const Graph &graph = decided.projection.graph;
    for (const GraphValue &value : graph.values)
      if (value.producer == kNone)
        keys.insert({value.path, "forward", 0});
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      const GraphNode &node = graph.nodes[id];
      for (size_t result = 0; result < node.results.size(); ++result)
        keys.insert({node.path,
                     stringifyRulePhase(getRulePhase(decided.facts, id)).str(),
                     result});
      if (!graph.isFloatContraction(id))
        continue;
      for (int64_t operand : {0, 1})
        keys.insert({node.path,
                     stringifyDirection(decided.facts.directions[id]).str(),
                     operand});
    }
  }
  return keys;
}

void prec::warnOfUnmatched(Location loc, const BoundSources &sources,
                           ArrayRef<DecidedFunction> functions) {
  if (!sources.numerics)
    return;
  std::set<EntryKey> keys = collectKeys(functions);
  std::vector<std::string> unmatched;
  auto check = [&](const TensorNumerics &entry, const std::string &part) {
    if (!keys.count({entry.path, part, entry.index}))
      unmatched.push_back("'" + entry.path + "' " + part + " " +
                          std::to_string(entry.index));
  };
  for (const TensorNumerics &tensor : sources.numerics->getTensors())
    check(tensor, tensor.phase);
  for (const TensorNumerics &use : sources.numerics->getUses())
    check(use, use.direction);
  if (unmatched.empty())
    return;
  size_t all = sources.numerics->getTensors().size() +
               sources.numerics->getUses().size();
  emitWarning(loc) << sources.numericsFile << ": " << unmatched.size() << " of "
                   << all << " entries are of nothing in this graph, such as "
                   << unmatched.front();
}

bool prec::reportFindings(const DecidedFunction &decided, bool isRefused) {
  llvm::MapVector<StringRef, SmallVector<const BoundFinding *>> byRule;
  for (const BoundFinding &finding : decided.assignment.findings)
    byRule[finding.rule].push_back(&finding);
  FunctionOpInterface function = decided.function;
  constexpr size_t kShown = 3;
  for (auto &[rule, findings] : byRule) {
    llvm::stable_sort(findings, [](const auto *a, const auto *b) {
      return a->severity > b->severity;
    });
    InFlightDiagnostic diagnostic = isRefused
                                        ? mlir::emitError(function.getLoc())
                                        : mlir::emitWarning(function.getLoc());
    diagnostic << rule << ", in " << findings.size()
               << (findings.size() == 1 ? " place: " : " places: ");
    llvm::interleave(
        ArrayRef(findings).take_front(kShown), diagnostic,
        [&](const BoundFinding *finding) {
          diagnostic << (finding->path.empty() ? "unnamed" : finding->path)
                     << " (" << finding->detail << ")";
        },
        ", ");
    if (findings.size() > kShown)
      diagnostic << " and " << findings.size() - kShown << " more";
  }
  return !byRule.empty();
}
