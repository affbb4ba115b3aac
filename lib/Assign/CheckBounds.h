//===- CheckBounds.h - bounds on candidates and on values -------*- C++ -*-===//
#ifndef PREC_LIB_ASSIGN_CHECKBOUNDS_H
#define PREC_LIB_ASSIGN_CHECKBOUNDS_H

#include "prec/Assign/Assignment.h"
#include "prec/Numerics/FloatFormat.h"

#include <map>

namespace mlir::prec {

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
  /// "what: numbers"; none if the candidate keeps all bounds.
  std::optional<std::string> findProblem(NodeId node,
                                         const Candidate &candidate);
  std::optional<std::string> findRangeProblem(NodeId node, unsigned operand,
                                              const Decision &use) const;
  std::optional<std::string> findTailProblem(NodeId node, unsigned operand,
                                             const Decision &use) const;
  std::optional<std::string> findAccumulationProblem(const Candidate &candidate,
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

/// What the decided formats of masters, moments, logits and stored values lose.
/// Writes findings.
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

} // namespace mlir::prec

#endif // PREC_LIB_ASSIGN_CHECKBOUNDS_H
