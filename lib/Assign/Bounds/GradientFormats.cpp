//===- GradientFormats.cpp - E4M3 or E5M2, by what was measured -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the FP8 format of each gradient that a contraction reads. E4M3 has a
// bit of mantissa more, so its elements keep 6 dB more; E5M2 reaches further
// down, so fewer of them become zero. Which is more depends on how a gradient
// is spread, which is measured: numerics.json has what both formats lose, with
// the scaling that the contraction reads with. The format with more signal to
// noise is taken, if it neither underflows nor overflows more than the limits
// of bounds say. Signal to noise alone would not do: of a gradient with a few
// large elements most others may become zero, and little of its square is lost.
// Layers that read one value may become one contraction, whose gradient has one
// format. So they get one, by the worst of theirs. Time is linear in the number
// of contractions.
//
//===----------------------------------------------------------------------===//
#include "Assign/Bounds/GradientFormats.h"

#include "Assign/Cost/CostRemark.h"
#include "Assign/OperandKinds.h"

using namespace mlir;
using namespace prec;

static constexpr Format kFp8Formats[] = {Format::E4M3, Format::E5M2};

void GradientFormats::Loss::add(const Loss &other) {
  isKnown &= other.isKnown;
  underflow = std::max(underflow, other.underflow);
  overflow = std::max(overflow, other.overflow);
  sqnr = std::min(sqnr, other.sqnr);
}

GradientFormats::Losses GradientFormats::predict(NodeId node, unsigned operand,
                                                 Decision use) const {
  Losses losses;
  for (auto [format, loss] : llvm::zip_equal(kFp8Formats, losses)) {
    use.format = format;
    if (auto found = predictLoss(*bounds, graph, facts, node, operand, use))
      loss = {found->loss.underflow, found->loss.overflow, found->loss.sqnr};
    else
      loss.isKnown = false;
  }
  return losses;
}

GradientFormats::Key GradientFormats::getKey(NodeId node) const {
  auto found = inputs.find(graph.nodes[node].path);
  return found == inputs.end()
             ? Key{facts.directions[node], kNone, node}
             : Key{facts.directions[node], found->second, kNone};
}

GradientFormats::GradientFormats(const BoundInputs *bounds, const Graph &graph,
                                 const Classification &facts,
                                 const Recipe &recipe)
    : bounds(bounds), graph(graph), facts(facts), recipe(recipe),
      isAsked(recipe.given.gradientFormat == GradientFormat::Measured) {
  if (!isAsked || !bounds)
    return;
  auto forEachGradient = [&](auto &&visit) {
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      if (!graph.isFloatContraction(id))
        continue;
      for (unsigned operand = 0; operand < 2; ++operand) {
        OperandKind kind =
            getOperandKind(graph, facts, id, graph.nodes[id].operands[operand]);
        const UseFormat &use = recipe.getUse(facts.directions[id], kind);
        if (kind == OperandKind::Gradient && isFp8(use.format))
          visit(id, operand, use);
      }
    }
  };
  forEachGradient([&](NodeId id, unsigned operand, const UseFormat &) {
    if (facts.directions[id] == Direction::Wgrad)
      inputs.try_emplace(graph.nodes[id].path,
                         facts.roots[graph.nodes[id].operands[1 - operand]]);
  });
  forEachGradient([&](NodeId id, unsigned operand, const UseFormat &use) {
    Decision read;
    read.format = use.format;
    read.scaling = use.scaling;
    for (auto [mine, theirs] :
         llvm::zip_equal(groups[getKey(id)], predict(id, operand, read)))
      mine.add(theirs);
  });
}

std::string GradientFormats::describe(NodeId node, unsigned operand,
                                      const Decision &use) const {
  if (!bounds || !isFp8(use.format))
    return "";
  std::string text;
  for (auto [format, loss] :
       llvm::zip_equal(kFp8Formats, predict(node, operand, use))) {
    if (!loss.isKnown)
      return "";
    text += (text.empty() ? "" : ", ") + stringifyFormat(format).str() +
            " keeps " + printDecibels(loss.sqnr);
    if (loss.underflow > 0)
      text += " and underflows " + printPercent(loss.underflow);
  }
  return text;
}

std::optional<std::string>
GradientFormats::findRangeProblem(const Loss &loss) const {
  const BoundLimits &limits = bounds->limits;
  if (loss.overflow > limits.overflow)
    return "overflows " + printPercent(loss.overflow) + ", more than " +
           printPercent(limits.overflow);
  if (loss.underflow > limits.underflow)
    return "underflows " + printPercent(loss.underflow) + ", more than " +
           printPercent(limits.underflow);
  return std::nullopt;
}

std::optional<GradientChoice>
GradientFormats::choose(NodeId node, unsigned operand,
                        const Decision &use) const {
  OperandKind kind =
      getOperandKind(graph, facts, node, graph.nodes[node].operands[operand]);
  if (!isAsked || !bounds || kind != OperandKind::Gradient ||
      !isFp8(use.format))
    return std::nullopt;
  const Losses &losses = groups.at(getKey(node));
  unsigned own = use.format == Format::E4M3 ? 0 : 1, other = 1 - own;
  if (!losses[own].isKnown || !losses[other].isKnown)
    return GradientChoice{use.format,
                          "numerics do not have both formats: as recipe " +
                              recipe.name};
  std::optional<std::string> problems[] = {findRangeProblem(losses[0]),
                                           findRangeProblem(losses[1])};
  for (unsigned index : {own, other})
    if (problems[index] && !problems[1 - index])
      return GradientChoice{kFp8Formats[1 - index],
                            stringifyFormat(kFp8Formats[index]).str() + " " +
                                *problems[index]};
  unsigned best = losses[other].sqnr > losses[own].sqnr ? other : own;
  return GradientChoice{kFp8Formats[best],
                        stringifyFormat(kFp8Formats[best]).str() + " keeps " +
                            printDecibels(losses[best].sqnr) + ", " +
                            stringifyFormat(kFp8Formats[1 - best]).str() + " " +
                            printDecibels(losses[1 - best].sqnr)};
}
