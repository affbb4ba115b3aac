//===- GpuSort.cpp - kernels that sort ids on NVIDIA GPUs -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts token ids, keeping equal ids in the order of their positions: a
// counting sort. Ids are smaller than the vocabulary, so ranges of ids are the
// work of one block each, without any exchange between blocks: up to 1024 ids
// (512 where shared memory is small), and so many fewer that there are blocks
// for most of the multiprocessors. A block reads all ids twice. In the first
// pass every warp counts the ids of the range among its positions, and the ids
// below the range. Sums of these say where each id of each warp begins in the
// result. In the second pass every warp writes its ids and positions there.
// Time is that of reading the ids twice for each block, in parallel; they come
// from the cache.
//
// Example: ids 3 1 3 0 give 0 1 3 3 (row 0) and their positions 3 1 0 2 (row
// 1 of the result).
//
//===----------------------------------------------------------------------===//
#include "Codegen/DispatchShape.h"
#include "Codegen/Gpu/GpuKernels.h"
#include "Codegen/Emitter/Loops.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace prec;

namespace {
constexpr int64_t kUnrolled = 8; ///< ids that a thread reads at once
/// Blocks that occupy the machine: there are as many, where ids suffice.
constexpr int64_t kWantedBlocks = 128;

/// A counting sort. A block has a range of ids, at most as many as threads, and
/// reads all positions twice: that costs less than blocks that wait for each
/// other, and the blocks are all busy at once. First it counts its own ids,
/// those of every warp apart, and the ids below its range, behind which its own
/// begin; then every warp puts its positions, in their order, where those of
/// the warps before it end.
class SortKernel {
public:
  SortKernel(GpuKernel &gpu, train::SortIdsOp op)
      : gpu(gpu), k(gpu.kernel()), op(op), positions(elementsOf(op.getIds())) {}
  FailureOr<GpuLaunch> build();

private:
  struct Id {
    Value position, value;
    Value offset; ///< in the range of this block
    Value isInside, isOwn;
  };
  Expr expr(Value value) { return {k.moveHere(), k.loc(), value}; }
  Value both(Value lhs, Value rhs) { return expr(lhs) & expr(rhs); }
  Value slotOf(Value warpIndex, Value bin) {
    return k.add(k.mul(warpIndex, bins), bin);
  }

  /// Calls `body` with as many of the warp's positions as are read at once.
  FailureOr<Carried>
  walk(ValueRange carried,
       function_ref<FailureOr<Carried>(ArrayRef<Id> ids, ValueRange)> body);
  /// Ids below the range, of those that this thread reads.
  FailureOr<Value> count();
  /// Of counts of each warp, where its positions of an id begin.
  void turnIntoStarts(Value lower);
  LogicalResult place(const Id &id);
  Value shiftUp(Value value, int64_t lanes);

  GpuKernel &gpu;
  KernelBuilder &k;
  train::SortIdsOp op;
  int64_t positions, threads, warps;
  int64_t bins; ///< ids of the range
  Value thread, warp, lane;
  Value low;        ///< of the range
  Value begin, end; ///< of the positions of this warp
  Value counts;     ///< of each warp and id of the range
};
} // namespace

FailureOr<Carried> SortKernel::walk(
    ValueRange carried,
    function_ref<FailureOr<Carried>(ArrayRef<Id>, ValueRange)> body) {
  auto turn = [&](Value base, ValueRange carried) -> FailureOr<Carried> {
    SmallVector<Id> ids;
    for (int64_t i = 0; i < kUnrolled; ++i) {
      Value position = k.add(k.add(base, lane), i * kWarp);
      Value value = gpu.emitter.emitId(
          op, Digit{positions, k.min(position, positions - 1)});
      if (!value)
        return failure();
      ids.push_back({position, value});
    }
    for (Id &id : ids) {
      id.offset = expr(id.value) - expr(low);
      id.isInside = expr(id.position) < expr(end);
      Value isOwn =
          arith::CmpIOp::create(k.here(), k.loc(), arith::CmpIPredicate::ult,
                                id.offset, gpu.i32(bins));
      id.isOwn = both(id.isInside, isOwn);
    }
    return body(ids, carried);
  };
  return buildLoop(k, begin, end, kUnrolled * kWarp, carried, turn);
}

