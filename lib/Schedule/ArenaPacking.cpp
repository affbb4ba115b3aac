//===- ArenaPacking.cpp - offsets for values by their lifetimes -----------===//
#include "prec/Schedule/ArenaPacking.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <numeric>
#include <set>

using namespace mlir;
using namespace mlir::prec;

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

/// Serves the intervals in the order in which they begin, large ones first.
static ArenaPacking packInOrder(llvm::ArrayRef<LiveInterval> intervals,
                                int64_t alignment) {
  ArenaPacking packing;
  packing.offsets.assign(intervals.size(), 0);
  std::vector<unsigned> byFirst(intervals.size());
  std::iota(byFirst.begin(), byFirst.end(), 0u);
  std::vector<unsigned> byLast = byFirst;
  auto bytes = [&](unsigned i) {
    return getAlignedBytes(intervals[i], alignment);
  };
  llvm::stable_sort(byFirst, [&](unsigned a, unsigned b) {
    return std::make_pair(intervals[a].first, -bytes(a)) <
           std::make_pair(intervals[b].first, -bytes(b));
  });
  llvm::stable_sort(byLast, [&](unsigned a, unsigned b) {
    return intervals[a].last < intervals[b].last;
  });

  BestFitArena arena;
  auto dying = byLast.begin();
  for (unsigned index : byFirst) {
    for (; intervals[*dying].last < intervals[index].first; ++dying)
      arena.release(packing.offsets[*dying], bytes(*dying));
    packing.offsets[index] = arena.allocate(bytes(index));
  }
  packing.size = arena.getSize();
  return packing;
}

ArenaPacking prec::packArena(llvm::ArrayRef<LiveInterval> intervals,
                             int64_t alignment) {
  // Intervals may as well be served backwards in time: which direction leaves
  // fewer holes depends on the program.
  std::vector<LiveInterval> backwards;
  for (const LiveInterval &interval : intervals)
    backwards.push_back({-interval.last, -interval.first, interval.bytes});
  ArenaPacking forwards = packInOrder(intervals, alignment);
  ArenaPacking other = packInOrder(backwards, alignment);
  return other.size < forwards.size ? other : forwards;
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
