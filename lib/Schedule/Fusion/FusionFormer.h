//===- FusionFormer.h - units in the making ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_FUSION_FUSIONFORMER_H
#define PREC_LIB_SCHEDULE_FUSION_FUSIONFORMER_H

#include "Schedule/Fusion/SharedLaunches.h"

namespace prec {

/// What a root is to the iteration space of its unit: of it, one element for
/// each row or tile of it, one for each column of a group of rows, or several
/// of it side by side.
enum class Extent { Full, RowValue, TileValue, ColumnValue, Parts };

/// Places roots in the order of the program: each in the unit that saves most
/// of what memory moves of those that can compute it, or in one of its own.
class FusionFormer {
public:
  FusionFormer(llvm::ArrayRef<FusionNode> nodes, const ScheduleModel &machine)
      : nodes(nodes), machine(machine), roots(nodes, machine),
        extent(nodes.size()), readers(nodes.size()) {
    result.unitOf.assign(nodes.size(), -1);
  }

  FusionResult run(bool sumsWait) {
    for (unsigned node = 0; node < nodes.size(); ++node)
      if (roots.isRoot(node))
        place(node);
    return shareLaunches(nodes, roots, std::move(result), reads,
                         machine.launchElements, sumsWait);
  }

private:
  bool isSolitary(unsigned node) const {
    NodeKind kind = nodes[node].kind;
    return kind == NodeKind::Barrier || kind == NodeKind::Transpose;
  }

  void place(unsigned node);
  int64_t countShared(unsigned node, llvm::ArrayRef<Leaf> leaves,
                      unsigned unit) const;
  bool tryTranspose(unsigned node, llvm::ArrayRef<Leaf> leaves);
  bool canTurn(unsigned node, unsigned unit, unsigned source) const;
  bool computesOnly(const FusionUnit &unit, unsigned node) const;
  unsigned countTiled(llvm::ArrayRef<Leaf> leaves, int64_t elements) const;
  bool joinsParts(unsigned node, unsigned unit,
                  llvm::ArrayRef<Leaf> leaves) const;
  bool hasJoined(const FusionUnit &unit) const {
    return llvm::any_of(unit.roots, [&](unsigned root) {
      return extent[root] == Extent::Parts;
    });
  }
  bool tryTiles(unsigned node, unsigned unit, llvm::ArrayRef<Leaf> leaves);
  /// Of the tiles that `unit` reduces, or whose columns, one such node; null:
  /// of none.
  const FusionNode *findTiled(const FusionUnit &unit) const {
    if (unit.kind == UnitKind::Transpose)
      for (unsigned root : unit.roots)
        if (nodes[root].tileRows)
          return &nodes[root];
    return nullptr;
  }
  bool isTiled(const FusionUnit &unit) const { return findTiled(unit); }
  bool canReduceTiles(const FusionUnit &unit, const FusionNode &it) const;
  bool sumsColumnsOf(const FusionUnit &unit, const FusionNode &it) const;
  /// Leaves that are not the unit's own are ready before it starts, or it may
  /// start later: nobody waits for it.
  bool areReady(unsigned node, llvm::ArrayRef<Leaf> leaves,
                unsigned unit) const {
    if (!isRead[unit] && result.units[unit].phase == nodes[node].phase)
      return true;
    return llvm::all_of(leaves, [&](Leaf leaf) {
      return result.unitOf[leaf.node] == int(unit) ||
             depthOf(leaf.node) < result.units[unit].depth;
    });
  }
  bool tryColumns(unsigned node, unsigned unit, llvm::ArrayRef<Leaf> leaves);
  bool canReduceRows(unsigned node, unsigned unit,
                     llvm::ArrayRef<Leaf> leaves) const;
  bool readsOwn(llvm::ArrayRef<Leaf> leaves, unsigned unit) const {
    return llvm::any_of(leaves, [&](Leaf leaf) {
      return result.unitOf[leaf.node] == int(unit);
    });
  }
  bool isInStep(Leaf leaf, unsigned unit, Extent self) const;
  bool tryJoin(unsigned node, unsigned unit, llvm::ArrayRef<Leaf> leaves);
  bool hasRoom(unsigned unit, llvm::ArrayRef<Leaf> leaves) const;
  bool keepsEvaluation(unsigned node, unsigned unit,
                       llvm::ArrayRef<Leaf> leaves) const;
  /// Whether a unit shares a launch with equal ones, rather than wait for what
  /// would make it another kernel.
  bool keepsEquals(unsigned unit, unsigned depth) const {
    const FusionUnit &it = result.units[unit];
    return it.kind == UnitKind::Row && it.elements <= machine.launchElements &&
           it.depth + 1 < depth && nodes[it.roots.front()].updates;
  }
  void add(unsigned node, unsigned unit, Extent as,
           llvm::ArrayRef<Leaf> leaves);
  void open(unsigned node, llvm::ArrayRef<Leaf> leaves);
  unsigned depthOf(unsigned node) const {
    int unit = result.unitOf[node];
    return unit < 0 ? 0 : result.units[unit].depth;
  }

  llvm::ArrayRef<FusionNode> nodes;
  const ScheduleModel &machine;
  FusionRoots roots;
  std::vector<Extent> extent;
  /// Units that read a node, or the part of a matrix that it is, by the same
  /// linear index, newest last.
  std::vector<llvm::SmallVector<unsigned, 2>> readers;
  std::vector<bool> isRead; ///< units of which another reads a result
  std::vector<UnitReads> reads;
  FusionResult result;
};

} // namespace prec

#endif // PREC_LIB_SCHEDULE_FUSION_FUSIONFORMER_H