FailureOr<Value> SortKernel::count() {
  auto body = [&](ArrayRef<Id> ids, ValueRange carried) -> FailureOr<Carried> {
    Value lower = carried[0];
    for (const Id &id : ids) {
      Value isLower = both(id.isInside, expr(id.value) < expr(low));
      lower = expr(lower) + expr(isLower).convert(lower.getType());
      buildIfAlways(k, id.isOwn, [&]() {
        Value bin = expr(id.offset).convert(k.indexType);
        gpu.addShared(counts, gpu.i32(1), slotOf(warp, bin));
      });
    }
    return Carried{lower};
  };
  FailureOr<Carried> lower = walk(gpu.i32(0), body);
  if (failed(lower))
    return failure();
  return (*lower)[0];
}

Value SortKernel::shiftUp(Value value, int64_t lanes) {
  return NVVM::ShflOp::create(k.here(), k.loc(), value.getType(), gpu.i32(-1),
                              value, gpu.i32(lanes), gpu.i32(0),
                              NVVM::ShflKind::up, UnitAttr());
}

void SortKernel::turnIntoStarts(Value lower) {
  Type i32 = k.here()->getI32Type();
  Value zero = gpu.i32(0), total = zero;
  SmallVector<Value> own; // counts of the id that is this thread's
  Value isBin = k.lessThan(thread, bins), bin = k.min(thread, bins - 1);
  for (int64_t other = 0; other < warps; ++other) {
    Value count = gpu.loadShared(counts, i32, slotOf(k.constant(other), bin));
    own.push_back(expr(isBin).select(expr(count), expr(zero)));
    total = expr(total) + expr(own.back());
  }
  Value upTo = total; // this id, of those of the warp's threads
  for (int64_t lanes = 1; lanes < kWarp; lanes *= 2) {
    Value more = expr(k.lessThan(lane, lanes))
                     .select(expr(zero), expr(shiftUp(upTo, lanes)));
    upTo = expr(upTo) + expr(more);
  }
  Value totals = gpu.allocateShared(i32, warps);
  Value lowers = gpu.allocateShared(i32, warps);
  lower = gpu.reduceWarp(train::ReduceKind::Sum, lower);
  Value isLast = expr(lane) == expr(k.constant(kWarp - 1));
  buildIfAlways(k, isLast, [&]() {
    gpu.storeShared(totals, upTo, warp);
    gpu.storeShared(lowers, lower, warp);
  });
  gpu.barrier();
  Value other = k.min(lane, warps - 1);
  Value before =
      (expr(lane) < expr(warp))
          .select(expr(gpu.loadShared(totals, i32, other)), expr(zero));
  Value below =
      expr(k.lessThan(lane, warps))
          .select(expr(gpu.loadShared(lowers, i32, other)), expr(zero));
  Value first =
      gpu.reduceWarp(train::ReduceKind::Sum, expr(before) + expr(below));
  Value start = expr(first) + (expr(upTo) - expr(total));
  SmallVector<Value> starts;
  for (Value count : own) {
    starts.push_back(start);
    start = expr(start) + expr(count);
  }
  buildIfAlways(k, isBin, [&]() {
    for (auto [other, first] : llvm::enumerate(starts))
      gpu.storeShared(counts, first, slotOf(k.constant(other), thread));
  });
  gpu.barrier();
}

