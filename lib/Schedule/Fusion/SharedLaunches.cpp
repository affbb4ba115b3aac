//===- SharedLaunches.cpp - small units that share a launch ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges small units into one launch, because kernels of a few elements take as
// long as their launch. Each unit gets a level that is greater than the levels
// of all units that it reads, so units of one level do not depend on each other
// and may run together. First equal units of a level are grouped (the same
// operations on other operands: one kernel body, repeated), as many as operands
// and results allow. Then what is left is grouped by iteration space. Units of
// the optimizer, and sums of little that nothing else reads, wait until the
// first of equal ones is needed, so that as many as possible meet; others keep
// their earliest level. What an evaluation needs shares no launch with what it
// does not compute. Last, groups become units and their depths are computed
// anew. Example: 100 equal updates with one result each take 7 launches, since
// a launch has at most 16 results. Time is that of sorting the descriptions of
// all units.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Fusion/SharedLaunches.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

using namespace prec;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// What a unit computes, whatever it reads: equal units are equal kernels.
using UnitStructure = std::vector<int64_t>;
/// Units that share a launch.
using Group = SmallVector<unsigned, 1>;

/// Elements that may be kept for as long as it takes: rounded biases, say.
constexpr int64_t kNumbers = 1 << 14;

class Sharing {
public:
  Sharing(ArrayRef<FusionNode> nodes, const FusionRoots &roots,
          FusionResult result, ArrayRef<UnitReads> reads,
          int64_t launchElements, bool sumsWait)
      : nodes(nodes), roots(roots), result(std::move(result)), reads(reads),
        launchElements(launchElements), sumsWait(sumsWait) {}

  FusionResult run();

private:
  using ColumnExtents = std::tuple<int64_t, int64_t, int64_t>;
  ColumnExtents extentsOf(const FusionUnit &unit) const;
  bool canShare(const FusionUnit &unit) const;
  /// The mean of a loss over ranks is as early as it can be.
  bool isUpdate(const FusionUnit &unit) const {
    return !isEvaluated(unit) && llvm::all_of(unit.roots, [&](unsigned root) {
      return nodes[root].updates;
    });
  }
  /// Not in the first phase, for which it would be kept.
  bool isRecomputed(const FusionUnit &unit) const {
    return llvm::any_of(unit.roots,
                        [&](unsigned root) { return nodes[root].recomputed; });
  }
  bool isEvaluated(const FusionUnit &unit) const {
    return llvm::any_of(unit.roots,
                        [&](unsigned root) { return nodes[root].evaluated; });
  }
  /// Whether it is computed again to be kept for a shorter time. FP8 copies for
  /// gradients of weights, and scales of these, are so in any step.
  bool isActivation(unsigned node) const {
    const FusionNode &it = nodes[node];
    bool isOfScales = it.bits >= 32 && it.elements <= kNumbers;
    return it.recomputed && !it.narrow && !isOfScales;
  }
  void findReaders();
  void findWaiting();
  void findLevels();
  void findForeign();
  UnitStructure describe(unsigned unit) const;
  bool hasRoom(const Group &group, const Group &more) const;
  bool tryJoin(Group &group, const Group &more);
  void findGroups();
  void merge();

  ArrayRef<FusionNode> nodes;
  const FusionRoots &roots;
  FusionResult result;
  ArrayRef<UnitReads> reads;
  int64_t launchElements;
  bool sumsWait; ///< but where the backward computes activations again
  std::vector<UnitStructure> structures; ///< empty for what shares no launch
  std::vector<unsigned> byDepth;         ///< units, each behind those it reads
  /// Of each unit a number that is greater than those of all units it reads:
  /// units of one level depend on none of each other.
  std::vector<unsigned> levels;
  /// Of each unit, where more is kept than numbers, the depth of the first that
  /// reads it: what is read later would be kept from the others' place on.
  std::vector<unsigned> firstReaders;
  /// Of each unit whether an evaluation may not compute it, with another one
  /// of its launch that it needs.
  std::vector<bool> isForeign;
  std::vector<bool> waits; ///< units that run when the first of equals must
  std::vector<Group> groups;
};

