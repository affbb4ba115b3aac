//===- TileWords.cpp - tiles of shared memory that are turned -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a tile in shared memory while it is transposed. Memory consists
// of 32-bit words, and a word has consecutive rows of one column: four of FP8,
// two of BF16, one of FP32. So a thread that has computed four rows of FP8
// stores one word for each column, and a thread that reads four words of a
// column has 16 rows of it, which are contiguous in the transposed matrix.
//
// Words are swizzled so that threads of a warp use different banks: word w of
// column c lies at c * stride + (w xor 4 * ((c / lanes) mod 8)). The xor moves
// whole groups of four words, so four words are still read at once. Sizes that
// do not fit (odd numbers of rows or columns) fall back to single elements.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/TileWords.h"

#include "Codegen/DispatchShape.h"
#include "Codegen/Emitter/FloatConversion.h"
#include "prec/Dialect/Train/Tiles.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

static constexpr int64_t kWords = 32; ///< of a column of a tile, at least
static constexpr int64_t kGroups = kWords / 4; ///< of four words, read at once

static int64_t bytesOf(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

Type prec::storedElementOf(const TransposeShape::Matrix &matrix) {
  return storageType(
      cast<RankedTensorType>(matrix.parts.front().getType()).getElementType());
}

TileLayout prec::chooseTileLayout(const GpuKernel &gpu,
                                  sched::DispatchOp dispatch,
                                  const TransposeShape &shape) {
  TileLayout layout;
  llvm::SmallSetVector<int64_t, 2> sizes;
  int64_t turnedBytes = 0; // at one position
  for (const TransposeShape::Matrix &matrix : shape.matrices)
    if (matrix.transposed) {
      sizes.insert(bytesOf(storedElementOf(matrix)));
      turnedBytes += sizes.back() * int64_t(matrix.parts.size());
    }
  if (sizes.size() == 1)
    layout.rowsPerWord = std::max<int64_t>(1, 4 / sizes.front());
  layout.readLanes = std::min(gpu.lanesFor(shape.columns),
                              kVectorBytes / widestElement(dispatch));
  layout.writeLanes =
      std::min(gpu.lanesFor(shape.rows), 4 * layout.rowsPerWord);
  // Odd sizes: an element a word, a column a thread.
  if (layout.writeLanes < 4 * layout.rowsPerWord || layout.readLanes < 4) {
    layout.rowsPerWord = 1;
    layout.readLanes = layout.writeLanes =
        std::min({layout.readLanes, layout.writeLanes, int64_t(4)});
  }
  int64_t high = 2 * kWords * layout.rowsPerWord;
  bool hasRoom =
      layout.rowsPerWord < 4 && high * high * turnedBytes <= kMaxSharedBytes;
  layout.tile = hasRoom ? high : high / 2;
  // What is swizzled is whole groups of words.
  if (shape.tileRows) {
    layout.tile = std::max(shape.tileRows, shape.tileColumns);
    if (layout.tile >= train::kSmallTile)
      layout.tile = std::max(layout.tile, train::kTile);
  }
  layout.rows = shape.tileRows ? shape.tileRows : layout.tile;
  layout.columns = shape.tileColumns ? shape.tileColumns : layout.tile;
  layout.stride = layout.tile / layout.rowsPerWord;
  layout.words = layout.rows / layout.rowsPerWord;
  // Each thread has a patch.
  layout.readLanes =
      std::min(layout.readLanes, layout.tile * layout.stride / kTileThreads);
  return layout;
}

int64_t prec::tileBytes(const TileLayout &layout, const TransposeShape &shape) {
  int64_t bytes = 0;
  for (const TransposeShape::Matrix &matrix : shape.matrices)
    if (matrix.transposed)
      bytes += int64_t(matrix.parts.size()) * layout.tile * layout.stride *
               (layout.rowsPerWord > 1 ? 4 : bytesOf(storedElementOf(matrix)));
  return bytes;
}

Type TileWords::wordOf(Type element) const {
  return layout.rowsPerWord > 1 ? Type(k.here()->getI32Type()) : element;
}

Value TileWords::allocate(Type element) {
  return gpu.allocateShared(wordOf(element), layout.tile * layout.stride);
}

Value TileWords::slot(Value column, Value word) {
  Value chunk = k.rem(k.div(column, layout.readLanes), kGroups);
  Value swizzled =
      arith::XOrIOp::create(k.here(), k.loc(), word, k.mul(chunk, 4));
  return k.add(k.mul(column, layout.stride), swizzled);
}

void TileWords::store(Value memory, ArrayRef<Value> rows, Value column,
                      Value word) {
  OpBuilder b = k.here();
  for (int64_t lane = 0; lane < layout.readLanes; ++lane) {
    SmallVector<Value> elements;
    for (Value row : rows)
      elements.push_back(
          layout.readLanes == 1
              ? row
              : Value(vector::ExtractOp::create(b, k.loc(), row, lane)));
    Value packed = elements.front();
    if (elements.size() > 1) {
      packed = vector::FromElementsOp::create(
          b, k.loc(),
          VectorType::get(int64_t(elements.size()), packed.getType()),
          elements);
      packed = vector::BitCastOp::create(
          b, k.loc(), VectorType::get(1, b.getI32Type()), packed);
      packed = vector::ExtractOp::create(b, k.loc(), packed, 0);
    }
    gpu.storeShared(memory, packed, slot(k.add(column, lane), word));
  }
}

Value TileWords::load(Value memory, Type element, Value column, Value word) {
  OpBuilder b = k.here();
  int64_t count = layout.writeLanes / layout.rowsPerWord;
  Type stored = wordOf(element);
  Value value;
  if (count == 4) {
    // Swizzling moves groups of four words.
    value = gpu.loadShared(memory, VectorType::get(count, stored),
                           slot(column, word), count * bytesOf(stored));
  } else {
    SmallVector<Value> loaded;
    for (int64_t i = 0; i < count; ++i)
      loaded.push_back(
          gpu.loadShared(memory, stored, slot(column, k.add(word, i))));
    value = loaded.front();
    if (count > 1)
      value = vector::FromElementsOp::create(
          b, k.loc(), VectorType::get(count, stored), loaded);
  }
  if (layout.rowsPerWord > 1)
    value = vector::BitCastOp::create(
        b, k.loc(), VectorType::get(layout.writeLanes, element), value);
  return value;
}

Value TileWords::roundPair(Value low, Value high, Value part) {
  OpBuilder b = k.here();
  auto to =
      cast<FloatType>(cast<RankedTensorType>(part.getType()).getElementType());
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < layout.readLanes; ++lane)
    order.append({lane, layout.readLanes + lane});
  Expr both(b, k.loc(),
            vector::ShuffleOp::create(b, k.loc(), low, high, order));
  auto pairs =
      VectorType::get(layout.readLanes, b.getIntegerType(2 * to.getWidth()));
  return vector::BitCastOp::create(b, k.loc(), pairs,
                                   truncateFromF32(both, to, k.target));
}
