//===- Fusion.cpp - which primitives share a kernel -----------------------===//
#include "prec/Schedule/Fusion.h"

#include "llvm/ADT/MapVector.h"

#include <algorithm>
#include <map>

using namespace mlir::prec;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// An expression of more operations than this is stored, not recomputed.
constexpr unsigned kMaxRecomputed = 32;
/// A kernel writes at most this many tensors.
constexpr unsigned kMaxRoots = 16;
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
/// A unit does not wait to share a read of so few elements.
constexpr int64_t kFewElements = 1 << 20;

/// A unit of so few elements takes as long as its launch: those of equally many
/// elements share one, whatever they read.
constexpr int64_t kLaunchBound = 1 << 16;

/// What a root is to the iteration space of its unit: of it, one element for
/// each row or tile of it, or several of it side by side.
enum class Extent { Full, RowValue, TileValue, Parts };

/// A stored value that a root reads, and how. Of one that is read in pieces
/// `data` is the piece, and `step` how that is read.
struct Leaf {
  unsigned node;
  Access access;
  unsigned data;
  Access step;
};

Access compose(Access outer, Access inner) {
  if (outer == Access::Same)
    return inner;
  if (inner == Access::Same)
    return outer;
  return Access::Other;
}

/// What is recomputed would be kept again if the first phase computed it.
bool comesTooEarly(const FusionUnit &unit, const FusionNode &node) {
  return node.recomputed && unit.phase == 0;
}

class Former {
public:
  explicit Former(ArrayRef<FusionNode> nodes)
      : nodes(nodes), root(nodes.size()), cost(nodes.size()),
        isTurned(nodes.size()), uses(nodes.size()), extent(nodes.size()),
        readers(nodes.size()) {
    result.unitOf.assign(nodes.size(), -1);
    for (const FusionNode &node : nodes)
      for (FusionEdge edge : node.operands)
        ++uses[edge.node];
  }

  FusionResult run() {
    findTurned();
    findRoots();
    recomputeInLaterPhases();
    for (unsigned node = 0; node < nodes.size(); ++node)
      if (root[node])
        place(node);
    return std::move(result);
  }

private:
  bool isSolitary(unsigned node) const {
    NodeKind kind = nodes[node].kind;
    return kind == NodeKind::Barrier || kind == NodeKind::Transpose;
  }

  void findTurned();
  void findRoots();
  void joinInTiles(unsigned node);
  void recomputeInLaterPhases();
  bool isInMemory(unsigned node) const {
    return root[node] || nodes[node].kind == NodeKind::Source;
  }
  unsigned behindReshapes(unsigned node) const;
  /// What a layout change shows, through others of one operand.
  FusionEdge getShown(unsigned node) const {
    FusionEdge shown{node, Access::Same};
    while (!isInMemory(shown.node) &&
           nodes[shown.node].kind == NodeKind::Layout &&
           nodes[shown.node].operands.size() == 1) {
      FusionEdge next = nodes[shown.node].operands.front();
      shown = {next.node, compose(shown.access, next.access)};
    }
    return shown;
  }
  SmallVector<Leaf> leavesOf(unsigned node) const;
  void place(unsigned node);
  bool tryTranspose(unsigned node, ArrayRef<Leaf> leaves);
  bool canTurn(unsigned node, unsigned unit, unsigned source) const;
  bool computesOnly(const FusionUnit &unit, unsigned node) const;
  /// Leaves that fill tiles of a unit of so many elements: scales do not.
  unsigned countTiled(ArrayRef<Leaf> leaves, int64_t elements) const {
    return llvm::count_if(leaves, [&](Leaf leaf) {
      return nodes[leaf.node].elements >= elements / kLeastShare;
    });
  }
  bool joinsParts(unsigned node, unsigned unit, ArrayRef<Leaf> leaves) const;
  bool hasJoined(const FusionUnit &unit) const {
    return llvm::any_of(unit.roots, [&](unsigned root) {
      return extent[root] == Extent::Parts;
    });
  }
  bool tryTiles(unsigned node, unsigned unit, ArrayRef<Leaf> leaves);
  bool isTiled(const FusionUnit &unit) const {
    return llvm::any_of(unit.roots, [&](unsigned root) {
      return nodes[root].kind == NodeKind::TileReduce;
    });
  }
  /// Leaves that are not the unit's own are ready before it starts, or it may
  /// start later: nobody waits for it.
  bool areReady(unsigned node, ArrayRef<Leaf> leaves, unsigned unit) const {
    if (!isRead[unit] && result.units[unit].phase == nodes[node].phase)
      return true;
    return llvm::all_of(leaves, [&](Leaf leaf) {
      return result.unitOf[leaf.node] == int(unit) ||
             depthOf(leaf.node) < result.units[unit].depth;
    });
  }
  bool tryJoin(unsigned node, unsigned unit, ArrayRef<Leaf> leaves);
  bool trySmall(unsigned node, unsigned depth, ArrayRef<Leaf> leaves);
  void add(unsigned node, unsigned unit, Extent as, ArrayRef<Leaf> leaves);
  void open(unsigned node, ArrayRef<Leaf> leaves);
  unsigned depthOf(unsigned node) const {
    int unit = result.unitOf[node];
    return unit < 0 ? 0 : result.units[unit].depth;
  }