constexpr unsigned kNever = std::numeric_limits<unsigned>::max();

/// An update moves some 28 bytes an element, and even one that takes as long as
/// so many launches loses a tenth of its time to its own first and last blocks:
/// updates of 2.5 million elements take 27.6 us on an H100, where memory would
/// move their bytes in 23.2. Where they share launches, a step of a Llama of
/// 0.36B parameters at 1x512 takes 10.34 ms instead of 10.98, and GPT-2 at
/// 1x1024 4.73 instead of 4.88.
constexpr int64_t kLaunchesAnUpdate = 64;
/// Sums of the columns of groups, as of both gradients of a norm over channels:
/// they wait for the last of their few rows, and not for memory.
constexpr int64_t kLaunchesOfSums = 16;
/// Of one operand of a sum that waits: a norm of 1024 columns leaves 128 sums
/// of each, where its layer leaves a hundred times as many gradients.
constexpr int64_t kLaunchesKept = 2;

} // namespace

/// The extents of the columns that a unit sums: those of all its sums.
Sharing::ColumnExtents Sharing::extentsOf(const FusionUnit &unit) const {
  for (unsigned root : unit.roots)
    if (const FusionNode &it = nodes[root]; it.kind == NodeKind::ColumnReduce)
      return {it.elements, it.reduced, it.columns};
  return {};
}

bool Sharing::canShare(const FusionUnit &unit) const {
  if (unit.kind == UnitKind::Column) {
    auto [elements, reduced, columns] = extentsOf(unit);
    return columns && elements * reduced <= launchElements * kLaunchesOfSums;
  }
  int64_t most = launchElements * (isUpdate(unit) ? kLaunchesAnUpdate : 1);
  if (unit.elements > most ||
      (unit.kind != UnitKind::Elementwise && unit.kind != UnitKind::Row))
    return false;
  // What is read in tiles goes with its reader.
  return llvm::none_of(unit.roots, [&](unsigned root) {
    return nodes[root].kind == NodeKind::ColumnReduce || roots.isTurned(root);
  });
}

void Sharing::findReaders() {
  firstReaders.assign(result.units.size(), kNever);
  for (auto [index, unit] : llvm::enumerate(result.units))
    for (auto [data, node] : reads[index])
      if (int from = result.unitOf[node];
          from >= 0 && result.units[from].elements > kNumbers)
        firstReaders[from] = std::min(firstReaders[from], unit.depth);
}

/// Updates wait, as all of them need the norm of all gradients. So does what
/// only they read, if it is made of so little that keeping that for longer is
/// nothing beside the gradients that are kept anyway: the second part of a
/// norm's or bias's gradient, which adds up the sums of a few groups of rows.
/// Exchanges between ranks should begin early, so nothing that they read waits.
/// Nor does it where the backward computes activations again: memory is what
/// such a step is short of, and at its end these sums are a part of it.
void Sharing::findWaiting() {
  byDepth.resize(result.units.size());
  std::iota(byDepth.begin(), byDepth.end(), 0u);
  llvm::stable_sort(byDepth, [&](unsigned a, unsigned b) {
    return result.units[a].depth < result.units[b].depth;
  });
  waits.assign(result.units.size(), false);
  sumsWait &= llvm::none_of(reads, [&](const UnitReads &ofUnit) {
    return llvm::any_of(
        ofUnit, [&](const auto &read) { return isActivation(read.second); });
  });
  std::vector<bool> isFree(result.units.size(), true);
  for (unsigned unit : llvm::reverse(byDepth)) {
    const FusionUnit &it = result.units[unit];
    bool readsLittle = sumsWait && it.kind == UnitKind::Column && canShare(it);
    for (auto [data, node] : reads[unit])
      readsLittle &= result.unitOf[node] < 0 ||
                     nodes[node].elements <= launchElements * kLaunchesKept;
    waits[unit] = isUpdate(it) || (readsLittle && isFree[unit]);
    if (waits[unit] && !isUpdate(it))
      firstReaders[unit] = kNever; // All wait to the same end.
    bool letsWait = isUpdate(it) && it.kind != UnitKind::Barrier;
    for (auto [data, node] : reads[unit])
      if (int from = result.unitOf[node]; from >= 0 && !letsWait)
        isFree[from] = false;
  }
}

