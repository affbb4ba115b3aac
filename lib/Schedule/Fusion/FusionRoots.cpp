//===- FusionRoots.cpp - what kernels compute for others ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which values kernels compute for others (roots); all other
// elementwise values are computed again wherever they are read. Roots are
// reductions, transpositions, barriers, roundings and stored values, and three
// kinds of elementwise values: those whose expression has more than
// `kMaxRecomputed` operations, joins of joins that read more than `kMaxPlaces`
// places, and those that cost several operations and whose reader repeats them
// or is of a later phase. One pass in topological order counts operations and
// marks roots; FusionRecompute.cpp then unmarks some.
// `leavesOf` walks from a root back to the next values in memory. Example: in
// round(exp(x - m)) the rounding is the root, its leaves are x and m, and the
// difference and the exponential exist only in registers.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Fusion/FusionRoots.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace prec;
using llvm::ArrayRef;
using llvm::SmallVector;

/// How an element reaches through `outer` into what `inner` reads for it.
FusionEdge FusionRoots::compose(FusionEdge outer, FusionEdge inner) const {
  if (outer.access == Access::Same)
    return inner;
  if (inner.access == Access::Same)
    return {inner.node, outer.access, outer.rows};
  // Elements that are moved within a row are of the row that they were of.
  bool isMoved = outer.access != Access::Row;
  int64_t rows = isMoved ? outer.rows : nodes[outer.node].elements;
  if (inner.access == Access::Row) {
    bool isOfRow = isMoved && rows % nodes[inner.node].elements == 0;
    return {inner.node, isOfRow ? Access::Row : Access::Other, 1};
  }
  return {inner.node, Access::Other, std::gcd(rows, inner.rows)};
}

FusionRoots::FusionRoots(ArrayRef<FusionNode> nodes,
                         const ScheduleModel &machine)
    : nodes(nodes), machine(machine), root(nodes.size()), turned(nodes.size()),
      cost(nodes.size()), places(nodes.size(), 1), uses(nodes.size()),
      user(nodes.size()) {
  for (unsigned node = 0; node < nodes.size(); ++node)
    for (FusionEdge edge : nodes[node].operands) {
      ++uses[edge.node];
      user[edge.node] = node;
    }
  findTurned();
  findRoots();
  recomputeInLaterPhases();
  recomputeWhereMoved();
  recomputeInRows();
}

/// Whether `node` has the elements of its one operand, in any order.
bool FusionRoots::permutes(unsigned node) const {
  const FusionNode &it = nodes[node];
  return it.kind == NodeKind::Layout && it.operands.size() == 1 &&
         nodes[it.operands.front().node].elements == it.elements;
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
        if (edge.access == Access::Same || isTile || permutes(node))
          turned[edge.node] = true;
  }
}

/// What shows all of `node` to those who read it, in the end: itself, or what
/// moves its elements, if nobody reads them in front of that.
unsigned FusionRoots::lastMoved(unsigned node) const {
  unsigned last = node;
  while (uses[node] == 1 && permutes(user[node])) {
    node = user[node];
    if (nodes[node].operands.front().access != Access::Same)
      last = node;
  }
  return last;
}

/// What tiles are put together of is computed in them, rather than rounded into
/// memory before, if nothing else reads it.
void FusionRoots::joinInTiles(unsigned node) {
  const FusionNode &it = nodes[node];
  if (!it.joinsColumns || it.narrow || !turned[node])
    return;
  for (FusionEdge edge : it.operands) {
    unsigned part = edge.node;
    while (permutes(part) && uses[part] == 1)
      part = nodes[part].operands.front().node;
    bool isOwn = uses[part] == 1 && nodes[part].rounding && !nodes[part].stored;
    if (isOwn) {
      root[part] = false;
      root[lastMoved(node)] = true;
    }
  }
}

/// Whether a tile lies in one of the pieces that `node` joins, and computes no
/// other.
bool FusionRoots::liesInTiles(unsigned node) const {
  const FusionNode &it = nodes[node];
  constexpr int64_t widest = 128; // tile
  return it.joinsColumns && turned[node] &&
         llvm::all_of(it.operands, [&](FusionEdge edge) {
           return nodes[edge.node].elements / edge.rows % widest == 0;
         });
}

