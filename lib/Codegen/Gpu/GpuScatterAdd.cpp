//===- GpuScatterAdd.cpp - scatter-add kernels on NVIDIA GPUs -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds update rows to the rows of a table that ids name (the gradient of an
// embedding). The ids come sorted, with their positions, so the updates of a
// table row are neighbors in that order: a segment. A block has 16 slots of the
// sorted ids, a slot for each warp. The warp at whose slot a segment begins
// adds it alone if it is shorter than a warp; else all warps of the block add
// it together. Other slots do nothing. So no two threads write the same
// element, without atomics.
//
// The order of additions depends on the positions only (see below), so the bits
// are the same in every run. Example: sorted ids 2 2 5 with positions 0 7 3:
// the warp of slot 0 adds updates 0 and 7 to row 2, that of slot 1 does
// nothing, that of slot 2 adds update 3 to row 5. Every update is read once.
//
//===----------------------------------------------------------------------===//
#include "Codegen/DispatchShape.h"
#include "Codegen/Gpu/UpdateSums.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace prec;

namespace {
/// Of a block, and parts of a sum.
constexpr int64_t kWarps = 16;
constexpr int64_t kThreads = kWarps * kWarp;
constexpr int32_t kResidentBlocks = 2;
constexpr int64_t kUnrolled = 8; ///< sorted ids that a thread reads at once
constexpr int64_t kListed = kUnrolled * kWarp; ///< positions of a warp
/// Of updates, that a thread asks for before it adds the first: each alone
/// would have to wait for the memory.
constexpr int64_t kBytesAhead = 128;

/// Sorted ids of one row are a segment. The warp at whose slot it begins adds
/// the updates of a short one; those of a long one, frequent ids have
/// thousands, are added by all warps of the block.
///
/// Either way a sum has sixteen parts: 32 positions from the first one of the
/// segment on are of part 0, the next 32 of part 1, those behind part 15 of
/// part 0 again. Updates of a part are added in the order of positions, then
/// the parts in theirs: how many warps share the work does not change a bit.
class ScatterAddKernel {
public:
  ScatterAddKernel(GpuKernel &gpu, train::ScatterAddOp op)
      : gpu(gpu), k(gpu.kernel()), op(op), sums(gpu, op, kWarps, kListed),
        positions(elementsOf(op.getIds())),
        tableRows(cast<RankedTensorType>(op.getInit().getType()).getDimSize(0)),
        thread(gpu.threadId()), warp(k.div(thread, kWarp)),
        lane(k.rem(thread, kWarp)) {}
  FailureOr<GpuLaunch> build();

private:
  /// A sorted id, of one lane.
  struct Entry {
    Value id, position;
    Value isOf; ///< whether it is of the segment
  };
  Expr expr(Value value) { return {k.moveHere(), k.loc(), value}; }
  Value differ(Value lhs, Value rhs) {
    return arith::CmpIOp::create(k.here(), k.loc(), arith::CmpIPredicate::ne,
                                 lhs, rhs);
  }
  Value count(Value mask) {
    return math::CtPopOp::create(k.here(), k.loc(), mask);
  }
  Value fromLane0(Value value) {
    return NVVM::ShflOp::create(k.here(), k.loc(), value.getType(), gpu.i32(-1),
                                value, gpu.i32(0), gpu.i32(kWarp - 1),
                                NVVM::ShflKind::idx, UnitAttr());
  }
  /// Whether the predicate holds in the last lane.
  Value holdsInLast(Value predicate) {
    return expr(gpu.ballot(predicate)) < expr(gpu.i32(0));
  }
  /// Of the sorted ids (row 0) or their positions (row 1), or the last one.
  Value sortedAt(int64_t row, Value slot) {
    return gpu.emitter.emit(op.getSorted(),
                            {Digit{2, k.constant(row)},
                             Digit{positions, k.min(slot, positions - 1)}});
  }
  Digit rowOf(Value id) { return {tableRows, expr(id).convert(k.indexType)}; }
  Value partOf(Value position, Value first);

  /// Adds a segment of fewer ids than lanes from position `first` on, `entry`
  /// the lane's own.
  LogicalResult addShort(const Entry &entry, Value first);
  /// Lists it, ordered by parts, and counts it.
  Value listByParts(const Entry &entry, Value first);
  /// Adds an update to the sum of its part: of `carried`, which is the sum of
  /// the parts before, that of this part, and its number.
  Carried addToPart(ValueRange carried, Value part, ValueRange update);
  /// Adds the segment at `slot` with all warps of the block.
  LogicalResult addLong(Value slot);
  /// Lists what is of the warp's part among the sorted ids at `base`, and
  /// counts it; whether the segment goes on behind them.
  Value listOwn(Value base, Value id, Value first, Value &goesOn);
  /// Adds the sum of all warps' sums to the table's row.
  LogicalResult meet(Digit row, ValueRange sums);
  /// The segments that begin at slots of this block where `isBegun`.
  LogicalResult addLongOnes(Value begin, Value isBegun);

