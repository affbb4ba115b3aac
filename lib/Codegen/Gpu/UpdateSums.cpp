//===- UpdateSums.cpp - sums of the updates of a row ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a warp does to sum updates of one table row: a thread has a few columns
// of the row, as vectors in registers, and a wide row is divided into strips,
// each the work of other blocks. The positions to add are first listed in
// shared memory, then read in their order; several updates are requested before
// the first is added, because each alone would wait for the memory. Which
// updates are listed, and in what order, is decided in GpuScatterAdd.cpp.
// Rounding is as the operation says: the sum in FP32, rounded to the table's
// format, then added to the row.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/UpdateSums.h"

#include "Codegen/DispatchShape.h"
#include "Codegen/Emitter/FloatConversion.h"

using namespace mlir;
using namespace prec;

/// Of a row, by one thread: with more, a multiprocessor has room for one block.
static constexpr int64_t kHeldElements = 16;
static constexpr int64_t kMostAhead = 4; ///< updates

UpdateSums::UpdateSums(GpuKernel &gpu, train::ScatterAddOp op, int64_t warps,
                       int64_t listed)
    : gpu(gpu), k(gpu.kernel()), op(op),
      table(cast<RankedTensorType>(op.getInit().getType())),
      updates(cast<RankedTensorType>(op.getUpdates().getType())),
      listed(listed), warp(k.div(gpu.threadId(), kWarp)),
      positions(gpu.allocateShared(k.here()->getI32Type(), warps * listed)) {
  int64_t extent = table.getNumElements() / table.getDimSize(0);
  int64_t lanes = gpu.lanesFor(extent);
  int64_t chunks = std::min<int64_t>(kHeldElements / lanes,
                                     llvm::divideCeil(extent, kWarp * lanes));
  int64_t width = kWarp * lanes * chunks;
  strips = llvm::divideCeil(extent, width);
  Value lane = k.rem(gpu.threadId(), kWarp);
  for (int64_t i = 0; i < chunks; ++i) {
    Value first = k.add(k.mul(k.rem(gpu.blockId(), strips), width),
                        k.add(k.mul(lane, lanes), i * kWarp * lanes));
    Value guard;
    if (extent % width) {
      guard = k.lessThan(first, extent);
      first = k.min(first, extent - lanes);
    }
    columns.push_back({extent, first, lanes, lanes});
    inside.push_back(guard);
  }
}

Carried UpdateSums::zeros() {
  Type type = accumulatorType(table.getElementType());
  if (countLanes() > 1)
    type = VectorType::get(countLanes(), type);
  return Carried(countChunks(), neutralElement(k.here(), k.loc(),
                                               train::ReduceKind::Sum, type));
}

Carried UpdateSums::addEach(ValueRange sums, ValueRange updates) {
  Carried result;
  for (auto [sum, update] : llvm::zip(sums, updates))
    result.push_back(arith::AddFOp::create(k.here(), k.loc(), sum, update));
  return result;
}

void UpdateSums::list(Value position, Value place) {
  gpu.storeShared(positions, position,
                  listedAt(expr(place).convert(k.indexType)));
}

FailureOr<Carried> UpdateSums::emitUpdate(Value position) {
  Digit from{updates.getNumElements() / columns.front().extent,
             expr(position).convert(k.indexType)};
  Carried update;
  for (const Digit &column : columns) {
    Value value = gpu.emitter.emit(op.getUpdates(), {from, column});
    if (!value)
      return failure();
    update.push_back(toAccumulator(k.here(), k.loc(),
                                   gpu.emitter.spread(value, column),
                                   updates.getElementType(), k.target));
  }
  return update;
}

FailureOr<Carried> UpdateSums::addListed(Value count, int64_t bytesAhead,
                                         ValueRange sums, Add add) {
  int64_t bytes = int64_t(countChunks()) * countLanes() *
                  updates.getElementTypeBitWidth() / 8;
  int64_t ahead = std::clamp<int64_t>(bytesAhead / bytes, 1, kMostAhead);
  struct Update {
    Value position, isThere;
    Carried values;
  };
  Value size = expr(count).convert(k.indexType);
  auto body = [&](Value index, ValueRange carried) -> FailureOr<Carried> {
    Value last = expr(size) - expr(k.constant(1));
    SmallVector<Update> next;
    for (int64_t i = 0; i < ahead; ++i) {
      // What is not there is the last again, and not added.
      Value own = k.add(index, i);
      Value isThere = expr(own) < expr(size);
      Value at = i ? Value(expr(isThere).select(expr(own), expr(last))) : own;
      Value position =
          gpu.loadShared(positions, k.here()->getI32Type(), listedAt(at));
      FailureOr<Carried> values = emitUpdate(position);
      if (failed(values))
        return failure();
      next.push_back({position, i ? isThere : Value(), *values});
    }
    Carried sums(carried);
    for (const Update &update : next) {
      Carried added = add(sums, update.position, update.values);
      for (auto [sum, value] : llvm::zip(sums, added))
        sum = update.isThere
                  ? Value(arith::SelectOp::create(k.here(), k.loc(),
                                                  update.isThere, value, sum))
                  : value;
    }
    return sums;
  };
  return buildLoop(k, k.constant(0), size, ahead, sums, body);
}

Value UpdateSums::loadRow(Digit row, size_t chunk) {
  return gpu.emitter.loadFrom(gpu.emitter.getResultPointer(0),
                              table.getElementType(), {row, columns[chunk]});
}

LogicalResult UpdateSums::storeRow(Digit row, size_t chunk, Value before,
                                   Value sum) {
  Value after = addToRow(k.here(), k.loc(), before, sum, table.getElementType(),
                         k.target);
  auto store = [&]() {
    return gpu.emitter.store(0, {row, columns[chunk]}, after);
  };
  return inside[chunk] ? buildIf(k, inside[chunk], store) : store();
}
