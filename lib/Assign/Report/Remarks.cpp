//===- Remarks.cpp - decisions as remarks ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Report/Remarks.h"

#include "Assign/Report/BeatenFormats.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace prec;
using remark::RemarkOpts;
using remark::detail::InFlightRemark;

using Arg = remark::detail::Remark::Arg;

static RemarkOpts getOptions(const DecidedFunction &decided, StringRef name,
                             std::optional<TensorClass> tensorClass) {
  FunctionOpInterface function = decided.function;
  return RemarkOpts::name(name)
      .category("assign-precision")
      .subCategory(tensorClass ? stringifyTensorClass(*tensorClass)
                               : StringRef("argument"))
      .function(function.getNameAttr().getValue());
}

static void addDecision(InFlightRemark &remark, const Decision &decision) {
  remark << Arg("Format", stringifyFormat(decision.format));
  if (decision.scaling != Scaling::None)
    remark << Arg("Scaling", stringifyScaling(decision.scaling));
  if (decision.accumulator != Accumulator::Full)
    remark << Arg("Accumulator", stringifyAccumulator(decision.accumulator));
  remark << Arg("Reason", decision.rule);
}

/// YAML keeps lines and columns of a location, but no names.
static void addPath(InFlightRemark &remark, const std::string &path) {
  if (!path.empty())
    remark << Arg("Path", path);
}

static void addBeaten(InFlightRemark &remark, StringRef name, Veto veto,
                      StringRef reason) {
  remark << Arg("Beaten", name) << Arg("Veto", stringifyVeto(veto));
  if (!reason.empty())
    remark << Arg("Because", reason);
}

static void remarkValue(const DecidedFunction &decided,
                        const BeatenFormats &beaten, ValueId id) {
  const GraphValue &value = decided.projection.graph.values[id];
  std::optional<TensorClass> tensorClass;
  if (value.producer != kNone)
    tensorClass = decided.facts.classes[value.producer];
  InFlightRemark remark =
      remark::analysis(decided.projection.values[id].getLoc(),
                       getOptions(decided, "Storage", tensorClass));
  if (!remark)
    return;
  addPath(remark, getPath(decided.projection.values[id]));
  if (value.producer != kNone)
    remark << Arg("Result", value.result);
  addDecision(remark, decided.assignment.values[id]);
  for (const BeatenFormat &other : beaten.find(id))
    addBeaten(remark, stringifyFormat(other.format), other.veto, other.reason);
}

static void remarkRead(const DecidedFunction &decided, NodeId id,
                       unsigned operand) {
  InFlightRemark remark =
      remark::analysis(decided.projection.operations[id]->getLoc(),
                       getOptions(decided, "Read", decided.facts.classes[id]));
  if (!remark)
    return;
  addPath(remark, getPath(decided.projection.operations[id]->getLoc()));
  remark << Arg("Operand", operand);
  addDecision(remark, decided.assignment.uses[id][operand]);
}

static void remarkChoice(const DecidedFunction &decided,
                         const ContractionChoice &choice) {
  const Candidate *winner = choice.getWinner();
  if (!winner)
    return;
  Location loc = decided.projection.operations[choice.node]->getLoc();
  RemarkOpts options =
      getOptions(decided, "Contraction", decided.facts.classes[choice.node]);
  // The first candidate is what recipe and rules want.
  InFlightRemark remark = choice.winner == 0 ? remark::passed(loc, options)
                                             : remark::missed(loc, options);
  if (!remark)
    return;
  addPath(remark, getPath(loc));
  remark << Arg("Direction",
                stringifyDirection(decided.facts.directions[choice.node]))
         << Arg("Winner", winner->getName())
         << Arg("Result", stringifyFormat(winner->result));
  if (!choice.reason.empty())
    remark << Arg("Reason", choice.reason);
  for (const Candidate &candidate : choice.candidates)
    if (&candidate != winner)
      addBeaten(remark, candidate.getName(), candidate.veto,
                candidate.vetoReason);
}

void prec::emitRemarks(const DecidedFunction &decided, const Recipe &recipe,
                       const BoundInputs *bounds) {
  FunctionOpInterface function = decided.function;
  if (!function->getContext()->getRemarkEngine())
    return;
  const Assignment &assignment = decided.assignment;
  BeatenFormats beaten(decided.projection.graph, decided.facts, recipe, bounds,
                       assignment);
  for (ValueId id = 0; id < assignment.values.size(); ++id)
    if (assignment.values[id].isDecided())
      remarkValue(decided, beaten, id);
  for (NodeId id = 0; id < assignment.uses.size(); ++id)
    for (auto [operand, use] : llvm::enumerate(assignment.uses[id]))
      if (use.isDecided())
        remarkRead(decided, id, operand);
  for (const ContractionChoice &choice : assignment.choices)
    remarkChoice(decided, choice);
}
