//===- FusionJoins.cpp - which units can compute a root, too --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules by which a unit accepts one more root. A unit walks one iteration
// space: the elements of a matrix, its rows, or its tiles. A root may join if
//
//   - it walks the same space, or has one value for each row, tile or column
//     of a group of rows of it (`Extent` says which);
//   - each result of the unit that it reads is ready at the element, or row,
//     where it is read (`isInStep`);
//   - all else that it reads is ready before the unit starts (`areReady`);
//   - the unit does not get too many operands and results (`hasRoom`).
//
// tryJoin holds the rules for elements and rows; tryTiles, tryColumns and
// tryTranspose those of the kernels that go by tiles or reduce columns. Joining
// can change the kind of a unit: an elementwise unit becomes a row unit when a
// reduction of its rows joins. Tests are linear in what the root and the unit
// read.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Fusion/FusionFormer.h"

#include "llvm/ADT/SetVector.h"

using namespace prec;
using llvm::ArrayRef;
using llvm::SmallVector;

/// A transposition reads tiles of few tensors only.
constexpr unsigned kMaxTransposeLeaves = 3;
/// Of its elements: a smaller tensor is no part of the matrix.
constexpr int64_t kLeastShare = 64;

/// Matrices of which a kernel in tiles writes transposes: what its shared
/// memory has room for.
constexpr int64_t kMaxTurned = 3;

/// A kernel that reduces longer rows reads them again for what needs the
/// result: it saves a kernel in tiles no read.
constexpr int64_t kMaxHeldRow = 32768;

/// Rows of a group that are reduced at once: they divide it.
constexpr int64_t kRowsAtOnce = 8;
/// Most elements of a row and sums of its columns that registers hold.
constexpr int64_t kMaxColumnValues = 16384;
/// Longest row whose columns are summed in the shared memory of the blocks that
/// share it, and most sums of these. Rows are read in vectors of as many
/// elements as divide theirs.
constexpr int64_t kMaxLongColumns = 131072, kLongLanes = 8;
/// What such a block has of a row and of its sums, in bytes, if it shares the
/// multiprocessor with another one; bytes of a column; most blocks of a row.
constexpr int64_t kLongShare = 112 << 10, kLongBytes = 6, kLongBlocks = 8;

/// Whether a kernel that reduces rows of `columns` elements has room for so
/// many reductions of their columns.
static bool hasRoomForColumns(int64_t columns, int64_t reductions) {
  return columns * reductions <=
         (columns <= kMaxHeldColumns ? kMaxColumnValues : kMaxLongColumns);
}

/// What is recomputed would be kept again if the first phase computed it.
static bool comesTooEarly(const FusionUnit &unit, const FusionNode &node) {
  return node.recomputed && unit.phase == 0;
}

/// Leaves that fill tiles of a unit of so many elements: scales do not.
unsigned FusionFormer::countTiled(ArrayRef<Leaf> leaves,
                                  int64_t elements) const {
  return llvm::count_if(leaves, [&](Leaf leaf) {
    return nodes[leaf.node].elements >= elements / kLeastShare;
  });
}

/// Whether all that `unit`, which goes element by element, computes are `node`
/// and what that is computed from, step by step, from few tensors.
bool FusionFormer::computesOnly(const FusionUnit &unit, unsigned node) const {
  llvm::SmallSetVector<unsigned, 4> needed;
  SmallVector<Leaf> outside;
  needed.insert(node);
  for (size_t i = 0; i < needed.size(); ++i)
    for (Leaf leaf : roots.leavesOf(needed[i]))
      if (llvm::is_contained(unit.roots, leaf.node))
        needed.insert(leaf.node);
      else
        outside.push_back(leaf);
  return needed.size() == unit.roots.size() &&
         countTiled(outside, unit.elements) <= kMaxTransposeLeaves;
}

/// Whether the unit that computes `source` has room for the transposition of it
/// that `node` is.
bool FusionFormer::canTurn(unsigned node, unsigned unitIndex,
                           unsigned source) const {
  const FusionUnit &unit = result.units[unitIndex];
  if (unit.kind == UnitKind::Elementwise)
    return unit.elements == nodes[node].elements && computesOnly(unit, source);
  if (!isTiled(unit) || !nodes[node].narrow)
    return false;
  int64_t parts = nodes[source].elements / unit.elements, turned = parts;
  for (unsigned root : unit.roots)
    if (nodes[root].kind == NodeKind::Transpose)
      turned += nodes[root].elements / unit.elements;
  return turned <= kMaxTurned && nodes[node].elements % unit.elements == 0 &&
         nodes[node].columns == parts * unit.columns &&
         nodes[node].rows == findTiled(unit)->rows;
}