LogicalResult SortKernel::place(const Id &id) {
  Type i32 = k.here()->getI32Type();
  Value key = expr(id.isOwn).select(expr(id.offset), expr(gpu.i32(-1)));
  Value same = NVVM::MatchSyncOp::create(k.here(), k.loc(), i32, gpu.i32(-1),
                                         key, NVVM::MatchSyncKind::any);
  Value bin = expr(id.isOwn).select(expr(id.offset), expr(gpu.i32(0)));
  Value counter = slotOf(warp, expr(bin).convert(k.indexType));
  Value start = gpu.loadShared(counts, i32, counter);
  Value rank = gpu.countBefore(same, lane);
  // All read before the first lane of an id counts for the others.
  gpu.syncWarp();
  auto write = [&]() -> LogicalResult {
    Value at = expr(start) + expr(rank);
    Digit slot{positions, expr(at).convert(k.indexType)};
    Value position = expr(id.position).convert(i32);
    if (failed(
            gpu.emitter.store(0, {Digit{2, k.constant(0)}, slot}, id.value)) ||
        failed(gpu.emitter.store(0, {Digit{2, k.constant(1)}, slot}, position)))
      return failure();
    return buildIf(k, expr(rank) == expr(gpu.i32(0)), [&]() {
      Value lanes = math::CtPopOp::create(k.here(), k.loc(), same);
      gpu.storeShared(counts, expr(start) + expr(lanes), counter);
      return success();
    });
  };
  if (failed(buildIf(k, id.isOwn, write)))
    return failure();
  gpu.syncWarp();
  return success();
}

FailureOr<GpuLaunch> SortKernel::build() {
  // Each thread has an id at most; the counts of all warps are in shared
  // memory.
  auto bytesOf = [](int64_t threads, int64_t bins) {
    return bins * (threads / kWarp) * 4;
  };
  bool isLarge = bytesOf(1024, 1024) + (1 << 10) <= gpu.chip.blockShared;
  threads = isLarge ? 1024 : 512;
  warps = threads / kWarp;
  bins = std::min<int64_t>(threads, llvm::PowerOf2Ceil(llvm::divideCeil(
                                        op.getBound(), kWantedBlocks)));
  thread = gpu.threadId();
  warp = k.div(thread, kWarp);
  lane = k.rem(thread, kWarp);
  low = expr(k.mul(gpu.blockId(), bins)).convert(k.here()->getI32Type());
  int64_t share = llvm::alignTo(llvm::divideCeil(positions, warps), kWarp);
  begin = k.mul(warp, share);
  end = k.min(k.add(begin, share), positions);
  counts = gpu.allocateDynamicShared(bytesOf(threads, bins));
  for (int64_t first = 0; first < warps * bins; first += threads) {
    Value slot = k.add(thread, first);
    buildIfAlways(k, k.lessThan(slot, warps * bins),
                  [&]() { gpu.storeShared(counts, gpu.i32(0), slot); });
  }
  gpu.barrier();
  FailureOr<Value> lower = count();
  if (failed(lower))
    return failure();
  gpu.barrier();
  turnIntoStarts(*lower);
  auto body = [&](ArrayRef<Id> ids, ValueRange) -> FailureOr<Carried> {
    for (const Id &id : ids) {
      Value hasOwn =
          arith::CmpIOp::create(k.here(), k.loc(), arith::CmpIPredicate::ne,
                                gpu.ballot(id.isOwn), gpu.i32(0));
      if (failed(buildIf(k, hasOwn, [&]() { return place(id); })))
        return failure();
    }
    return Carried();
  };
  if (failed(walk({}, body)))
    return failure();
  return GpuLaunch{int64_t(llvm::divideCeil(op.getBound(), bins)),
                   {threads, 1, 1}};
}

FailureOr<GpuLaunch> prec::buildGpuSort(GpuKernel &gpu) {
  FailureOr<train::SortIdsOp> op = sortIdsOf(gpu.dispatch());
  if (failed(op))
    return failure();
  return SortKernel(gpu, *op).build();
}
