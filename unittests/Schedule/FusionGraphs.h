//===- FusionGraphs.h - fusion graphs by hand, and their laws ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_UNITTESTS_SCHEDULE_FUSIONGRAPHS_H
#define PREC_UNITTESTS_SCHEDULE_FUSIONGRAPHS_H

#include "Schedule/Fusion/Fusion.h"

#include <string>

namespace prec::test {

/// The built-in machine of sm_90a.
const ScheduleModel &getMachine();
inline FusionResult formUnits(llvm::ArrayRef<FusionNode> nodes) {
  return prec::formUnits(nodes, getMachine());
}

/// Adds nodes in topological order; every function returns a node's number.
struct GraphBuilder {
  std::vector<FusionNode> nodes;

  unsigned add(NodeKind kind, std::vector<FusionEdge> operands,
               int64_t elements, int64_t reduced = 1);
  unsigned source(int64_t elements);
  /// Reads every operand by the same linear index.
  unsigned elementwise(std::vector<unsigned> operands, int64_t elements);
  unsigned round(std::vector<unsigned> operands, int64_t elements);
  unsigned rowReduce(unsigned operand, int64_t rows, int64_t columns);
  /// One result for each column of each of `groups` groups of `rows` rows.
  unsigned columnReduce(unsigned operand, int64_t groups, int64_t rows,
                        int64_t columns);
  /// One result for a matrix of `rows` x `columns`.
  unsigned tileReduce(unsigned operand, int64_t rows, int64_t columns);
  /// Narrow and read from memory, of `columns` columns before.
  unsigned transpose(unsigned operand, int64_t columns);
  /// Operands side by side.
  unsigned join(std::vector<unsigned> operands);
  /// The columns of operands of as many rows, wide or narrow.
  unsigned joinColumns(std::vector<unsigned> operands);
  /// Marks a node as read from memory by others.
  unsigned store(unsigned node);
  unsigned inPhase(unsigned phase, unsigned node);
};

/// What a legal fusion must not violate, without looking at how the algorithm
/// decides; empty if nothing does:
/// - every node that memory must hold is a root of exactly one unit, roots of
///   each part ascend, and units and nodes name each other;
/// - barriers are alone, a transposition without tile reductions with no other
///   one and no reduction, column reductions with others of their extents and
///   with those of the rows, if these have room for them;
/// - a value of a unit is read in that unit only in step with its iteration;
/// - units can be ordered so that each follows what it reads, and their depth
///   is the length of the longest such chain.
std::string findViolation(llvm::ArrayRef<FusionNode> nodes,
                          const FusionResult &result);

using Units = std::vector<std::vector<unsigned>>;

/// The roots of each unit; expects the graph to be fused legally.
Units rootsOf(const GraphBuilder &graph);

} // namespace prec::test

#endif // PREC_UNITTESTS_SCHEDULE_FUSIONGRAPHS_H
