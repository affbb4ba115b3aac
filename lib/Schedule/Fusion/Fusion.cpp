//===- Fusion.cpp - which primitives share a kernel -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which roots share a kernel. It goes once over the roots in program
// order. For each root it collects candidate units: those that compute what the
// root reads, deepest first, and the newest unit that reads the same data in
// the same order. It sorts them by the bytes that the root need not read there,
// and the root joins the first one that can compute it (FusionJoins.cpp), or
// opens a unit of its own.
//
// No cycle can arise: the depth of a unit is one more than the greatest depth
// of the units that it reads. A root joins a unit that others read only if what
// it reads from elsewhere has a smaller depth, so depths that others rely on
// never change. Each root tries at most two units for each tensor that it
// reads. Example: the sum of squares of a norm opens a row unit, and the
// rounded result joins it, because it reads the same rows and one value of
// each.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Fusion/Fusion.h"

#include "Schedule/Fusion/FusionFormer.h"

#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace prec;
using llvm::ArrayRef;
using llvm::SmallVector;

void FusionFormer::add(unsigned node, unsigned unit, Extent as,
                       ArrayRef<Leaf> leaves) {
  result.units[unit].roots.push_back(node);
  result.unitOf[node] = unit;
  extent[node] = as;
  unsigned &depth = result.units[unit].depth;
  for (Leaf leaf : leaves)
    if (result.unitOf[leaf.node] != int(unit))
      reads[unit].insert({leaf.data, leaf.node});
  for (Leaf leaf : leaves)
    if (int from = result.unitOf[leaf.node]; from >= 0 && from != int(unit)) {
      isRead[from] = true;
      depth = std::max(depth, depthOf(leaf.node) + 1);
    }
  if (as == Extent::Parts ||
      (as == Extent::RowValue && nodes[node].kind != NodeKind::RowReduce))
    return;
  auto addReader = [&](unsigned data) {
    if (readers[data].empty() || readers[data].back() != unit)
      readers[data].push_back(unit);
  };
  for (Leaf leaf : leaves)
    if (leaf.step == Access::Same && nodes[leaf.data].elements > 1)
      addReader(leaf.data);
  llvm::for_each(roots.movedFor(node), addReader);
}

void FusionFormer::open(unsigned node, ArrayRef<Leaf> leaves) {
  const FusionNode &it = nodes[node];
  FusionUnit unit;
  unit.depth = 1;
  unit.elements = it.elements;
  unit.columns = 0;
  unit.phase = it.phase;
  Extent as = Extent::Full;
  switch (it.kind) {
  case NodeKind::Barrier:
    unit.kind = UnitKind::Barrier;
    break;
  case NodeKind::Transpose:
    unit.kind = UnitKind::Transpose;
    unit.columns = it.columns;
    break;
  case NodeKind::TileReduce:
    unit.kind = UnitKind::Transpose;
    unit.elements = it.elements * it.reduced;
    unit.columns = it.columns;
    // Copies are made in the same tiles, by scales that two kernels compute of
    // what the steps before have left: also of what is in memory from the
    // start.
    unit.depth = 3;
    as = Extent::TileValue;
    break;
  case NodeKind::ColumnReduce:
    unit.kind = UnitKind::Column;
    break;
  case NodeKind::RowReduce:
    unit.kind = UnitKind::Row;
    unit.elements = it.elements * it.reduced;
    unit.columns = it.reduced;
    as = Extent::RowValue;
    break;
  default:
    unit.kind = UnitKind::Elementwise;
    break;
  }
  unit.parts = {0};
  result.units.push_back(std::move(unit));
  isRead.push_back(false);
  reads.emplace_back();
  add(node, result.units.size() - 1, as, leaves);
}

/// Bytes that `node` reads and need not be read for it in `unit`: others of the
/// unit read them, or compute them.
int64_t FusionFormer::countShared(unsigned node, ArrayRef<Leaf> leaves,
                                  unsigned unit) const {
  int64_t walked = nodes[node].elements * nodes[node].reduced, bytes = 0;
  llvm::SmallSetVector<unsigned, 8> counted;
  for (Leaf leaf : leaves)
    if ((result.unitOf[leaf.node] == int(unit) ||
         reads[unit].contains(leaf.data)) &&
        counted.insert(leaf.data))
      bytes += roots.countBytes(leaf.data, walked);
  return bytes;
}

void FusionFormer::place(unsigned node) {
  SmallVector<Leaf> leaves = roots.leavesOf(node);
  if (nodes[node].kind == NodeKind::Transpose && tryTranspose(node, leaves))
    return;
  if (isSolitary(node))
    return open(node, leaves);

  // Producers, the deepest first, so that a chain stays in one kernel, and
  // whoever reads the same data.
  SmallVector<unsigned> units;
  for (Leaf leaf : leaves)
    if (int unit = result.unitOf[leaf.node]; unit >= 0)
      units.push_back(unit);
  llvm::stable_sort(units, [&](unsigned a, unsigned b) {
    return result.units[a].depth > result.units[b].depth;
  });
  unsigned depth = 1;
  for (Leaf leaf : leaves)
    depth = std::max(depth, depthOf(leaf.node) + 1);
  auto addReader = [&](unsigned data) {
    if (readers[data].empty())
      return;
    unsigned unit = readers[data].back();
    if (result.units[unit].depth <= depth ||
        nodes[data].elements >= machine.sharedElements)
      units.push_back(unit);
  };
  for (Leaf leaf : leaves)
    if (leaf.step == Access::Same)
      addReader(leaf.data);
  llvm::for_each(roots.movedFor(node), addReader);
  // Of these, in their order, whichever saves most of what memory moves.
  SmallVector<std::pair<int64_t, unsigned>> candidates;
  for (unsigned unit : units)
    candidates.push_back({countShared(node, leaves, unit), unit});
  llvm::stable_sort(candidates, [](const auto &a, const auto &b) {
    return a.first > b.first;
  });
  for (auto [shared, unit] : candidates)
    if (!keepsEquals(unit, depth) && tryJoin(node, unit, leaves))
      return;
  open(node, leaves);
}

FusionResult prec::formUnits(ArrayRef<FusionNode> nodes,
                             const ScheduleModel &machine, bool sumsWait) {
  return FusionFormer(nodes, machine).run(sumsWait);
}