/// As early as can be, but what waits when the first of equal ones is needed.
void Sharing::findLevels() {
  unsigned last = 0;
  for (auto [index, unit] : llvm::enumerate(result.units)) {
    last = std::max(last, unit.depth);
    structures.push_back(canShare(unit) ? describe(index) : UnitStructure());
  }
  std::vector<unsigned> latest(result.units.size(), last);
  std::map<UnitStructure, unsigned> needed;
  for (unsigned unit : llvm::reverse(byDepth)) {
    if (!waits[unit])
      latest[unit] = result.units[unit].depth;
    else if (!structures[unit].empty()) {
      unsigned &first =
          needed.try_emplace(structures[unit], last).first->second;
      first = std::min(first, latest[unit]);
    }
    for (auto [data, node] : reads[unit])
      if (int from = result.unitOf[node]; from >= 0)
        latest[from] = std::min(latest[from], latest[unit] - 1);
  }
  levels.resize(result.units.size());
  for (unsigned unit : byDepth) {
    unsigned level = result.units[unit].depth;
    if (auto first = needed.find(structures[unit]);
        waits[unit] && first != needed.end())
      level = std::max(level, first->second);
    for (auto [data, node] : reads[unit])
      if (int from = result.unitOf[node]; from >= 0)
        level = std::max(level, levels[from] + 1);
    levels[unit] = level;
  }
}

/// What updates, and what reads more than an evaluation computes: it would
/// compute the backward for a launch that it needs a part of.
void Sharing::findForeign() {
  isForeign.assign(result.units.size(), false);
  // Of an entry point that is never evaluated there is nothing to keep apart.
  if (llvm::none_of(nodes, [](const FusionNode &it) { return it.evaluated; }))
    return;
  for (unsigned unit : byDepth) {
    const FusionUnit &it = result.units[unit];
    if (isEvaluated(it))
      continue;
    bool isOther = isUpdate(it);
    for (auto [data, node] : reads[unit])
      if (int from = result.unitOf[node]; from >= 0)
        isOther |= isForeign[from] || !isEvaluated(result.units[from]);
    isForeign[unit] = isOther;
  }
}

UnitStructure Sharing::describe(unsigned unit) const {
  const FusionUnit &it = result.units[unit];
  std::map<unsigned, int64_t> numbers; ///< of members, to be given in order
  SmallVector<unsigned> work(it.roots.begin(), it.roots.end());
  while (!work.empty()) {
    unsigned node = work.pop_back_val();
    if (!numbers.emplace(node, 0).second)
      continue;
    for (FusionEdge edge : nodes[node].operands)
      if (!reads[unit].contains(edge.node))
        work.push_back(edge.node);
  }
  UnitStructure text = {int64_t(it.kind), it.elements, it.columns};
  int64_t next = 0;
  std::map<unsigned, int64_t> inputs;
  for (auto &[node, number] : numbers) {
    const FusionNode &member = nodes[node];
    number = next++;
    text.insert(text.end(), {int64_t(member.kind), member.operation,
                             member.type, member.elements, member.reduced,
                             llvm::is_contained(it.roots, node)});
    for (FusionEdge edge : member.operands) {
      if (auto own = numbers.find(edge.node); own != numbers.end()) {
        text.insert(text.end(), {own->second, int64_t(edge.access)});
        continue;
      }
      const FusionNode &input = nodes[edge.node];
      int64_t read = inputs.try_emplace(edge.node, inputs.size()).first->second;
      text.insert(text.end(), {-1 - read, int64_t(edge.access), input.type,
                               input.piece ? input.operation : 0});
    }
  }
  return text;
}

