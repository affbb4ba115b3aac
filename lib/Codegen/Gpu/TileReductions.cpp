//===- TileReductions.cpp - what is reduced of tiles on the way -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of the tiles that a transpose kernel computes: one value for a
// tile (its amax), and one value for each column of it (partial sums, as for a
// bias). While patches are computed every thread combines its own values in
// registers. After the tile a value of the tile is combined over the warps of
// the block, and sums of columns meet in shared memory, where one thread for
// each column adds them in the order of the rows' lines. Tiles that are
// transposed have been read out of shared memory by then, so the same bytes are
// used. The order is fixed.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/TileReductions.h"
#include "Codegen/DispatchShape.h"

using namespace mlir;
using namespace prec;

TileReductions::TileReductions(GpuKernel &gpu, TransposeShape &shape,
                               const TileLayout &layout, int64_t across,
                               Value memory)
    : gpu(gpu), k(gpu.kernel()), shape(shape), layout(layout), across(across),
      memory(memory), sumMemory(memory) {
  // One for all pieces, of which a block has one.
  if (!memory && !shape.sums.empty())
    sumMemory = gpu.allocateShared(k.here()->getF32Type(),
                                   kTileThreads * layout.readLanes);
  for (int64_t i = 0; i < across; ++i)
    for (const TransposeShape::TileResult &tiles : shape.tiles)
      ops.push_back(tiles.op);
}

void TileReductions::clear() {
  numbers.assign(ops.size(), Value());
  sums.assign(shape.sums.size(), Value());
}

LogicalResult TileReductions::add(ArrayRef<Digit> at, int64_t index) {
  auto addTo = [&](Value &sum, train::ReduceKind kind, Value term) {
    sum = sum ? combine(k.here(), k.loc(), kind, sum, term) : term;
  };
  MutableArrayRef<Value> own(numbers);
  own = own.slice(index * shape.tiles.size(), shape.tiles.size());
  for (auto [of, number] : llvm::zip(shape.tiles, own)) {
    Value term = gpu.emitter.emitTerm(of.getSource(), at);
    if (!term)
      return failure();
    train::ReduceKind kind = train::ReduceOp(of.op).getKind();
    // One register each, and not one for each lane.
    addTo(number, kind, foldLanes(k.here(), k.loc(), kind, term));
  }
  for (auto [of, sum] : llvm::zip(shape.sums, sums)) {
    Value term = gpu.emitter.emitTerm(of.getSource(), at);
    if (!term)
      return failure();
    addTo(sum, train::ReduceOp(of.op).getKind(), term);
  }
  return success();
}

Value TileReductions::getNeutral(const TransposeShape::TileResult &of,
                                 bool hasLanes) {
  Type type = accumulatorType(
      cast<RankedTensorType>(of.getSource().getType()).getElementType());
  if (hasLanes && layout.readLanes > 1)
    type = VectorType::get(layout.readLanes, type);
  return neutralElement(k.here(), k.loc(), train::ReduceOp(of.op).getKind(),
                        type);
}

Carried TileReductions::carry() {
  for (auto [i, number] : llvm::enumerate(numbers))
    if (!number)
      number = getNeutral(shape.tiles[i % shape.tiles.size()],
                          /*hasLanes=*/false);
  for (auto [of, sum] : llvm::zip(shape.sums, sums))
    if (!sum)
      sum = getNeutral(of, /*hasLanes=*/true);
  return get();
}

Carried TileReductions::get() const {
  Carried all(numbers);
  llvm::append_range(all, sums);
  return all;
}

void TileReductions::set(ValueRange carried) {
  llvm::copy(carried.take_front(numbers.size()), numbers.begin());
  llvm::copy(carried.drop_front(numbers.size()), sums.begin());
}

LogicalResult TileReductions::store(Value thread, Value block, Value row0,
                                    Value column0) {
  if (!sums.empty() && failed(storeSums(thread, row0, column0)))
    return failure();
  if (ops.empty())
    return success();
  // Three tiles take all that a block has.
  if (memory)
    gpu.barrier();
  return storeNumbers(thread, block);
}

LogicalResult TileReductions::storeNumbers(Value thread, Value block) {
  gpu.reduceWarps(ops, numbers, thread, kTileThreads / kWarp, memory);
  return buildIf(k, k.lessThan(thread, 1), [&]() {
    ArrayRef<Value> rest = numbers;
    for (int64_t i = 0; i < across; ++i) {
      SmallVector<unsigned> results;
      Digit at{elementsOf(ops.front().getResult()),
               k.add(k.mul(block, across), i)};
      for (const TransposeShape::TileResult &tiles : shape.tiles) {
        gpu.emitter.bindReduction(tiles.op, at, rest.front());
        rest = rest.drop_front();
        results.push_back(tiles.result);
      }
      if (failed(gpu.emitter.emitResults(results, at)))
        return failure();
    }
    return success();
  });
}

LogicalResult TileReductions::storeSums(Value thread, Value row0,
                                        Value column0) {
  // Threads side by side have the columns of one row, lines of them others.
  int64_t chunks = layout.columns / layout.readLanes,
          lines = kTileThreads / chunks;
  Value line = k.div(thread, chunks),
        column = k.mul(k.rem(thread, chunks), layout.readLanes);
  Digit group{shape.rows / layout.rows, k.div(row0, layout.rows)};
  for (auto [columns, sum] : llvm::zip(shape.sums, sums)) {
    // What was in memory before has been read.
    gpu.barrier();
    gpu.storeShared(sumMemory, sum, k.add(k.mul(line, layout.columns), column),
                    layout.readLanes % 4 ? 0 : kVectorBytes);
    gpu.barrier();
    train::ReduceOp op = columns.op;
    unsigned result = columns.result;
    auto add = [&]() {
      Value total;
      for (int64_t i = 0; i < lines; ++i) {
        Value part = gpu.loadShared(sumMemory, k.here()->getF32Type(),
                                    k.add(thread, i * layout.columns));
        total = total ? combine(k.here(), k.loc(), op.getKind(), total, part)
                      : part;
      }
      Digit at[] = {group, Digit{shape.columns, k.add(column0, thread)}};
      gpu.emitter.bindReduction(op, at, total);
      return gpu.emitter.emitResults(result, at);
    };
    if (failed(buildIf(k, k.lessThan(thread, layout.columns), add)))
      return failure();
  }
  return success();
}
