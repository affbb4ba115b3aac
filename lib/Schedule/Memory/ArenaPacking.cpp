//===- ArenaPacking.cpp - offsets for values by their lifetimes -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives each value an offset in the arena, such that values that live at the
// same time do not overlap and the arena is small. Values are served in the
// order in which their lifetimes begin: those that have ended are given back,
// neighboring holes are merged, and the value takes the smallest hole that
// holds it, or the end of the arena. Finding the best packing is NP-hard, so
// three orders are tried, and the smallest result is taken: forward in time,
// backward in time, and outward from the step where most bytes live. Time is
// O(n log n).
//
//   value   steps   bytes   offset
//   a       0..4    8       0
//   b       1..2    4       8
//   c       3..5    4       8      b has ended; the arena has 12 bytes
//
//===----------------------------------------------------------------------===//
#include "Schedule/Memory/ArenaPacking.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <numeric>
#include <set>

using namespace prec;

namespace {

/// Memory handed out and given back in program order; a request takes the
/// smallest hole that holds it, so that large holes stay whole.
class BestFitArena {
public:
  int64_t allocate(int64_t bytes) {
    auto hole = holesBySize.lower_bound({bytes, 0});
    if (hole == holesBySize.end())
      return grow(bytes);
    auto [size, offset] = *hole;
    removeHole(offset, size);
    if (size > bytes)
      addHole(offset + bytes, size - bytes);
    return offset;
  }

  void release(int64_t offset, int64_t bytes) {
    auto next = holesByOffset.lower_bound(offset);
    if (next != holesByOffset.end() && offset + bytes == next->first) {
      int64_t size = next->second;
      removeHole(offset + bytes, size);
      bytes += size;
    }
    auto previous = holesByOffset.lower_bound(offset);
    if (previous != holesByOffset.begin()) {
      --previous;
      auto [start, size] = *previous;
      if (start + size == offset) {
        removeHole(start, size);
        offset = start;
        bytes += size;
      }
    }
    addHole(offset, bytes);
  }

  int64_t getSize() const { return size; }

private:
  /// Extends the arena, beginning in the hole at its end if there is one.
  int64_t grow(int64_t bytes) {
    int64_t offset = size;
    if (!holesByOffset.empty()) {
      auto [start, length] = *holesByOffset.rbegin();
      if (start + length == size) {
        removeHole(start, length);
        offset = start;
      }
    }
    size = offset + bytes;
    return offset;
  }
  void addHole(int64_t offset, int64_t bytes) {
    holesByOffset[offset] = bytes;
    holesBySize.insert({bytes, offset});
  }
  void removeHole(int64_t offset, int64_t bytes) {
    holesByOffset.erase(offset);
    holesBySize.erase({bytes, offset});
  }

  std::map<int64_t, int64_t> holesByOffset;
  std::set<std::pair<int64_t, int64_t>> holesBySize;
  int64_t size = 0;
};

} // namespace

static int64_t getAlignedBytes(const LiveInterval &interval,
                               int64_t alignment) {
  return llvm::alignTo(std::max<int64_t>(interval.bytes, 1), alignment);
}

/// Serves `order`, in which the intervals begin, and gives back what ended
/// before each.
static int64_t packInOrder(llvm::ArrayRef<LiveInterval> intervals,
                           llvm::ArrayRef<unsigned> order, int64_t alignment,
                           std::vector<int64_t> &offsets) {
  std::vector<unsigned> byLast(order.begin(), order.end());
  llvm::stable_sort(byLast, [&](unsigned a, unsigned b) {
    return intervals[a].last < intervals[b].last;
  });
  BestFitArena arena;
  auto dying = byLast.begin();
  for (unsigned index : order) {
    // This stops in time: `index` itself is among them and has not ended.
    for (; intervals[*dying].last < intervals[index].first; ++dying)
      arena.release(offsets[*dying],
                    getAlignedBytes(intervals[*dying], alignment));
    offsets[index] =
        arena.allocate(getAlignedBytes(intervals[index], alignment));
  }
  return arena.getSize();
}