  GpuKernel &gpu;
  KernelBuilder &k;
  train::ScatterAddOp op;
  UpdateSums sums;
  int64_t positions, tableRows;
  Value thread, warp, lane;
  Value sharedSums; ///< of every thread, of one chunk
};
} // namespace

Value ScatterAddKernel::partOf(Value position, Value first) {
  Value distance = expr(position) - expr(first);
  return expr(distance).shr(llvm::Log2_64(kWarp)) & (kWarps - 1);
}

//===----------------------------------------------------------------------===//
// Short segments
//===----------------------------------------------------------------------===//

Value ScatterAddKernel::listByParts(const Entry &entry, Value first) {
  Value part = partOf(entry.position, first);
  Value listed = gpu.i32(0), place = listed;
  for (int64_t other = 0; other < kWarps; ++other) {
    Value isOther = expr(part) == expr(gpu.i32(other));
    Value mask = gpu.ballot(expr(entry.isOf) & expr(isOther));
    Value own = expr(listed) + expr(gpu.countBefore(mask, lane));
    place = expr(isOther).select(expr(own), expr(place));
    listed = expr(listed) + expr(count(mask));
  }
  buildIfAlways(k, entry.isOf, [&]() { sums.list(entry.position, place); });
  gpu.syncWarp();
  return listed;
}

Carried ScatterAddKernel::addToPart(ValueRange carried, Value part,
                                    ValueRange update) {
  size_t chunks = sums.countChunks();
  Value isSame = expr(part) == expr(carried.back());
  ValueRange before = carried.take_front(chunks);
  ValueRange current = carried.drop_front(chunks).drop_back();
  Carried ended = sums.addEach(before, current), zeros = sums.zeros(), next;
  for (auto [same, other] : llvm::zip(before, ended))
    next.push_back(expr(isSame).select(expr(same), expr(other)));
  Carried start;
  for (auto [same, zero] : llvm::zip(current, zeros))
    start.push_back(expr(isSame).select(expr(same), expr(zero)));
  next.append(sums.addEach(start, update));
  next.push_back(part);
  return next;
}