/// Counts the places that `node` reads, and tells whether they are too many of
/// one that joins what is joined itself: each piece is read at a place of its
/// own, so that n joins of slices of each other, as a loop makes them that
/// writes rows into one tensor, read 2^n places. Operations bound those of
/// other expressions, and a join of many values in memory reads each once.
bool FusionRoots::joinsTooMuch(unsigned node, bool isOnePiece) {
  uint64_t total = 0;
  bool isNested = false;
  for (FusionEdge edge : nodes[node].operands) {
    unsigned read = root[edge.node] ? 1 : places[edge.node];
    isNested |= read > 1;
    total = isOnePiece ? std::max<uint64_t>(total, read) : total + read;
  }
  places[node] =
      std::clamp<uint64_t>(total, 1, std::numeric_limits<unsigned>::max());
  return nodes[node].kind == NodeKind::Layout &&
         nodes[node].operands.size() > 1 && isNested && total > kMaxPlaces;
}

/// Elements that are repeated, or needed again in a later phase, are worth
/// keeping when they cost more than one operation. Who reads them then pays
/// nothing for them.
void FusionRoots::keepRepeated(unsigned node) {
  const FusionNode &it = nodes[node];
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

void FusionRoots::findRoots() {
  for (unsigned node = 0; node < nodes.size(); ++node) {
    joinInTiles(node);
    keepRepeated(node);
    const FusionNode &it = nodes[node];
    // What is looked up is read at two places.
    bool computes = it.kind == NodeKind::Elementwise || it.looksUp;
    uint64_t total = computes ? 1 : 0;
    bool isOnePiece = liesInTiles(node);
    // A kernel computes once what it reads twice at one place, as a square
    // does.
    llvm::SmallDenseSet<std::pair<unsigned, unsigned>, 4> counted;
    for (FusionEdge edge : it.operands)
      // A reshape that was passed before its operand was kept costs nothing.
      if (unsigned read = behindReshapes(edge.node);
          !root[read] &&
          counted
              .insert({read, edge.access == Access::Same ? 0 : edge.node + 1})
              .second)
        total = isOnePiece ? std::max<uint64_t>(total, cost[read])
                           : total + cost[read];
    cost[node] = std::min<uint64_t>(total, kMaxRecomputed + 1);
    bool isLarge = joinsTooMuch(node, isOnePiece) || total > kMaxRecomputed;
    switch (it.kind) {
    case NodeKind::Source:
      break;
    case NodeKind::Constant:
    case NodeKind::Layout:
    case NodeKind::Elementwise:
      root[node] =
          root[node] || it.stored || it.rounding || (isLarge && !it.packed);
      break;
    case NodeKind::RowReduce:
    case NodeKind::TileReduce:
    case NodeKind::ColumnReduce:
    case NodeKind::Transpose:
    case NodeKind::Barrier:
      root[node] = true;
      break;
    }
  }
}

SmallVector<unsigned> FusionRoots::movedFor(unsigned node) const {
  SmallVector<unsigned> moved;
  llvm::SmallSetVector<unsigned, 16> walked;
  walked.insert(node);
  for (size_t i = 0; i < walked.size(); ++i) {
    const FusionNode &it = nodes[walked[i]];
    bool isInOrder = llvm::all_of(it.operands, [](FusionEdge edge) {
      return edge.access == Access::Same;
    });
    int64_t joined = 0;
    for (FusionEdge edge : it.operands)
      joined += nodes[edge.node].elements;
    if (i > 0 && it.kind == NodeKind::Layout && !isInOrder &&
        joined >= it.elements)
      moved.push_back(walked[i]);
    for (FusionEdge edge : it.operands)
      if (edge.access == Access::Same && !isInMemory(edge.node))
        walked.insert(edge.node);
  }
  return moved;
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
    shown = compose(shown, nodes[shown.node].operands.front());
  }
  return shown;
}

SmallVector<Leaf> FusionRoots::leavesOf(unsigned node) const {
  SmallVector<Leaf> leaves;
  llvm::SmallMapVector<std::tuple<unsigned, unsigned, int64_t>, bool, 16> seen;
  SmallVector<FusionEdge> work;
  auto visit = [&](FusionEdge from) {
    for (FusionEdge edge : nodes[from.node].operands) {
      FusionEdge reached = compose(from, edge);
      if (!seen.insert(
                   {{edge.node, unsigned(reached.access), reached.rows}, true})
               .second)
        continue;
      if (isInMemory(edge.node)) {
        leaves.push_back({edge.node, reached.access, edge.node, reached.access,
                          reached.rows});
        continue;
      }
      FusionEdge source = {edge.node, Access::Same};
      if (nodes[edge.node].piece)
        source = getShown(edge.node);
      if (isInMemory(source.node)) {
        FusionEdge whole = compose(reached, source);
        leaves.push_back(
            {source.node, whole.access, edge.node, reached.access, whole.rows});
      } else {
        work.push_back(reached);
      }
    }
  };
  visit({node, Access::Same});
  while (!work.empty())
    visit(work.pop_back_val());
  return leaves;
}
