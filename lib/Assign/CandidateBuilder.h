//===- CandidateBuilder.h - the ways to run each contraction ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_CANDIDATEBUILDER_H
#define PREC_LIB_ASSIGN_CANDIDATEBUILDER_H

#include "prec/Support/LLVM.h"

#include "Assign/Bounds/GradientFormats.h"
#include "Assign/OperandKinds.h"
#include "Assign/Rules/RuleApplication.h"

namespace prec {

/// Makes the candidates of contractions. Nothing is chosen yet, but what a
/// user's rule prefers.
class CandidateBuilder {
public:
  CandidateBuilder(const Graph &graph, const Classification &facts,
                   const Recipe &recipe, const Target &target,
                   const AssignmentInputs &inputs, RuleApplication &rules,
                   Assignment &assignment)
      : graph(graph), facts(facts), recipe(recipe), target(target),
        padsHead(inputs.padsHead),
        gradients(inputs.bounds, graph, facts, recipe), rules(rules),
        assignment(assignment) {}

  /// `result` is what the contraction's result would be stored in.
  ContractionChoice build(NodeId contraction, const Decision &result);

private:
  Candidate makeUniform(Format format, const Twine &rule, Reason reason = {});
  Candidate makeByDirection(NodeId node);
  /// With the other format of a gradient whose format is chosen by numerics;
  /// none if there is no such gradient.
  std::optional<Candidate> makeUnchosen(NodeId node, const Candidate &chosen);
  std::optional<std::string> findSkip(NodeId node,
                                      const Candidate &byRecipe) const;
  bool readsAdapter(NodeId node) const;
  std::optional<std::string> findGroupedBar(const GraphNode &node,
                                            const Candidate &candidate) const;
  /// Candidates before rules and legality, the wanted one first.
  void propose(NodeId node, const Candidate &byRecipe,
               ContractionChoice &choice);
  void proposeFallbacks(const RuleApplication::OperandRules &applied,
                        const Decision &result, ContractionChoice &choice);
  /// Reports a rule on the result without which the wanted product is legal.
  void verifyResult(const ContractionChoice &choice);
  /// Takes a sum that the target has for one that it has not.
  void settleAccumulator(Candidate &candidate);
  void vetoIllegal(NodeId node, Candidate &candidate, const Decision &result);
  /// With sizes that zeros make larger, where they may: vocabularies are not
  /// chosen for matrix units, as other sizes of a model are.
  ContractionShape getShape(NodeId node, const Dispatch &dispatch) const;

  const Graph &graph;
  const Classification &facts;
  const Recipe &recipe;
  const Target &target;
  bool padsHead;
  GradientFormats gradients;
  RuleApplication &rules;
  Assignment &assignment;
};

} // namespace prec

#endif // PREC_LIB_ASSIGN_CANDIDATEBUILDER_H
