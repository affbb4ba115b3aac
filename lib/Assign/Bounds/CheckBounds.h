//===- CheckBounds.h - bounds on candidates and on values -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_BOUNDS_CHECKBOUNDS_H
#define PREC_LIB_ASSIGN_BOUNDS_CHECKBOUNDS_H

#include "prec/Assign/Assignment.h"
#include "prec/Numerics/FloatFormat.h"
#include "prec/Support/LLVM.h"

#include <map>

namespace prec {

/// A bound that a candidate breaks, and the numbers that show it.
struct BrokenBound {
  std::string rule, detail;
};

/// What reading an operand as `use` says loses: as it was measured, or, with
/// scales of tensors, by the amax and rms that were.
struct OperandLoss {
  FormatLoss loss;
  bool isMeasured = false;
};
/// None if nothing is known.
std::optional<OperandLoss> predictLoss(const BoundInputs &inputs,
                                       const Graph &graph,
                                       const Classification &facts, NodeId node,
                                       unsigned operand, const Decision &use);

/// Vetoes candidates that lose too much of what was measured, or whose
/// accumulator does. The last permitted candidate is never vetoed: what is
/// wrong with it becomes a finding.
class OperandBounds {
public:
  OperandBounds(const BoundInputs &inputs, const Graph &graph,
                const Classification &facts, const Target &target,
                Assignment &assignment)
      : inputs(inputs), graph(graph), facts(facts), target(target),
        assignment(assignment) {}

  void veto(ContractionChoice &choice);

private:
  /// None if the candidate keeps all bounds.
  std::optional<BrokenBound> findProblem(NodeId node,
                                         const Candidate &candidate);
  std::optional<BrokenBound> findRangeProblem(NodeId node, unsigned operand,
                                              const Decision &use) const;
  std::optional<BrokenBound> findTailProblem(NodeId node, unsigned operand,
                                             const Decision &use) const;
  std::optional<BrokenBound> findAccumulationProblem(const Candidate &candidate,
                                                     int64_t k);
  AccumulationEstimate estimateAccumulation(const Fp8Accumulator &accumulator,
                                            const Candidate &candidate,
                                            int64_t k);
  void promote(ContractionChoice &choice, unsigned index);

  const BoundInputs &inputs;
  const Graph &graph;
  const Classification &facts;
  const Target &target;
  Assignment &assignment;
  /// By accumulator, formats and K.
  std::map<std::tuple<Accumulator, Format, Format, int64_t>,
           AccumulationEstimate>
      errors;
};

/// What masters, moments, logits and stored values lose.
class ValueBounds {
public:
  ValueBounds(const BoundInputs &inputs, const Graph &graph,
              const Classification &facts, const Recipe &recipe);

  /// What a value loses if it is stored in `format`.
  SmallVector<BoundFinding, 1> find(ValueId id, Format format) const;
  /// What optimizer state loses in the format that the recipe keeps it in.
  SmallVector<BoundFinding, 1> findOfMoments(ValueId parameter) const;

private:
  using Finding = std::optional<BoundFinding>;

  BoundFinding makeFinding(const Twine &rule, ValueId id, const Twine &detail,
                           double severity) const;
  Finding checkMaster(ValueId id, ValueId parameter,
                      const FloatFormat &format) const;
  Finding checkLogits(ValueId id, const FloatFormat &format) const;
  Finding checkTail(ValueId id, const FloatFormat &format) const;
  Finding checkRange(ValueId id, const FloatFormat &format) const;
  Finding checkSecondMoment(ValueId parameter, const FloatFormat &format) const;
  Finding checkDecay(const GraphUpdate &update,
                     const FloatFormat &format) const;
  /// The parameter that a value is or that it updates; kNone for others.
  ValueId getTrained(ValueId id) const;
  /// What a stored value is multiplied by: gradients by the loss's scale. None
  /// if that is found during training.
  std::optional<double> getStoredScale(ValueId id) const;
  const GraphUpdate &getUpdate(ValueId parameter) const;
  const TensorNumerics *findMeasured(ValueId id) const;

  const BoundInputs &inputs;
  const Graph &graph;
  const Classification &facts;
  const Recipe &recipe;
  std::map<ValueId, const GraphUpdate *> updates;
};

/// What the decided formats of all values lose. Writes findings.
void checkValueBounds(const BoundInputs &inputs, const Graph &graph,
                      const Classification &facts, const Recipe &recipe,
                      Assignment &assignment);

/// What was measured of a value; null if nothing was.
const TensorNumerics *findMeasured(const BoundInputs &inputs,
                                   const Graph &graph,
                                   const Classification &facts, ValueId id);

/// Largest minus smallest logit of a row behind the probabilities `id`, at
/// most, from the amax of logits that no mask was added to, or as assumed. None
/// if that is not known, or `id` are no probabilities.
std::optional<double> findSoftmaxGap(const BoundInputs &inputs,
                                     const Graph &graph,
                                     const Classification &facts, ValueId id);

/// The numbers, if probabilities that are multiplied by `scale` lose their tail
/// in a format.
std::optional<std::string> findLostTail(const FloatFormat &format, double gap,
                                        double scale);

/// "12 %", "0.0031".
std::string printPercent(double fraction);
std::string printShort(double number);

} // namespace prec

#endif // PREC_LIB_ASSIGN_BOUNDS_CHECKBOUNDS_H
