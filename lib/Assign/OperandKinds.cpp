//===- OperandKinds.cpp - what operands of contractions are ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/OperandKinds.h"

using namespace mlir;
using namespace prec;

OperandKind prec::getOperandKind(const Graph &graph,
                                 const Classification &facts, NodeId node,
                                 ValueId operand) {
  const GraphValue &source = graph.values[facts.roots[operand]];
  if (source.producer != kNone || source.origin == Origin::Gradient)
    return facts.holdsGradient(graph, facts.roots[operand])
               ? OperandKind::Gradient
               : OperandKind::Activation;
  // In a graph without roles the argument that a gradient meets is a weight.
  bool isWeight =
      source.origin == Origin::Parameter ||
      (facts.isGradient[node] && facts.directions[node] == Direction::Dgrad);
  return isWeight ? OperandKind::Weight : OperandKind::Activation;
}
