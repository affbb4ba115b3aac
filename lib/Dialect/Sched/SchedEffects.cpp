//===- SchedEffects.cpp - what planned operations do to memory ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Once results have placements, bytes are used again: a value is gone when
// another operation writes its place, and an operation whose result nobody
// reads may still write over an operand. So each writes the resource of its
// results' segments, and reads that of its operands'; two operations that are
// equal are then not one, and none is dead.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Sched/Sched.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace prec::sched;

namespace {

template <Segment segment>
struct SegmentResource : SideEffects::Resource::Base<SegmentResource<segment>> {
  StringRef getName() final { return stringifySegment(segment); }
};

} // namespace

static SideEffects::Resource *getResource(Segment segment) {
  switch (segment) {
  case Segment::State:
    return SegmentResource<Segment::State>::get();
  case Segment::Input:
    return SegmentResource<Segment::Input>::get();
  case Segment::Output:
    return SegmentResource<Segment::Output>::get();
  case Segment::Workspace:
    return SegmentResource<Segment::Workspace>::get();
  case Segment::Constants:
    return SegmentResource<Segment::Constants>::get();
  }
  llvm_unreachable("segment is an enumeration");
}

/// The segments that a value may lie in: that of the operation's placement that
/// made it, looking through views; an argument's role says more than is known
/// here.
static void collectSegments(Value value, SmallPtrSetImpl<void *> &segments) {
  SmallVector<Value> work{value};
  SmallPtrSet<Value, 8> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    auto result = dyn_cast<OpResult>(next);
    if (!result) {
      for (Segment segment : {Segment::State, Segment::Input,
                              Segment::Workspace, Segment::Constants})
        segments.insert(getResource(segment));
      continue;
    }
    auto placements = result.getOwner()->getAttrOfType<ArrayAttr>("placements");
    if (placements && result.getResultNumber() < placements.size())
      segments.insert(
          getResource(cast<PlacementAttr>(placements[result.getResultNumber()])
                          .getSegment()));
    else
      llvm::append_range(work, result.getOwner()->getOperands());
  }
}

void prec::sched::addEffects(
    Operation *op, ArrayAttr placements,
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  bool isAwait = isa<AwaitOp>(op);
  if (!placements && !isAwait)
    return;
  SmallPtrSet<void *, 8> reads, writes;
  for (Value operand : op->getOperands())
    collectSegments(operand, reads);
  // Exchanges may write until they are awaited.
  if (isAwait)
    writes = reads;
  else
    for (auto placement : placements.getAsRange<PlacementAttr>())
      writes.insert(getResource(placement.getSegment()));
  // In the order of segments, whatever the order of pointers.
  for (unsigned i = 0; i <= getMaxEnumValForSegment(); ++i) {
    SideEffects::Resource *resource = getResource(static_cast<Segment>(i));
    if (reads.contains(resource))
      effects.emplace_back(MemoryEffects::Read::get(), resource);
    if (writes.contains(resource))
      effects.emplace_back(MemoryEffects::Write::get(), resource);
  }
}
