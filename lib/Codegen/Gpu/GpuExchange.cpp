//===- GpuExchange.cpp - what the warps of a row have reduced -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines what the warps of a row have reduced, with one barrier. Each warp
// first reduces its own lanes. Then it writes its value where all others read:
// into the shared memory of its block, or of all blocks that share the row.
// After the barrier every warp reads the values of all warps, one in each lane,
// and reduces them again in the same way. So every thread has the same result,
// and no second barrier is needed to hand it out. Where a kernel does this for
// many rows, two sets of slots take turns: a warp that is late still reads the
// one while others write the other.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/GpuExchange.h"

using namespace mlir;
using namespace prec;

SmallVector<Carried> prec::exchange(GpuKernel &gpu, const RowWarps &warps,
                                    ValueRange values, ValueRange none) {
  KernelBuilder &k = gpu.kernel();
  int64_t count = warps.count();
  Value lane = k.rem(warps.thread, kWarp), warp = k.div(warps.thread, kWarp);
  // Written once in a kernel, or where nobody reads who is one turn behind.
  SmallVector<Value> arrays;
  for (Value value : values)
    arrays.push_back(
        gpu.allocateShared(value.getType(), warps.turn ? 2 * count : count));
  Value begin = warps.turn ? k.mul(warps.turn, count) : k.constant(0);
  if (GpuCluster *cluster = warps.cluster) {
    Value own = k.add(k.mul(cluster->getRank(), warps.inBlock), warp);
    cluster->give(arrays, values, lane, k.add(begin, own));
    cluster->barrier();
  } else {
    buildIfAlways(k, k.lessThan(lane, 1), [&]() {
      for (auto [array, value] : llvm::zip(arrays, values))
        gpu.storeShared(array, value, k.add(begin, warp));
    });
    gpu.barrier();
  }
  SmallVector<Carried> parts;
  for (int64_t first = 0; first < count; first += kWarp) {
    Carried &part = parts.emplace_back();
    Value from = k.add(lane, first);
    for (auto [array, value, neutral] : llvm::zip(arrays, values, none)) {
      Value theirs = gpu.loadShared(array, value.getType(),
                                    k.add(begin, k.min(from, count - 1)));
      if (first + kWarp > count)
        theirs = arith::SelectOp::create(
            k.here(), k.loc(), k.lessThan(from, count), theirs, neutral);
      part.push_back(theirs);
    }
  }
  return parts;
}

void prec::reduceCluster(GpuKernel &gpu, const RowWarps &warps,
                         ArrayRef<train::ReduceOp> ops,
                         MutableArrayRef<Value> values) {
  KernelBuilder &k = gpu.kernel();
  Carried none;
  for (auto [op, value] : llvm::zip(ops, values)) {
    train::ReduceKind kind = train::ReduceOp(op).getKind();
    value = gpu.reduceWarp(kind, foldLanes(k.here(), k.loc(), kind, value));
    none.push_back(neutralElement(k.here(), k.loc(), kind, value.getType()));
  }
  SmallVector<Carried> parts = exchange(gpu, warps, values, none);
  for (auto [i, op] : llvm::enumerate(ops)) {
    train::ReduceKind kind = train::ReduceOp(op).getKind();
    values[i] = parts.front()[i];
    for (const Carried &part : llvm::drop_begin(parts))
      values[i] = combine(k.here(), k.loc(), kind, values[i], part[i]);
    values[i] = gpu.reduceWarp(kind, values[i]);
  }
}
