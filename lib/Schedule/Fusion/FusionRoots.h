//===- FusionRoots.h - what kernels compute for others ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which results are stored, which are recomputed by their readers, and what the
// expression of a root reads.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_SCHEDULE_FUSION_FUSIONROOTS_H
#define PREC_LIB_SCHEDULE_FUSION_FUSIONROOTS_H

#include "Schedule/Fusion/FusionCost.h"
#include "Schedule/Fusion/FusionUnits.h"

#include "llvm/ADT/DenseSet.h"

namespace prec {

/// A stored value that a root reads, and how. Of one that is read in pieces
/// `data` is the piece, and `step` how that is read.
struct Leaf {
  unsigned node;
  Access access;
  unsigned data;
  Access step;
  int64_t rows = 1; ///< of FusionEdge, for `access`
};

/// An expression of more operations than this is stored, not recomputed.
inline constexpr unsigned kMaxRecomputed = 32;
/// What joins other joins, and would read memory at more places than this for
/// an element, is stored.
inline constexpr unsigned kMaxPlaces = 64;

class FusionRoots {
public:
  FusionRoots(llvm::ArrayRef<FusionNode> nodes, const ScheduleModel &machine);

  bool isRoot(unsigned node) const { return root[node]; }
  /// Whether kernels in tiles read it, element by element.
  bool isTurned(unsigned node) const { return turned[node]; }
  /// Everything stored that the expression of `node` reaches, each once per
  /// access, in order of discovery.
  llvm::SmallVector<Leaf> leavesOf(unsigned node) const;
  /// What the expression of `node` reads element by element although it is not
  /// in memory, since it moves or joins what is.
  llvm::SmallVector<unsigned> movedFor(unsigned node) const;
  /// Bytes of `data` that a root reads in a kernel that walks so many elements.
  int64_t countBytes(unsigned data, int64_t walked) const;

private:
  void findTurned();
  void keepRepeated(unsigned node);
  void findRoots();
  bool permutes(unsigned node) const;
  unsigned lastMoved(unsigned node) const;
  bool liesInTiles(unsigned node) const;
  void joinInTiles(unsigned node);
  bool joinsTooMuch(unsigned node, bool isOnePiece);
  /// What reads each node, as the leaf that it is there: `node` the reader.
  using LeafUsers = std::vector<llvm::SmallVector<Leaf, 4>>;
  LeafUsers findUsers() const;
  void recomputeInLaterPhases();
  void recomputeWhereMoved();
  void recomputeInRows();
  llvm::SmallDenseSet<unsigned> findReduced(unsigned number) const;
  bool isOfReducedRows(unsigned node, llvm::ArrayRef<Leaf> users) const;
  KernelWork workOf(unsigned reader, int again) const;
  bool isOfOneTensor(unsigned node) const;
  bool readsElsewhere(const Leaf &reader) const;
  bool isInMemory(unsigned node) const {
    return root[node] || nodes[node].kind == NodeKind::Source;
  }
  FusionEdge compose(FusionEdge outer, FusionEdge inner) const;
  unsigned behindReshapes(unsigned node) const;
  FusionEdge getShown(unsigned node) const;

  llvm::ArrayRef<FusionNode> nodes;
  const ScheduleModel &machine;
  std::vector<bool> root, turned;
  std::vector<unsigned> cost; ///< operations of an expression
  /// Places of memory that an expression reads for an element, at most.
  std::vector<unsigned> places;
  std::vector<unsigned> uses; ///< operands that a node is
  std::vector<unsigned> user; ///< of which one is this node's
};

} // namespace prec

#endif // PREC_LIB_SCHEDULE_FUSION_FUSIONROOTS_H
