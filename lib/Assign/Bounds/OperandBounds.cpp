//===- OperandBounds.cpp - bounds on what contractions read ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Bounds/CheckBounds.h"
#include "prec/Target/Legality.h"

#include "prec/Numerics/Accumulation.h"
#include "prec/Numerics/Bounds.h"

#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace prec;

std::string prec::printShort(double number) {
  std::string text;
  // Two digits, but no exponent where a person would write none.
  bool isPlain = std::abs(number) >= 99.5 && std::abs(number) < 1e6;
  llvm::raw_string_ostream(text)
      << llvm::format(isPlain ? "%.0f" : "%.2g", number);
  return text;
}

std::string prec::printPercent(double fraction) {
  return printShort(100 * fraction) + " %";
}

/// What a scaling makes of a tensor that has these numbers, if its blocks need
/// not be known for that.
static std::optional<FormatLoss> estimateLoss(const TensorNumerics &measured,
                                              const FloatFormat &format,
                                              Scaling scaling) {
  bool isByTensor = isTensorScaling(scaling);
  if (!isByTensor && scaling != Scaling::None)
    return std::nullopt;
  double scale = isByTensor ? getScale(format, measured.amax) : 1;
  RangeLoss loss = getRangeLoss(format, measured.rms, scale);
  // Whatever the distribution, one infinity is too many.
  if (!isByTensor && measured.amax > format.maxFinite)
    loss.overflow = 1;
  return FormatLoss{"", "", loss.underflow, loss.overflow,
                    getExpectedSqnr(format)};
}

std::optional<OperandLoss> prec::predictLoss(const BoundInputs &inputs,
                                             const Graph &graph,
                                             const Classification &facts,
                                             NodeId node, unsigned operand,
                                             const Decision &use) {
  if (!inputs.numerics)
    return std::nullopt;
  const TensorNumerics *measured = inputs.numerics->findUse(
      graph.nodes[node].path, stringifyDirection(facts.directions[node]),
      operand);
  const FloatFormat *format = findFloatFormat(stringifyFormat(use.format));
  if (!measured || !format || use.format == Format::F32)
    return std::nullopt;
  if (const FormatLoss *seen =
          measured->findLoss(format->name, stringifyScaling(use.scaling)))
    return OperandLoss{*seen, /*isMeasured=*/true};
  if (auto loss = estimateLoss(*measured, *format, use.scaling))
    return OperandLoss{*loss, /*isMeasured=*/false};
  return std::nullopt;
}

std::optional<BrokenBound>
OperandBounds::findRangeProblem(NodeId node, unsigned operand,
                                const Decision &use) const {
  std::optional<OperandLoss> predicted =
      predictLoss(inputs, graph, facts, node, operand, use);
  if (!predicted)
    return std::nullopt;
  const FloatFormat *format = findFloatFormat(stringifyFormat(use.format));
  const FormatLoss *loss = &predicted->loss;
  std::string of = " of operand " + std::to_string(operand) +
                   (predicted->isMeasured ? "" : ", by its amax and rms");
  const BoundLimits &limits = inputs.limits;
  if (loss->overflow > limits.overflow)
    return BrokenBound{format->name.str() + " overflows",
                       printPercent(loss->overflow) + of + ", more than " +
                           printPercent(limits.overflow)};
  if (loss->underflow > limits.underflow)
    return BrokenBound{format->name.str() + " underflows",
                       printPercent(loss->underflow) + of + ", more than " +
                           printPercent(limits.underflow)};
  if (loss->sqnr < limits.sqnr)
    return BrokenBound{format->name.str() + " is too coarse",
                       "a signal to noise ratio of " + printShort(loss->sqnr) +
                           " dB" + of + ", less than " +
                           printShort(limits.sqnr)};
  return std::nullopt;
}

/// Probabilities are at most 1, which per-tensor scales map to the largest
/// value.
std::optional<BrokenBound>
OperandBounds::findTailProblem(NodeId node, unsigned operand,
                               const Decision &use) const {
  const FloatFormat *format = findFloatFormat(stringifyFormat(use.format));
  std::optional<double> gap = findSoftmaxGap(
      inputs, graph, facts, facts.roots[graph.nodes[node].operands[operand]]);
  bool isByTensor = isTensorScaling(use.scaling);
  // What is read as it is stored is a finding of the stored value's.
  if (!gap || !format || !isNarrow(use.format) ||
      (use.scaling != Scaling::None && !isByTensor))
    return std::nullopt;
  std::optional<std::string> lost =
      findLostTail(*format, *gap, isByTensor ? getScale(*format, 1) : 1);
  if (!lost)
    return std::nullopt;
  return BrokenBound{format->name.str() + " loses the tail of a softmax",
                     *lost};
}