/// Makes the unit that computes the transposed value, if that is all it does or
/// it has tiles, write both layouts from one read.
bool FusionFormer::tryTranspose(unsigned node, ArrayRef<Leaf> leaves) {
  if (leaves.size() != 1 || result.unitOf[leaves[0].node] < 0)
    return false;
  unsigned source = leaves[0].node, index = result.unitOf[source];
  FusionUnit &unit = result.units[index];
  if (comesTooEarly(unit, nodes[node]) || unit.roots.size() >= kMaxRoots ||
      !canTurn(node, index, source))
    return false;
  unit.kind = UnitKind::Transpose;
  unit.columns = nodes[node].columns / (nodes[source].elements / unit.elements);
  add(node, index, Extent::Parts, leaves);
  return true;
}

/// Whether `it` itself puts its operands side by side: a kernel writes each
/// where it lies in the result, but not where it would lie in a view of that.
static bool isSideBySide(const FusionNode &it) {
  return it.kind == NodeKind::Layout &&
         llvm::all_of(it.operands, [](const FusionEdge &edge) {
           return edge.access == Access::Part;
         });
}

/// Whether `node` puts side by side what a unit that goes element by element,
/// or by rows, walks: its own values, or others.
bool FusionFormer::joinsParts(unsigned node, unsigned unitIndex,
                              ArrayRef<Leaf> leaves) const {
  const FusionUnit &unit = result.units[unitIndex];
  const FusionNode &it = nodes[node];
  bool walks = unit.kind == UnitKind::Elementwise || unit.kind == UnitKind::Row;
  if (!isSideBySide(it) || !walks || it.elements <= unit.elements ||
      it.elements % unit.elements != 0)
    return false;
  return llvm::all_of(leaves, [&](Leaf leaf) {
    bool isOwn = result.unitOf[leaf.node] == int(unitIndex);
    return leaf.access == Access::Part &&
           (!isOwn || extent[leaf.node] == Extent::Full);
  });
}

/// Whether a unit of column reductions could sum them in the tiles of `it`.
bool FusionFormer::sumsColumnsOf(const FusionUnit &unit,
                                 const FusionNode &it) const {
  return llvm::all_of(unit.roots, [&](unsigned root) {
    const FusionNode &own = nodes[root];
    return own.kind == NodeKind::ColumnReduce && own.tileRows == it.tileRows &&
           own.tileColumns == it.tileColumns && own.columns == it.columns &&
           own.rows == it.rows &&
           own.elements * own.reduced == it.elements * it.reduced;
  });
}

/// Whether a unit passes over the matrix of `it` in its tiles, or can do so.
bool FusionFormer::canReduceTiles(const FusionUnit &unit,
                                  const FusionNode &it) const {
  if (unit.kind == UnitKind::Column)
    return it.kind == NodeKind::TileReduce && sumsColumnsOf(unit, it);
  if (it.elements * it.reduced != unit.elements)
    return false;
  if (unit.kind == UnitKind::Elementwise)
    return !hasJoined(unit);
  const FusionNode *tiled = findTiled(unit);
  return tiled && tiled->tileRows == it.tileRows &&
         tiled->tileColumns == it.tileColumns && unit.columns == it.columns &&
         tiled->rows == it.rows;
}

/// Adds `node` to a unit that passes over its elements in tiles, or that can do
/// so if `node` reduces tiles.
bool FusionFormer::tryTiles(unsigned node, unsigned unitIndex,
                            ArrayRef<Leaf> leaves) {
  FusionUnit &unit = result.units[unitIndex];
  const FusionNode &it = nodes[node];
  bool reduces = it.kind == NodeKind::TileReduce;
  bool turns = unit.kind == UnitKind::Column;
  if (reduces ? !canReduceTiles(unit, it) : !isTiled(unit))
    return false;
  int64_t walked = it.elements * it.reduced;
  bool isParts = !reduces && isSideBySide(it) && walked > unit.elements &&
                 walked % unit.elements == 0;
  if (turns ? readsOwn(leaves, unitIndex) : walked != unit.elements && !isParts)
    return false;
  Access inStep = isParts ? Access::Part : Access::Same;
  for (Leaf leaf : leaves) {
    bool isOwn = result.unitOf[leaf.node] == int(unitIndex);
    if ((isOwn && extent[leaf.node] != Extent::Full) ||
        ((isOwn || isParts) && leaf.access != inStep))
      return false;
  }
  if (!areReady(node, leaves, unitIndex))
    return false;
  if (turns)
    for (unsigned root : unit.roots)
      extent[root] = Extent::ColumnValue;
  if (reduces) {
    unit.kind = UnitKind::Transpose;
    unit.elements = walked;
    unit.columns = it.columns;
  }
  add(node, unitIndex,
      reduces   ? Extent::TileValue
      : isParts ? Extent::Parts
                : Extent::Full,
      leaves);
  return true;
}

