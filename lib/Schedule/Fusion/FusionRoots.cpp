//===- FusionRoots.cpp - what kernels compute for others ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which values kernels compute for others (roots); all other
// elementwise values are computed again wherever they are read. Roots are
// reductions, transpositions, barriers, roundings and stored values, and two
// kinds of elementwise values: those whose expression has more than
// `kMaxRecomputed` operations, and those that cost several operations and whose
// reader repeats them or is of a later phase. One pass in topological order
// counts operations and marks roots; FusionRecompute.cpp then unmarks some.
// `leavesOf` walks from a root back to the next values in memory. Example: in
// round(exp(x - m)) the rounding is the root, its leaves are x and m, and the
// difference and the exponential exist only in registers.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Fusion/FusionRoots.h"

#include "llvm/ADT/MapVector.h"

#include <algorithm>

using namespace prec;
using llvm::ArrayRef;
using llvm::SmallVector;

static Access compose(Access outer, Access inner) {
  if (outer == Access::Same)
    return inner;
  if (inner == Access::Same)
    return outer;
  return Access::Other;
}

FusionRoots::FusionRoots(ArrayRef<FusionNode> nodes,
                         const ScheduleModel &machine)
    : nodes(nodes), machine(machine), root(nodes.size()), turned(nodes.size()),
      cost(nodes.size()), uses(nodes.size()) {
  for (const FusionNode &node : nodes)
    for (FusionEdge edge : node.operands)
      ++uses[edge.node];
  findTurned();
  findRoots();
  recomputeInLaterPhases();
  recomputeWhereMoved();
}

void FusionRoots::findTurned() {
  for (unsigned node = nodes.size(); node-- > 0;) {
    const FusionNode &it = nodes[node];
    bool isTile = it.kind == NodeKind::TileReduce ||
                  (it.kind == NodeKind::Transpose && it.narrow);
    bool passes =
        it.kind == NodeKind::Elementwise || it.kind == NodeKind::Layout;
    if (isTile || (passes && turned[node]))
      for (FusionEdge edge : it.operands)
        if (edge.access == Access::Same || isTile)
          turned[edge.node] = true;
  }
}

/// What tiles are put together of is computed in them, rather than rounded into
/// memory before, if nothing else reads it.
void FusionRoots::joinInTiles(unsigned node) {
  const FusionNode &it = nodes[node];
  if (!it.joinsColumns || it.narrow || !turned[node])
    return;
  for (FusionEdge edge : it.operands) {
    unsigned part = edge.node;
    while (nodes[part].kind == NodeKind::Layout && uses[part] == 1 &&
           nodes[part].operands.size() == 1 &&
           nodes[part].operands.front().access == Access::Same)
      part = nodes[part].operands.front().node;
    bool isOwn = uses[part] == 1 && nodes[part].rounding && !nodes[part].stored;
    if (isOwn) {
      root[part] = false;
      root[node] = true;
    }
  }
}

void FusionRoots::findRoots() {
  for (unsigned node = 0; node < nodes.size(); ++node) {
    joinInTiles(node);
    const FusionNode &it = nodes[node];
    bool computes = it.kind == NodeKind::Elementwise;
    uint64_t total = computes ? 1 : 0;
    for (FusionEdge edge : it.operands)
      if (!root[edge.node])
        total += cost[edge.node];
    cost[node] = std::min<uint64_t>(total, kMaxRecomputed + 1);
    switch (it.kind) {
    case NodeKind::Source:
      break;
    case NodeKind::Constant:
    case NodeKind::Layout:
    case NodeKind::Elementwise:
      root[node] = root[node] || it.stored || it.rounding ||
                   (total > kMaxRecomputed && !it.packed);
      break;
    case NodeKind::RowReduce:
    case NodeKind::TileReduce:
    case NodeKind::ColumnReduce:
    case NodeKind::Transpose:
    case NodeKind::Barrier:
      root[node] = true;
      break;
    }
    // Elements that are repeated, or needed again in a later phase, are worth
    // keeping when they cost more than one operation.
    int64_t joined = 0; // by a concatenation, which repeats nothing
    if (it.kind == NodeKind::Layout)
      for (FusionEdge edge : it.operands)
        joined += nodes[edge.node].elements;
    for (FusionEdge edge : it.operands) {
      unsigned computed = behindReshapes(edge.node);
      const FusionNode &operand = nodes[computed];
      if (root[computed] || operand.packed ||
          operand.kind != NodeKind::Elementwise)
        continue;
      bool repeats =
          it.elements * it.reduced > std::max(operand.elements, joined);
      if ((repeats && cost[computed] > 1) ||
          (it.phase != operand.phase && cost[computed] > 2))
        root[computed] = true;
    }
  }
}

/// What has the elements of `node` in their order.
unsigned FusionRoots::behindReshapes(unsigned node) const {
  while (nodes[node].kind == NodeKind::Layout && !root[node] &&
         nodes[node].operands.size() == 1 &&
         nodes[node].operands.front().access == Access::Same)
    node = nodes[node].operands.front().node;
  return node;
}

/// What a layout change shows, through others of one operand.
FusionEdge FusionRoots::getShown(unsigned node) const {
  FusionEdge shown{node, Access::Same};
  while (!isInMemory(shown.node) &&
         nodes[shown.node].kind == NodeKind::Layout &&
         nodes[shown.node].operands.size() == 1) {
    FusionEdge next = nodes[shown.node].operands.front();
    shown = {next.node, compose(shown.access, next.access)};
  }
  return shown;
}

SmallVector<Leaf> FusionRoots::leavesOf(unsigned node) const {
  SmallVector<Leaf> leaves;
  llvm::SmallMapVector<std::pair<unsigned, unsigned>, bool, 16> seen;
  SmallVector<Leaf> work;
  auto visit = [&](unsigned from, Access access) {
    for (FusionEdge edge : nodes[from].operands) {
      Access reached = compose(access, edge.access);
      if (!seen.insert({{edge.node, unsigned(reached)}, true}).second)
        continue;
      Leaf leaf{edge.node, reached, edge.node, reached};
      if (isInMemory(edge.node)) {
        leaves.push_back(leaf);
        continue;
      }
      FusionEdge source = {edge.node, Access::Same};
      if (nodes[edge.node].piece)
        source = getShown(edge.node);
      if (isInMemory(source.node))
        leaves.push_back(
            {source.node, compose(reached, source.access), edge.node, reached});
      else
        work.push_back(leaf);
    }
  };
  visit(node, Access::Same);
  while (!work.empty()) {
    Leaf next = work.pop_back_val();
    visit(next.node, next.access);
  }
  return leaves;
}