/// Sorts by where intervals begin, large ones first.
static void sortByFirst(llvm::ArrayRef<LiveInterval> intervals,
                        llvm::MutableArrayRef<unsigned> order) {
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return std::make_pair(intervals[a].first, -intervals[a].bytes) <
           std::make_pair(intervals[b].first, -intervals[b].bytes);
  });
}

/// Piles up what lives at a step of the peak, what dies last at the bottom, and
/// serves the rest from there on in both directions of time: the peak has no
/// holes, and since activations die in the opposite order of their birth, what
/// is given back on either side is at the top.
static ArenaPacking packFromPeak(llvm::ArrayRef<LiveInterval> intervals,
                                 llvm::ArrayRef<LiveInterval> backwards,
                                 int64_t alignment) {
  int64_t steps = 0;
  for (const LiveInterval &interval : intervals)
    steps = std::max(steps, interval.last + 1);
  std::vector<int64_t> live = getLiveBytes(intervals, steps, alignment);
  int64_t peak = llvm::max_element(live) - live.begin();

  std::vector<unsigned> pile, before, after;
  for (unsigned i = 0; i < intervals.size(); ++i)
    (intervals[i].last < peak    ? before
     : intervals[i].first > peak ? after
                                 : pile)
        .push_back(i);
  llvm::stable_sort(pile, [&](unsigned a, unsigned b) {
    return intervals[a].last > intervals[b].last;
  });
  sortByFirst(intervals, after);
  sortByFirst(backwards, before);
  ArenaPacking packing;
  packing.offsets.assign(intervals.size(), 0);
  // Both sides place the pile first, where nothing has ended yet, so it gets
  // the same offsets twice.
  for (auto [side, served] : {std::make_pair(backwards, &before),
                              std::make_pair(intervals, &after)}) {
    std::vector<unsigned> order = pile;
    llvm::append_range(order, *served);
    packing.size = std::max(
        packing.size, packInOrder(side, order, alignment, packing.offsets));
  }
  return packing;
}

static ArenaPacking packFromStart(llvm::ArrayRef<LiveInterval> intervals,
                                  int64_t alignment) {
  std::vector<unsigned> order(intervals.size());
  std::iota(order.begin(), order.end(), 0u);
  sortByFirst(intervals, order);
  ArenaPacking packing;
  packing.offsets.assign(intervals.size(), 0);
  packing.size = packInOrder(intervals, order, alignment, packing.offsets);
  return packing;
}

ArenaPacking prec::packArena(llvm::ArrayRef<LiveInterval> intervals,
                             int64_t alignment) {
  if (intervals.empty())
    return {};
  std::vector<LiveInterval> backwards;
  for (const LiveInterval &interval : intervals)
    backwards.push_back({-interval.last, -interval.first, interval.bytes});
  // Which way leaves the fewest holes depends on the program.
  ArenaPacking packings[] = {packFromStart(intervals, alignment),
                             packFromStart(backwards, alignment),
                             packFromPeak(intervals, backwards, alignment)};
  return *llvm::min_element(
      packings, [](const auto &a, const auto &b) { return a.size < b.size; });
}

std::vector<int64_t> prec::getLiveBytes(llvm::ArrayRef<LiveInterval> intervals,
                                        int64_t steps, int64_t alignment) {
  std::vector<int64_t> live(steps + 1, 0);
  for (const LiveInterval &interval : intervals) {
    int64_t bytes = getAlignedBytes(interval, alignment);
    live[interval.first] += bytes;
    live[std::min(interval.last + 1, steps)] -= bytes;
  }
  for (int64_t step = 1; step < steps; ++step)
    live[step] += live[step - 1];
  live.resize(steps);
  return live;
}