/// Whether a value of the unit, or of each of its rows, is read where it is
/// computed.
bool FusionFormer::isInStep(Leaf leaf, unsigned unitIndex, Extent self) const {
  const FusionUnit &unit = result.units[unitIndex];
  Extent of = extent[leaf.node];
  return (leaf.access == Access::Same && of == self) ||
         (leaf.access == Access::Row && of == Extent::RowValue &&
          self == Extent::Full &&
          nodes[leaf.node].elements * unit.columns == unit.elements);
}

/// Adds reductions of columns to a unit that reduces the rows, of which each
/// group is consecutive, or passes in tiles of so many rows, or to others of
/// equal extents that share a read.
bool FusionFormer::tryColumns(unsigned node, unsigned unitIndex,
                              ArrayRef<Leaf> leaves) {
  const FusionUnit &unit = result.units[unitIndex];
  const FusionNode &it = nodes[node];
  if (it.columns == 0)
    return false;
  int64_t reductions = 1;
  for (unsigned root : unit.roots) {
    const FusionNode &other = nodes[root];
    if (other.kind != NodeKind::ColumnReduce)
      continue;
    if (other.elements != it.elements || other.reduced != it.reduced ||
        other.columns != it.columns)
      return false;
    ++reductions;
  }
  bool isRow = unit.kind == UnitKind::Row;
  if (isRow && (it.elements * it.reduced != unit.elements ||
                it.columns != unit.columns ||
                !hasRoomForColumns(it.columns, reductions) ||
                !canReduceColumns(machine, it.elements / it.columns, it.reduced,
                                  it.columns)))
    return false;
  bool isOther = unit.kind == UnitKind::Column && !readsOwn(leaves, unitIndex);
  bool isTile = it.tileRows && canReduceTiles(unit, it);
  if ((!isRow && !isOther && !isTile) || !areReady(node, leaves, unitIndex))
    return false;
  for (Leaf leaf : leaves)
    if (result.unitOf[leaf.node] == int(unitIndex) &&
        !isInStep(leaf, unitIndex, Extent::Full))
      return false;
  if (isTile) {
    result.units[unitIndex].kind = UnitKind::Transpose;
    result.units[unitIndex].columns = it.columns;
  }
  add(node, unitIndex, isOther ? Extent::Full : Extent::ColumnValue, leaves);
  return true;
}

/// Whether a unit of column reductions can reduce the rows that `node` does.
bool FusionFormer::canReduceRows(unsigned node, unsigned unitIndex,
                                 ArrayRef<Leaf> leaves) const {
  const FusionUnit &unit = result.units[unitIndex];
  const FusionNode &it = nodes[node];
  return hasRoomForColumns(it.reduced, int64_t(unit.roots.size())) &&
         !readsOwn(leaves, unitIndex) &&
         llvm::all_of(unit.roots, [&](unsigned root) {
           const FusionNode &own = nodes[root];
           return own.kind == NodeKind::ColumnReduce &&
                  own.columns == it.reduced &&
                  own.elements * own.reduced == it.elements * it.reduced &&
                  canReduceColumns(machine, own.elements / own.columns,
                                   own.reduced, own.columns);
         });
}

/// Whether a unit may write one more tensor and read `leaves`.
bool FusionFormer::hasRoom(unsigned unit, ArrayRef<Leaf> leaves) const {
  unsigned more = llvm::count_if(leaves, [&](Leaf leaf) {
    return result.unitOf[leaf.node] != int(unit) &&
           !reads[unit].contains(leaf.data);
  });
  return result.units[unit].roots.size() < kMaxRoots &&
         reads[unit].size() + more <= kMaxOperands;
}

