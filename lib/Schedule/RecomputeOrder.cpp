//===- RecomputeOrder.cpp - which activations to compute anew -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders the kept activations by what it costs to compute them again, for each
// byte that this saves. The cost of a node is its own and that of everything in
// front of it, back to values that are kept or always there. Example: a norm
// that keeps 4 MiB and moves 12 MiB costs 3 for each byte; if its input has to
// be computed again, too, for 20 MiB, it costs 8. The costs are those with all
// other activations kept; they are not computed anew after each choice, so the
// order underrates chains of nodes that are all dropped. Time is O(n * chain),
// where a chain is what lies between a node and the kept values in front of it.
//
//===----------------------------------------------------------------------===//
#include "prec/Schedule/Recompute.h"

#include <algorithm>

using namespace prec;

/// Of `node` and all before it that nobody keeps.
static double getCost(llvm::ArrayRef<ForwardNode> nodes, unsigned node,
                      std::vector<unsigned> &visited) {
  double cost = 0;
  std::vector<unsigned> work = {node};
  visited[node] = node;
  while (!work.empty()) {
    unsigned next = work.back();
    work.pop_back();
    cost += nodes[next].cost;
    for (unsigned operand : nodes[next].operands) {
      const ForwardNode &it = nodes[operand];
      if (it.isAlwaysThere || it.keptBytes > 0 || visited[operand] == node)
        continue;
      visited[operand] = node;
      work.push_back(operand);
    }
  }
  return cost;
}

std::vector<unsigned>
prec::orderRecomputable(llvm::ArrayRef<ForwardNode> nodes) {
  struct Candidate {
    double costOfByte;
    unsigned node;
  };
  std::vector<Candidate> candidates;
  // By whom a node was visited last; of no node at first.
  std::vector<unsigned> visited(nodes.size(),
                                static_cast<unsigned>(nodes.size()));
  for (unsigned node = 0; node < nodes.size(); ++node)
    if (nodes[node].keptBytes > 0 && !nodes[node].isAlwaysThere)
      candidates.push_back(
          {getCost(nodes, node, visited) / double(nodes[node].keptBytes),
           node});
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate &a, const Candidate &b) {
                     return a.costOfByte < b.costOfByte;
                   });
  std::vector<unsigned> order;
  for (const Candidate &candidate : candidates)
    order.push_back(candidate.node);
  return order;
}