  ArrayRef<FusionNode> nodes;
  std::vector<bool> root;
  std::vector<unsigned> cost; ///< operations of an expression
  /// What kernels in tiles read, element by element.
  std::vector<bool> isTurned;
  std::vector<unsigned> uses; ///< operands that a node is
  std::vector<Extent> extent;
  /// Units that read a node, or the part of a matrix that it is, by the same
  /// linear index, newest last.
  std::vector<SmallVector<unsigned, 2>> readers;
  std::vector<bool> isRead; ///< units of which another reads a result
  std::map<int64_t, unsigned> newestSmall; ///< unit, by its elements
  FusionResult result;
};

} // namespace

void Former::findTurned() {
  for (unsigned node = nodes.size(); node-- > 0;) {
    const FusionNode &it = nodes[node];
    bool isTile = it.kind == NodeKind::TileReduce ||
                  (it.kind == NodeKind::Transpose && it.narrow);
    bool passes =
        it.kind == NodeKind::Elementwise || it.kind == NodeKind::Layout;
    if (isTile || (passes && isTurned[node]))
      for (FusionEdge edge : it.operands)
        if (edge.access == Access::Same || isTile)
          isTurned[edge.node] = true;
  }
}

/// What tiles are put together of is computed in them, rather than rounded into
/// memory before, if nothing else reads it.
void Former::joinInTiles(unsigned node) {
  const FusionNode &it = nodes[node];
  if (!it.joinsColumns || it.narrow || !isTurned[node])
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

void Former::findRoots() {
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
unsigned Former::behindReshapes(unsigned node) const {
  while (nodes[node].kind == NodeKind::Layout && !root[node] &&
         nodes[node].operands.size() == 1 &&
         nodes[node].operands.front().access == Access::Same)
    node = nodes[node].operands.front().node;
  return node;
}

/// Everything stored that the expression of `node` reaches, each once per
/// access, in order of discovery.
SmallVector<Leaf> Former::leavesOf(unsigned node) const {
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

/// A rounded value that would be kept for a later phase is computed again by
/// its readers, with its rounding, from a single value that is kept anyway:
/// that saves its memory and the time to write it, and one read replaces
/// another.
void Former::recomputeInLaterPhases() {
  std::vector<SmallVector<Leaf, 4>> users(nodes.size());
  for (unsigned node = 0; node < nodes.size(); ++node)
    if (root[node])
      for (Leaf leaf : leavesOf(node))
        users[leaf.node].push_back({node, leaf.access, leaf.data, leaf.step});
  auto isKept = [&](unsigned node, unsigned phase) {
    return llvm::any_of(users[node], [&](Leaf user) {
      return nodes[user.node].phase != phase;
    });
  };
  for (unsigned node = 0; node < nodes.size(); ++node) {
    const FusionNode &it = nodes[node];
    if (!root[node] || !it.rounding || it.stored || !isKept(node, it.phase))
      continue;
    SmallVector<Leaf> leaves = leavesOf(node);
    auto isSingle = [&](Leaf leaf) { return leaf.node == leaves[0].node; };
    bool isFree = !leaves.empty() && llvm::all_of(leaves, isSingle) &&
                  (isKept(leaves[0].node, it.phase) ||
                   nodes[leaves[0].node].kind == NodeKind::Source);
    bool isCheap = llvm::all_of(users[node], [&](Leaf user) {
      return user.access == Access::Same &&
             nodes[user.node].elements * nodes[user.node].reduced ==
                 it.elements &&
             cost[user.node] + cost[node] <= kMaxRecomputed;
    });
    if (!isFree || !isCheap)
      continue;
    root[node] = false;
    for (Leaf user : users[node])
      cost[user.node] += cost[node];
  }
}

/// Whether all that `unit`, which goes element by element, computes are `node`
/// and what that is rounded from, from few tensors.
bool Former::computesOnly(const FusionUnit &unit, unsigned node) const {
  SmallVector<Leaf> leaves = leavesOf(node), outside;
  for (unsigned root : unit.roots) {
    if (root != node &&
        llvm::none_of(leaves, [&](Leaf leaf) { return leaf.node == root; }))
      return false;
    llvm::copy_if(leavesOf(root), std::back_inserter(outside), [&](Leaf leaf) {
      return !llvm::is_contained(unit.roots, leaf.node);
    });
  }
  return countTiled(outside, unit.elements) <= kMaxTransposeLeaves;
}

/// Whether the unit that computes `source` has room for the transposition of it
/// that `node` is.
bool Former::canTurn(unsigned node, unsigned unitIndex, unsigned source) const {
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
         nodes[node].columns == parts * unit.columns;
}

/// Makes the unit that computes the transposed value, if that is all it does or
/// it has tiles, write both layouts from one read.
bool Former::tryTranspose(unsigned node, ArrayRef<Leaf> leaves) {
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

/// Whether `node` puts side by side what a unit that goes element by element
/// walks: its own values, or others.
bool Former::joinsParts(unsigned node, unsigned unitIndex,
                        ArrayRef<Leaf> leaves) const {
  const FusionUnit &unit = result.units[unitIndex];
  const FusionNode &it = nodes[node];
  if (it.kind != NodeKind::Layout || unit.kind != UnitKind::Elementwise ||
      it.elements == unit.elements || it.elements % unit.elements != 0)
    return false;
  return llvm::all_of(leaves, [&](Leaf leaf) {
    bool isOwn = result.unitOf[leaf.node] == int(unitIndex);
    return leaf.access == Access::Part &&
           (!isOwn || extent[leaf.node] == Extent::Full);
  });
}

/// Adds `node` to a unit that passes over its elements in tiles, or that can do
/// so if `node` reduces tiles.
bool Former::tryTiles(unsigned node, unsigned unitIndex,
                      ArrayRef<Leaf> leaves) {
  FusionUnit &unit = result.units[unitIndex];
  const FusionNode &it = nodes[node];
  bool reduces = it.kind == NodeKind::TileReduce;
  bool canReduce = (unit.kind == UnitKind::Elementwise && !hasJoined(unit)) ||
                   (isTiled(unit) && unit.columns == it.columns);
  if (reduces ? !canReduce : !isTiled(unit))
    return false;
  int64_t walked = it.elements * it.reduced;
  bool isParts = !reduces && it.kind == NodeKind::Layout &&
                 walked > unit.elements && walked % unit.elements == 0;
  if (walked != unit.elements && !isParts)
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
  if (reduces) {
    unit.kind = UnitKind::Transpose;
    unit.columns = it.columns;
  }
  add(node, unitIndex,
      reduces   ? Extent::TileValue
      : isParts ? Extent::Parts
                : Extent::Full,
      leaves);
  return true;
}

/// Adds `node` to `unit` if every leaf of that unit is read in step with the
/// unit's iteration and all other leaves are ready before it starts.
bool Former::tryJoin(unsigned node, unsigned unitIndex, ArrayRef<Leaf> leaves) {
  FusionUnit &unit = result.units[unitIndex];
  const FusionNode &it = nodes[node];
  if (unit.kind == UnitKind::Barrier || unit.roots.size() >= kMaxRoots ||
      comesTooEarly(unit, it))
    return false;
  bool reduces = it.kind == NodeKind::RowReduce;
  if (reduces && (unit.kind == UnitKind::Column ||
                  unit.kind == UnitKind::Transpose || hasJoined(unit)))
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
    if (walked != unit.elements || (columns != 0 && columns != it.reduced))
      return false;
    columns = it.reduced;
  }
  bool rowValue = !reduces && unit.kind == UnitKind::Row && columns > 1 &&
                  it.elements * columns == unit.elements;
  if (!rowValue && walked != unit.elements)
    return false;
  Extent self = rowValue ? Extent::RowValue : Extent::Full;

  if (!areReady(node, leaves, unitIndex))
    return false;
  for (Leaf leaf : leaves) {
    if (result.unitOf[leaf.node] != int(unitIndex))
      continue;
    Extent of = extent[leaf.node];
    bool inStep = (leaf.access == Access::Same && of == self) ||
                  (leaf.access == Access::Row && of == Extent::RowValue &&
                   self == Extent::Full &&
                   nodes[leaf.node].elements * columns == unit.elements);
    bool readsAgain = leaf.access == Access::Row && columns > kMaxHeldRow;
    if (!inStep || (readsAgain && isTurned[node]))
      return false;
  }
  if (reduces) {
    unit.kind = UnitKind::Row;
    unit.columns = columns;
  }
  add(node, unitIndex, reduces ? Extent::RowValue : self, leaves);
  return true;
}

void Former::add(unsigned node, unsigned unit, Extent as,
                 ArrayRef<Leaf> leaves) {
  result.units[unit].roots.push_back(node);
  result.unitOf[node] = unit;
  extent[node] = as;
  unsigned &depth = result.units[unit].depth;
  for (Leaf leaf : leaves)
    if (int from = result.unitOf[leaf.node]; from >= 0 && from != int(unit)) {
      isRead[from] = true;
      depth = std::max(depth, depthOf(leaf.node) + 1);
    }
  if (as != Extent::Full && nodes[node].kind != NodeKind::RowReduce &&
      nodes[node].kind != NodeKind::TileReduce)
    return;
  for (Leaf leaf : leaves)
    if (leaf.step == Access::Same && nodes[leaf.data].elements > 1 &&
        (readers[leaf.data].empty() || readers[leaf.data].back() != unit))
      readers[leaf.data].push_back(unit);
}

void Former::open(unsigned node, ArrayRef<Leaf> leaves) {
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
  if (unit.elements <= kLaunchBound && unit.kind != UnitKind::Barrier)
    newestSmall[unit.elements] = result.units.size();
  result.units.push_back(std::move(unit));
  isRead.push_back(false);
  add(node, result.units.size() - 1, as, leaves);
}

/// Adds `node` to a launch-bound unit that neither waits for more than it nor
/// will: nothing is delayed by what it does not need. An update waits for the
/// norm of all gradients anyway.
bool Former::trySmall(unsigned node, unsigned depth, ArrayRef<Leaf> leaves) {
  auto small = newestSmall.find(nodes[node].elements * nodes[node].reduced);
  // What is read in tiles goes with its reader.
  if (small == newestSmall.end() || isTurned[node])
    return false;
  bool mayWait = nodes[node].updates;
  unsigned unit = small->second;
  if ((!mayWait && result.units[unit].depth != depth) ||
      !tryJoin(node, unit, leaves))
    return false;
  if (!mayWait)
    isRead[unit] = true;
  return true;
}

void Former::place(unsigned node) {
  SmallVector<Leaf> leaves = leavesOf(node);
  if (nodes[node].kind == NodeKind::Transpose && tryTranspose(node, leaves))
    return;
  if (isSolitary(node) || nodes[node].kind == NodeKind::ColumnReduce)
    return open(node, leaves);

  // The deepest producer first, so that a chain stays in one kernel.
  SmallVector<unsigned> candidates;
  for (Leaf leaf : leaves)
    if (int unit = result.unitOf[leaf.node]; unit >= 0)
      candidates.push_back(unit);
  llvm::stable_sort(candidates, [&](unsigned a, unsigned b) {
    return result.units[a].depth > result.units[b].depth;
  });
  // Then whoever reads the same data, newest first.
  unsigned depth = 1;
  for (Leaf leaf : leaves)
    depth = std::max(depth, depthOf(leaf.node) + 1);
  for (Leaf leaf : leaves) {
    if (leaf.step != Access::Same || readers[leaf.data].empty())
      continue;
    unsigned unit = readers[leaf.data].back();
    if (result.units[unit].depth <= depth ||
        nodes[leaf.data].elements >= kFewElements)
      candidates.push_back(unit);
  }
  for (unsigned unit : candidates)
    if (tryJoin(node, unit, leaves))
      return;
  if (!trySmall(node, depth, leaves))
    open(node, leaves);
}

FusionResult mlir::prec::formUnits(ArrayRef<FusionNode> nodes) {
  return Former(nodes).run();
}