/// Whether an evaluation, which computes units whole, computes nothing more for
/// it: where a part of the optimizer, such as a guard, is in one unit with what
/// an evaluation needs, the unit reads nothing that an evaluation does not
/// have.
bool FusionFormer::keepsEvaluation(unsigned node, unsigned unit,
                                   ArrayRef<Leaf> leaves) const {
  auto isOther = [&](unsigned root) {
    return nodes[root].updates && !nodes[root].evaluated;
  };
  auto isThere = [&](unsigned read) {
    const int from = result.unitOf[read];
    return from < 0 || from == int(unit) || nodes[read].evaluated;
  };
  const auto &roots = result.units[unit].roots;
  if (nodes[node].evaluated)
    return llvm::none_of(roots, isOther) ||
           llvm::all_of(reads[unit],
                        [&](auto read) { return isThere(read.second); });
  return !isOther(node) || llvm::none_of(roots, [&](unsigned root) {
    return nodes[root].evaluated;
  }) || llvm::all_of(leaves, [&](Leaf leaf) { return isThere(leaf.node); });
}

/// Adds `node` to `unit` if every leaf of that unit is read in step with the
/// unit's iteration and all other leaves are ready before it starts.
bool FusionFormer::tryJoin(unsigned node, unsigned unitIndex,
                           ArrayRef<Leaf> leaves) {
  FusionUnit &unit = result.units[unitIndex];
  const FusionNode &it = nodes[node];
  if (unit.kind == UnitKind::Barrier || comesTooEarly(unit, it) ||
      !hasRoom(unitIndex, leaves) || !keepsEvaluation(node, unitIndex, leaves))
    return false;
  if (it.kind == NodeKind::ColumnReduce)
    return tryColumns(node, unitIndex, leaves);
  bool reduces = it.kind == NodeKind::RowReduce;
  bool turns = reduces && unit.kind == UnitKind::Column;
  if ((reduces && unit.kind == UnitKind::Transpose) ||
      (turns && !canReduceRows(node, unitIndex, leaves)))
    return false;
  if (it.kind == NodeKind::TileReduce || unit.kind == UnitKind::Transpose)
    return tryTiles(node, unitIndex, leaves);

  // Elements of the iteration space that the node's expression walks.
  int64_t walked = it.elements * it.reduced;
  int64_t columns = unit.columns;
  if (joinsParts(node, unitIndex, leaves)) {
    if (!areReady(node, leaves, unitIndex))
      return false;
    add(node, unitIndex, Extent::Parts, leaves);
    return true;
  }
  if (reduces) {
    if (!turns && walked != unit.elements)
      return false;
    if (columns != 0 && columns != it.reduced)
      return false;
    columns = it.reduced;
  }
  bool rowValue = !reduces && unit.kind == UnitKind::Row && columns > 1 &&
                  it.elements * columns == unit.elements;
  if (!reduces && !rowValue && walked != unit.elements)
    return false;
  Extent self = rowValue ? Extent::RowValue : Extent::Full;

  if (!areReady(node, leaves, unitIndex))
    return false;
  for (Leaf leaf : leaves) {
    if (result.unitOf[leaf.node] != int(unitIndex))
      continue;
    bool readsAgain = leaf.access == Access::Row && columns > kMaxHeldRow;
    if (!isInStep(leaf, unitIndex, self) ||
        (readsAgain && roots.isTurned(node)))
      return false;
  }
  if (turns)
    for (unsigned root : unit.roots)
      extent[root] = Extent::ColumnValue;
  if (reduces) {
    unit.kind = UnitKind::Row;
    unit.elements = walked;
    unit.columns = columns;
  }
  add(node, unitIndex, reduces ? Extent::RowValue : self, leaves);
  return true;
}

bool prec::canReduceColumns(const ScheduleModel &machine, int64_t groups,
                            int64_t rows, int64_t columns) {
  if (columns <= 1 || rows % kRowsAtOnce != 0)
    return false;
  // A block reduces a group.
  if (columns <= kMaxHeldColumns)
    return groups >= machine.fewestBlocks;
  // Or several do, two on each multiprocessor.
  int64_t blocks = std::min<int64_t>(
      kLongBlocks,
      llvm::PowerOf2Ceil(llvm::divideCeil(columns * kLongBytes, kLongShare)));
  return columns <= kMaxLongColumns && columns % kLongLanes == 0 &&
         groups * blocks >= 2 * machine.fewestBlocks;
}
