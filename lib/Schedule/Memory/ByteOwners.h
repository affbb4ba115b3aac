//===- ByteOwners.h - which value owns which bytes --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_MEMORY_BYTEOWNERS_H
#define PREC_LIB_SCHEDULE_MEMORY_BYTEOWNERS_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/Value.h"

#include <map>

namespace prec {

struct ByteRange {
  unsigned segment;
  int64_t offset, bytes;

  int64_t end() const { return offset + bytes; }
  bool overlaps(const ByteRange &other) const {
    return segment == other.segment && offset < other.end() &&
           other.offset < end();
  }
};

/// An abstract memory: a write gives bytes to a value and takes them from
/// whatever values had any of them.
class ByteOwners {
public:
  void write(const ByteRange &range, Value owner) {
    auto next = entries.lower_bound({range.segment, range.offset});
    if (next != entries.begin()) {
      auto previous = std::prev(next);
      if (previous->second.range.overlaps(range))
        entries.erase(previous);
    }
    while (next != entries.end() && next->second.range.overlaps(range))
      next = entries.erase(next);
    entries[{range.segment, range.offset}] = {range, owner};
  }

  /// Whether `owner` was written to exactly this range and nothing since then
  /// to any byte of it.
  bool isOwner(const ByteRange &range, Value owner) const {
    auto entry = entries.find({range.segment, range.offset});
    return entry != entries.end() && entry->second.owner == owner &&
           entry->second.range.bytes == range.bytes;
  }

private:
  struct Entry {
    ByteRange range;
    Value owner;
  };
  /// Ranges in the map are disjoint.
  std::map<std::pair<unsigned, int64_t>, Entry> entries;
};

} // namespace prec

#endif // PREC_LIB_SCHEDULE_MEMORY_BYTEOWNERS_H