/// As many equal units as one launch has room for, and then what is left of
/// them beside what is left of others: one kernel, however many there are.
void Sharing::findGroups() {
  using Key = std::tuple<unsigned, unsigned, bool, bool, UnitStructure>;
  std::map<Key, unsigned> newest;
  for (auto [index, unit] : llvm::enumerate(result.units)) {
    if (canShare(unit)) {
      auto [it, isFirst] = newest.try_emplace(
          {levels[index], firstReaders[index], isRecomputed(unit),
           isForeign[index], structures[index]},
          groups.size());
      if (!isFirst && tryJoin(groups[it->second], {unsigned(index)}))
        continue;
      it->second = groups.size();
    }
    groups.push_back({unsigned(index)});
  }
  using Space = std::tuple<unsigned, unsigned, bool, bool, UnitKind, int64_t,
                           int64_t, ColumnExtents>;
  std::map<Space, unsigned> open;
  for (auto [index, group] : llvm::enumerate(groups)) {
    const FusionUnit &unit = result.units[group.front()];
    bool isFull = group.size() > 1 && !hasRoom(group, {group.front()});
    if (!canShare(unit) || isFull)
      continue;
    auto [it, isFirst] = open.try_emplace(
        {levels[group.front()], firstReaders[group.front()], isRecomputed(unit),
         isForeign[group.front()], unit.kind, unit.elements, unit.columns,
         extentsOf(unit)},
        index);
    if (isFirst)
      continue;
    if (tryJoin(groups[it->second], group))
      group.clear();
    else
      it->second = index;
  }
  llvm::erase_if(groups, [](const Group &group) { return group.empty(); });
}

bool Sharing::hasRoom(const Group &group, const Group &more) const {
  size_t written = 0, read = 0;
  for (const Group &part : {group, more})
    for (unsigned unit : part) {
      written += result.units[unit].roots.size();
      read += reads[unit].size();
    }
  return written <= kMaxRoots && read <= kMaxOperands;
}

bool Sharing::tryJoin(Group &group, const Group &more) {
  if (!hasRoom(group, more))
    return false;
  llvm::append_range(group, more);
  return true;
}

void Sharing::merge() {
  std::vector<unsigned> groupOf(result.units.size());
  std::vector<FusionUnit> merged;
  for (auto [index, group] : llvm::enumerate(groups)) {
    FusionUnit whole = result.units[group.front()];
    whole.roots.clear();
    whole.parts.clear();
    for (unsigned unit : group) {
      groupOf[unit] = index;
      whole.parts.push_back(whole.roots.size());
      llvm::append_range(whole.roots, result.units[unit].roots);
    }
    whole.depth = 1;
    merged.push_back(std::move(whole));
  }
  std::vector<unsigned> byLevel = byDepth;
  llvm::stable_sort(
      byLevel, [&](unsigned a, unsigned b) { return levels[a] < levels[b]; });
  for (unsigned unit : byLevel)
    for (auto [data, node] : reads[unit])
      if (int from = result.unitOf[node]; from >= 0) {
        unsigned &depth = merged[groupOf[unit]].depth;
        depth = std::max(depth, merged[groupOf[from]].depth + 1);
      }
  for (int &unit : result.unitOf)
    if (unit >= 0)
      unit = groupOf[unit];
  result.units = std::move(merged);
}

FusionResult Sharing::run() {
  findReaders();
  findWaiting();
  findLevels();
  findForeign();
  findGroups();
  merge();
  return std::move(result);
}

FusionResult prec::shareLaunches(ArrayRef<FusionNode> nodes,
                                 const FusionRoots &roots, FusionResult result,
                                 ArrayRef<UnitReads> reads,
                                 int64_t launchElements, bool sumsWait) {
  return Sharing(nodes, roots, std::move(result), reads, launchElements,
                 sumsWait)
      .run();
}
