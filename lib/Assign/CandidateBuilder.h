//===- CandidateBuilder.h - the ways to run each contraction ----*- C++ -*-===//
#ifndef PREC_LIB_ASSIGN_CANDIDATEBUILDER_H
#define PREC_LIB_ASSIGN_CANDIDATEBUILDER_H

#include "prec/Assign/Assignment.h"

namespace mlir::prec {

/// What an operand of a contraction is to the step.
OperandKind getOperandKind(const Graph &graph, const Classification &facts,
                           NodeId contraction, ValueId operand);

/// Makes the candidates of contractions, without choosing.
class CandidateBuilder {
public:
  CandidateBuilder(const Graph &graph, const Classification &facts,
                   const Recipe &recipe, const Target &target,
                   Assignment &assignment)
      : graph(graph), facts(facts), recipe(recipe), target(target),
        assignment(assignment) {}

  /// `result` is what the contraction's result would be stored in.
  ContractionChoice build(NodeId contraction, const Decision &result);

private:
  Candidate makeUniform(Format format, const Twine &rule);
  Candidate makeByDirection(NodeId node);
  std::optional<std::string> findSkip(NodeId node) const;
  bool readsAdapter(NodeId node) const;
  /// Candidates before legality, the wanted one first.
  void propose(NodeId node, ContractionChoice &choice);
  void vetoIllegal(NodeId node, Candidate &candidate, const Decision &result);

  const Graph &graph;
  const Classification &facts;
  const Recipe &recipe;
  const Target &target;
  Assignment &assignment;
};

} // namespace mlir::prec

#endif // PREC_LIB_ASSIGN_CANDIDATEBUILDER_H
