//===- BeatenFormats.cpp - what a value is not stored in ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Report/BeatenFormats.h"

#include "Assign/Bounds/CheckBounds.h"
#include "Assign/Rules/RuleApplication.h"
#include "prec/Support/Bytes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace prec;

static bool usesF16(const Recipe &recipe) {
  return recipe.fallback == Format::F16 ||
         llvm::any_of(recipe.storage, [](const ReasonedFormat &storage) {
           return storage.format == Format::F16;
         });
}

/// What the other format would take of memory, or of digits.
static std::string comparePrice(const GraphValue &value, Format own,
                                Format other) {
  const FloatFormat &mine = *findFloatFormat(stringifyFormat(own));
  const FloatFormat &its = *findFloatFormat(stringifyFormat(other));
  // Of unknown sizes 0.
  double bytes =
      double(value.getElements()) * (its.getBits() - mine.getBits()) / 8;
  std::string amount =
      bytes == 0 ? "half of it" : printBinaryBytes(std::abs(bytes), 1);
  if (its.getBits() > mine.getBits())
    return "it takes " + (bytes == 0 ? "twice the bytes" : amount + " more");
  std::string digits =
      llvm::formatv("it rounds by up to {0} %, not {1} %",
                    llvm::format("%.2g", 100 * its.getUnitRoundoff()),
                    llvm::format("%.2g", 100 * mine.getUnitRoundoff()));
  if (its.getBits() < mine.getBits())
    return digits + ", to save " + amount;
  return its.getUnitRoundoff() > mine.getUnitRoundoff()
             ? digits
             : llvm::formatv("it ends at {0}, not {1}",
                             llvm::format("%.3g", its.maxFinite),
                             llvm::format("%.3g", mine.maxFinite))
                   .str();
}

BeatenFormats::BeatenFormats(const Graph &graph, const Classification &facts,
                             const Recipe &recipe, const BoundInputs *bounds,
                             const Assignment &assignment)
    : graph(graph), facts(facts), recipe(recipe), assignment(assignment) {
  if (bounds)
    this->bounds = std::make_unique<ValueBounds>(*bounds, graph, facts, recipe);
}

BeatenFormats::~BeatenFormats() = default;

BeatenFormat BeatenFormats::explain(ValueId id, Format format) const {
  auto rules = assignment.ruledOut.find(id);
  if (rules != assignment.ruledOut.end())
    for (const RuledOut &out : rules->second)
      if (out.format == format)
        return {format, Veto::Rule, out.rule.str()};
  if (std::optional<std::string> problem =
          findStorageProblem(graph, facts, id, format))
    return {format, Veto::Legality, *problem};
  if (bounds)
    if (SmallVector<BoundFinding, 1> found = bounds->find(id, format);
        !found.empty())
      return {format, Veto::Bound,
              found.front().rule + ": " + found.front().detail};
  Format own = assignment.values[id].format;
  bool isNarrower = getBits(format) < getBits(own);
  bool isKeptHigh = assignment.values[id].reason.kind == Reason::Kind::KeepHigh;
  return {format, isNarrower && isKeptHigh ? Veto::KeepHigh : Veto::None,
          comparePrice(graph.values[id], own, format)};
}

std::vector<BeatenFormat> BeatenFormats::find(ValueId value) const {
  const Decision &decision = assignment.values[value];
  std::vector<BeatenFormat> beaten;
  if (!decision.isDecided() || !decision.isStored)
    return beaten;
  bool hasF16 = usesF16(recipe) || assignment.ruledOut.contains(value);
  for (Format format : kStorageFormats)
    if (format != decision.format && (format != Format::F16 || hasF16))
      beaten.push_back(explain(value, format));
  return beaten;
}
