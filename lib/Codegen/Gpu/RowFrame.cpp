//===- RowFrame.cpp - which row, by which threads -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/RowFrame.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace prec;

static constexpr int64_t kHeldElements = 32; ///< of a row, by one thread

int64_t RowFrame::heldChunks(int64_t extent) const {
  if (areLong)
    return 0;
  int64_t lanes = gpu.lanesForRow(extent);
  int64_t chunks = llvm::divideCeil(extent, lanes * threads);
  int64_t held = threads > 512 ? kHeldElements / 2 : kHeldElements;
  return chunks * lanes <= held ? chunks : 0;
}

Digit RowFrame::chunk(int64_t extent, int64_t i, Value &inside) {
  int64_t lanes = gpu.lanesForRow(extent);
  Value first = k.mul(k.add(thread, i * threads), lanes);
  inside = {};
  if ((i + 1) * threads * lanes > extent) {
    inside = k.lessThan(first, extent);
    // Outside, the last chunk is read again and not used.
    first = k.min(first, extent - lanes);
  }
  return {extent, first, lanes, lanes};
}

SmallVector<Chunk> RowFrame::chunksOf(int64_t extent) {
  SmallVector<Chunk> chunks(heldChunks(extent));
  for (auto [i, part] : llvm::enumerate(chunks))
    part.column = chunk(extent, i, part.inside);
  return chunks;
}

Carried RowFrame::neutralElements(ArrayRef<train::ReduceOp> ops,
                                  int64_t lanes) {
  Carried result;
  for (train::ReduceOp op : ops) {
    Type type = accumulatorType(getElementTypeOrSelf(op.getInput()));
    if (lanes > 1)
      type = VectorType::get(lanes, type);
    result.push_back(neutralElement(k.here(), k.loc(), op.getKind(), type));
  }
  return result;
}