LogicalResult ScatterAddKernel::addShort(const Entry &entry, Value first) {
  // Here, so that rows are read where segments begin.
  Digit row = rowOf(fromLane0(entry.id));
  Value listed = listByParts(entry, first);
  size_t chunks = sums.countChunks();
  Carried before;
  for (size_t chunk = 0; chunk < chunks; ++chunk)
    before.push_back(sums.loadRow(row, chunk));
  Carried start = sums.zeros();
  start.append(sums.zeros());
  start.push_back(gpu.i32(0));
  FailureOr<Carried> parts = sums.addListed(
      listed, kBytesAhead / 2, start,
      [&](ValueRange carried, Value position, ValueRange update) {
        return addToPart(carried, partOf(position, first), update);
      });
  if (failed(parts))
    return failure();
  ValueRange all(*parts);
  Carried total =
      sums.addEach(all.take_front(chunks), all.drop_front(chunks).drop_back());
  for (size_t chunk = 0; chunk < chunks; ++chunk)
    if (failed(sums.storeRow(row, chunk, before[chunk], total[chunk])))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Long segments
//===----------------------------------------------------------------------===//

Value ScatterAddKernel::listOwn(Value base, Value id, Value first,
                                Value &goesOn) {
  SmallVector<Entry> entries;
  for (int64_t i = 0; i < kUnrolled; ++i) {
    Value slot = k.add(k.add(base, lane), i * kWarp);
    Value other = sortedAt(0, slot), position = sortedAt(1, slot);
    Value isSame = expr(other) == expr(id);
    Value isOf = expr(k.lessThan(slot, positions)) & expr(isSame);
    entries.push_back({other, position, isOf});
  }
  Value listed = gpu.i32(0);
  Value ownPart = expr(warp).convert(listed.getType());
  for (const Entry &entry : entries) {
    Value part = partOf(entry.position, first);
    Value isPart = expr(part) == expr(ownPart);
    Value isOwn = expr(entry.isOf) & expr(isPart);
    Value mask = gpu.ballot(isOwn);
    buildIfAlways(k, isOwn, [&]() {
      sums.list(entry.position,
                expr(listed) + expr(gpu.countBefore(mask, lane)));
    });
    listed = expr(listed) + expr(count(mask));
  }
  goesOn = holdsInLast(entries.back().isOf);
  gpu.syncWarp();
  return listed;
}

LogicalResult ScatterAddKernel::meet(Digit row, ValueRange own) {
  for (auto [index, sum] : llvm::enumerate(own)) {
    // What met before has been read.
    gpu.barrier();
    gpu.storeShared(sharedSums, sum, k.mul(thread, sums.countLanes()));
    gpu.barrier();
    auto add = [&, index = index, type = sum.getType()]() -> LogicalResult {
      Value total;
      for (int64_t other = 0; other < kWarps; ++other) {
        Value slot = k.mul(k.add(lane, other * kWarp), sums.countLanes());
        Value part = gpu.loadShared(sharedSums, type, slot);
        total = total ? Value(expr(total) + expr(part)) : part;
      }
      return sums.storeRow(row, index, sums.loadRow(row, index), total);
    };
    Value isMine = expr(warp) == expr(k.constant(int64_t(index) % kWarps));
    if (failed(buildIf(k, isMine, add)))
      return failure();
  }
  return success();
}

LogicalResult ScatterAddKernel::addLong(Value slot) {
  Value id = sortedAt(0, slot), first = sortedAt(1, slot);
  Carried start = {slot};
  start.append(sums.zeros());
  auto body = [&](ValueRange carried, Value &more) -> FailureOr<Carried> {
    Value listed = listOwn(carried[0], id, first, more);
    FailureOr<Carried> added =
        sums.addListed(listed, kBytesAhead, carried.drop_front(),
                       [&](ValueRange own, Value, ValueRange update) {
                         return sums.addEach(own, update);
                       });
    if (failed(added))
      return failure();
    // All have read the list before it is written anew.
    gpu.syncWarp();
    Carried next = {k.add(carried[0], kListed)};
    next.append(*added);
    return next;
  };
  FailureOr<Carried> added = buildDoWhile(k, start, body);
  if (failed(added))
    return failure();
  return meet(rowOf(id), ValueRange(*added).drop_front());
}

LogicalResult ScatterAddKernel::addLongOnes(Value begin, Value isBegun) {
  Type i32 = k.here()->getI32Type();
  sharedSums =
      gpu.allocateShared(getElementTypeOrSelf(sums.zeros().front().getType()),
                         kThreads * sums.countLanes());
  Value flags = gpu.allocateShared(i32, kWarps);
  buildIfAlways(k, k.lessThan(lane, 1), [&]() {
    gpu.storeShared(flags, expr(isBegun).convert(i32), warp);
  });
  gpu.barrier();
  auto isFlagged = [&](Value owner) {
    return differ(gpu.loadShared(flags, i32, owner), gpu.i32(0));
  };
  auto addOf = [&](Value owner) {
    // The slot here, so that it is read where a segment begins.
    return buildIf(k, isFlagged(owner),
                   [&]() { return addLong(expr(begin) + expr(owner)); });
  };
  Value all = gpu.ballot(isFlagged(k.rem(lane, kWarps)));
  return buildIf(k, differ(all, gpu.i32(0)), [&]() {
    return buildLoop(k, k.constant(0), k.constant(kWarps), 1, addOf);
  });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

FailureOr<GpuLaunch> ScatterAddKernel::build() {
  int64_t strips = sums.countStrips();
  Value begin = k.mul(k.div(gpu.blockId(), strips), kWarps);
  Value slot = k.add(begin, warp), other = k.add(slot, lane);
  Entry entry{sortedAt(0, other), sortedAt(1, other), {}};
  Value before = sortedAt(0, k.subtractFloor(slot, 1));
  if (!entry.id || !entry.position || !before)
    return failure();
  // Both at once: of the position alone only segments need to know.
  Value id = fromLane0(entry.id), first = fromLane0(entry.position);
  Value isSame = expr(entry.id) == expr(id);
  entry.isOf = expr(k.lessThan(other, positions)) & expr(isSame);
  Value isNew = expr(k.lessThan(slot, 1)) | expr(differ(before, id));
  Value isFirst = expr(k.lessThan(slot, positions)) & expr(isNew);
  Value isLong = holdsInLast(entry.isOf);
  Value isShort = expr(isLong) ^ expr(isLong).integer(1);
  if (failed(buildIf(k, expr(isFirst) & expr(isShort),
                     [&]() { return addShort(entry, first); })))
    return failure();
  if (positions >= kWarp &&
      failed(addLongOnes(begin, expr(isFirst) & expr(isLong))))
    return failure();
  return GpuLaunch{int64_t(llvm::divideCeil(positions, kWarps)) * strips,
                   {kThreads, 1, 1},
                   kResidentBlocks};
}

FailureOr<GpuLaunch> prec::buildGpuScatterAdd(GpuKernel &gpu) {
  FailureOr<train::ScatterAddOp> op = scatterAddOf(gpu.dispatch());
  if (failed(op))
    return failure();
  return ScatterAddKernel(gpu, *op).build();
}
