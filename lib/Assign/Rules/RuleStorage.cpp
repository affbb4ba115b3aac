//===- RuleStorage.cpp - a user's rules on what is stored -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Rules/RuleApplication.h"

using namespace mlir;
using namespace prec;

std::optional<std::string> prec::findStorageProblem(const Graph &graph,
                                                    const Classification &facts,
                                                    ValueId id, Format format) {
  const GraphValue &value = graph.values[id];
  if (value.declared != Format::F32 && format != value.declared)
    return ("the graph already says " + stringifyFormat(value.declared)).str();
  bool isMoment = value.origin == Origin::Moment;
  bool isMaster = value.origin == Origin::Parameter;
  bool isLossValue = false;
  if (value.producer != kNone) {
    const GraphNode &node = graph.nodes[value.producer];
    isMoment |= node.is(Structure::Optimizer) && value.result > 0;
    isMaster |= node.is(Structure::Optimizer) && value.result == 0;
    isLossValue = node.is(Structure::Loss) && !facts.isGradient[value.producer];
  }
  if (format == Format::F32)
    return std::nullopt;
  if (isMoment)
    return "optimizer state must be f32";
  if (isMaster && format != Format::BF16)
    return "master weights must be f32 or bf16";
  if (value.isLoss || isLossValue)
    return "the loss and its statistics must be f32";
  return std::nullopt;
}

/// A pin takes what is legal, a forbidden format gives way to a wider one, a
/// preferred one is taken if it is no narrower than what the recipe says.
Decision RuleApplication::apply(
    const AppliedRules &applied, Decision decision,
    llvm::function_ref<std::optional<std::string>(Format)> findProblem,
    NodeId node, ValueId value) {
  auto take = [&](unsigned index, Format format, StringRef verb,
                  Reason why = {}) {
    ++assignment.ruleOutcomes[index].followed;
    decision.decide(
        assignment.save(
            describe(index, (stringifyFormat(format) + " is " + verb).str())),
        why);
    decision.format = format;
  };
  if (applied.pin != kNone) {
    Format format = rules->rules[applied.pin].format;
    if (std::optional<std::string> problem = findProblem(format))
      report({applied.pin, kNone, node, value,
              "a pinned format must be legal, but " + *problem});
    else
      take(applied.pin, format, "pinned", {Reason::Kind::UserRule});
    for (Format other : kStorageFormats)
      if (value != kNone && other != decision.format)
        assignment.ruledOut[value].push_back({other, decision.rule});
    return decision;
  }
  auto isForbidden = [&](Format format) {
    return llvm::any_of(applied.forbids, [&](unsigned index) {
      return rules->rules[index].format == format;
    });
  };
  for (unsigned index : applied.forbids) {
    Format forbidden = rules->rules[index].format;
    StringRef text = assignment.save(
        describe(index, (stringifyFormat(forbidden) + " is forbidden").str()));
    if (value != kNone)
      assignment.ruledOut[value].push_back({forbidden, text});
    if (forbidden != decision.format) {
      ++assignment.ruleOutcomes[index].followed;
      continue;
    }
    auto *wider = llvm::find_if(kStorageFormats, [&](Format format) {
      return !isForbidden(format) && !findProblem(format);
    });
    if (wider == std::end(kStorageFormats)) {
      report({index, kNone, node, value,
              "rules must leave a format, but nothing else is legal"});
      return decision;
    }
    take(index, *wider, "what is left");
    decision.decide(text, {Reason::Kind::UserRule});
  }
  if (applied.prefer == kNone)
    return decision;
  Format format = rules->rules[applied.prefer].format;
  std::optional<std::string> problem = findProblem(format);
  if (!problem && format != Format::F32 && format != decision.format)
    problem = ("the recipe stores " + stringifyFormat(decision.format)).str();
  if (problem)
    assignment.ruleOutcomes[applied.prefer].obstacle = *problem;
  else if (format == decision.format)
    ++assignment.ruleOutcomes[applied.prefer].followed;
  else
    take(applied.prefer, format, "preferred");
  return decision;
}

Decision RuleApplication::decideStorage(ValueId id, Decision decision) {
  if (!rules)
    return decision;
  SmallVector<unsigned> matched;
  for (auto [index, rule] : llvm::enumerate(rules->rules))
    if (matchesValue(rule, graph, facts, id))
      matched.push_back(index);
  AppliedRules applied = settle(matched, kNone, id);
  if (applied.pin != kNone)
    storageRules[id] = applied.pin;
  else if (!applied.forbids.empty())
    storageRules[id] = applied.forbids.front();
  return apply(
      applied, decision,
      [&](Format format) {
        return findStorageProblem(graph, facts, id, format);
      },
      kNone, id);
}

Decision RuleApplication::decideUse(NodeId node, unsigned operand,
                                    Decision decision) {
  if (!rules)
    return decision;
  const GraphValue &source =
      graph.values[facts.roots[graph.nodes[node].operands[operand]]];
  OperandKind kind = source.origin == Origin::Parameter ? OperandKind::Weight
                     : facts.isGradient[node] ? OperandKind::Gradient
                                              : OperandKind::Activation;
  SmallVector<unsigned> matched;
  for (auto [index, rule] : llvm::enumerate(rules->rules))
    if (matchesUse(rule, graph, facts, node, operand, kind))
      matched.push_back(index);
  AppliedRules applied = settle(matched, node, kNone);
  return apply(
      applied, decision,
      [](Format format) -> std::optional<std::string> {
        if (isNarrow(format))
          return "only contractions read " + stringifyFormat(format).str();
        return std::nullopt;
      },
      node, kNone);
}