AccumulationEstimate
OperandBounds::estimateAccumulation(const Fp8Accumulator &accumulator,
                                    const Candidate &candidate, int64_t k) {
  const Decision &a = candidate.uses[0], &b = candidate.uses[1];
  auto [entry, isNew] =
      errors.try_emplace({a.accumulator, a.format, b.format, k});
  if (isNew)
    entry->second = estimateAccumulationError(
        accumulator, *findFloatFormat(stringifyFormat(a.format)),
        *findFloatFormat(stringifyFormat(b.format)), k);
  return entry->second;
}

std::optional<BrokenBound>
OperandBounds::findAccumulationProblem(const Candidate &candidate, int64_t k) {
  Accumulator mode = candidate.uses[0].accumulator;
  bool isFp8Product = llvm::all_of(
      candidate.uses, [](const Decision &use) { return isFp8(use.format); });
  std::optional<Fp8Accumulator> accumulator = target.findAccumulator(mode);
  if (!inputs.limits.accumulation || !isFp8Product || !accumulator || k <= 0)
    return std::nullopt;
  AccumulationEstimate estimate =
      estimateAccumulation(*accumulator, candidate, k);
  if (estimate.error <= *inputs.limits.accumulation)
    return std::nullopt;
  return BrokenBound{stringifyAccumulator(mode).str() +
                         " accumulation is too coarse",
                     "sums of " + std::to_string(k) +
                         " products that do not cancel are off by " +
                         (estimate.isSimulated ? "" : "up to ") +
                         printPercent(estimate.error) + ", more than " +
                         printPercent(*inputs.limits.accumulation)};
}

std::optional<BrokenBound>
OperandBounds::findProblem(NodeId node, const Candidate &candidate) {
  for (auto [operand, use] : llvm::enumerate(candidate.uses)) {
    std::optional<BrokenBound> problem;
    if (inputs.numerics)
      problem = findRangeProblem(node, operand, use);
    if (!problem)
      problem = findTailProblem(node, operand, use);
    if (problem)
      return problem;
  }
  return findAccumulationProblem(candidate, graph.nodes[node].shape.k);
}

/// Puts the same formats with a promoted accumulator behind a candidate that is
/// too coarse with a fast one.
void OperandBounds::promote(ContractionChoice &choice, unsigned index) {
  Candidate promoted = choice.candidates[index];
  for (Decision &use : promoted.uses)
    use.accumulator = Accumulator::Promoted;
  if (findProblem(choice.node, promoted) ||
      findIllegality(target,
                     getPaddedShape(graph.nodes[choice.node].shape,
                                    promoted.getDispatch()),
                     promoted.getDispatch()))
    return;
  choice.candidates.insert(choice.candidates.begin() + index + 1, promoted);
  if (choice.winner != kNone && choice.winner > index)
    ++choice.winner;
}

void OperandBounds::veto(ContractionChoice &choice) {
  // Promoted candidates are inserted behind the one at hand.
  for (unsigned i = 0; i < choice.candidates.size(); ++i) {
    if (choice.candidates[i].veto != Veto::None)
      continue;
    std::optional<BrokenBound> problem =
        findProblem(choice.node, choice.candidates[i]);
    if (!problem)
      continue;
    if (choice.candidates[i].uses[0].accumulator == Accumulator::Fast)
      promote(choice, i);
    Candidate &candidate = choice.candidates[i];
    candidate.veto = Veto::Bound;
    if (choice.getFirstPermitted() == kNone) {
      candidate.veto = Veto::None;
      assignment.findings.push_back({"nothing but " + candidate.getName() +
                                         " is permitted, but " + problem->rule,
                                     graph.nodes[choice.node].path,
                                     problem->detail, 0, kNone, choice.node});
      return;
    }
    candidate.vetoReason =
        assignment.save(problem->rule + ": " + problem->detail);
    candidate.vetoRule = assignment.save(problem->rule);
    // What a rule preferred.
    if (choice.winner == i) {
      choice.winner = kNone;
      choice.reason = "";
    }
  }
}
