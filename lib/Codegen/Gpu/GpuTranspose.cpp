//===- GpuTranspose.cpp - transpose kernels on NVIDIA GPUs ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that write matrices in rows and transposed, from one read. The matrix
// is divided into tiles; a block takes one tile, or two beside each other.
// First it fills: each thread computes patches (a few rows by one vector of
// columns), stores what is wanted in rows, and puts what is wanted transposed
// into shared memory. After a barrier it drains: each thread reads a vector
// along a column from there and stores it. So global memory is read and written
// in whole vectors along its contiguous dimension in both layouts. Amaxes of
// tiles and sums of columns are taken of the values while they are in registers
// (TileReductions.cpp).
//
// Blocks that look up rows of a table several times go by columns of it.
//
// If the columns of the matrix are concatenated, a block computes only the
// operand that its tile lies in (TilePieces.cpp). Reads of the next rows are
// moved up in front of the computation of a row (EarlyReads.cpp).
//
//===----------------------------------------------------------------------===//
#include "Codegen/DispatchShape.h"
#include "Codegen/Gpu/EarlyReads.h"
#include "Codegen/Emitter/Loops.h"
#include "Codegen/Gpu/TilePieces.h"
#include "Codegen/Gpu/TileReductions.h"

using namespace mlir;
using namespace prec;

namespace {
constexpr int64_t kResidentBlocks = 3; ///< on a multiprocessor
constexpr int64_t kWideBlocks = 2;     ///< that take several tiles

class TransposeKernel {
public:
  TransposeKernel(GpuKernel &gpu, TransposeShape &shape)
      : gpu(gpu), k(gpu.kernel()), shape(shape),
        layout(chooseTileLayout(gpu, gpu.dispatch(), shape)),
        words(gpu, layout), reads(k) {}
  FailureOr<GpuLaunch> build();

private:
  /// How many tiles side by side a block takes.
  int64_t chooseAcross(tensor::ConcatOp joined);
  void allocateTiles();
  LogicalResult fill(Digit batch, Value row0, Value column0);
  /// Values of each part of each matrix: of the rows of a word.
  using TileValues = SmallVector<SmallVector<SmallVector<Value>, 2>>;
  LogicalResult computeRow(ArrayRef<Digit> at, int64_t row, TileValues &values);
  /// What is wanted in rows, too.
  LogicalResult storeRow(ArrayRef<Digit> at, TileValues &values);
  /// Those of a block's patches that not all threads have one of.
  LogicalResult fillRest(int64_t from, int64_t to,
                         function_ref<LogicalResult(Value)> patch);
  LogicalResult fillPatch(Digit batch, Value row0, Value column0, Value word,
                          Value column);
  /// Of the tile `index` of the block.
  LogicalResult drain(Digit batch, Value row0, Value column0, int64_t index);
  LogicalResult buildTile(Digit batch, Value row0, Value column0);
  /// The tile, in code of its own for each piece of `joined`.
  LogicalResult buildPieces(tensor::ConcatOp joined, Digit batch, Value row0,
                            Value column0);
  /// Whether two rows are rounded together.
  bool isRoundedByPairs(const TransposeShape::Matrix &matrix, Value part);
  /// What keeps a thread inside the matrix, or null.
  Value inside(Value row, Value column);

  GpuKernel &gpu;
  KernelBuilder &k;
  TransposeShape &shape;
  const TileLayout layout;
  TileWords words;
  int64_t across = 1; ///< tiles of a block
  Halves halves;      ///< that a thread has both of
  Value thread, block;
  /// Of each tile, of the parts of each matrix; empty where none is transposed.
  SmallVector<SmallVector<SmallVector<Value, 2>>, 2> memories;
  Value memory; ///< of a tile that is turned, or null
  std::optional<TileReductions> reductions;
  EarlyReads reads;
};
} // namespace

/// Rotary's cosines and sines are those of every head: two tiles ask the second
/// cache for them once.
int64_t TransposeKernel::chooseAcross(tensor::ConcatOp joined) {
  auto divides = [&](int64_t columns) {
    return columns % (2 * layout.columns) == 0;
  };
  bool isWorth = divides(shape.columns) && shape.rows % layout.rows == 0 &&
                 hasRowTables(gpu.dispatch(), shape, layout.columns);
  if (joined)
    for (Value piece : joined.getInputs())
      isWorth &=
          divides(cast<RankedTensorType>(piece.getType()).getShape().back());
  return isWorth && 2 * tileBytes(layout, shape) <= kMaxSharedBytes ? 2 : 1;
}

void TransposeKernel::allocateTiles() {
  memories.resize(across);
  for (auto &tile : memories)
    for (const TransposeShape::Matrix &matrix : shape.matrices) {
      SmallVector<Value, 2> parts;
      for (unsigned part = 0; matrix.transposed && part < matrix.parts.size();
           ++part)
        parts.push_back(words.allocate(storedElementOf(matrix)));
      tile.push_back(parts);
    }
  auto turned = llvm::find_if(memories.front(),
                              [](auto &parts) { return !parts.empty(); });
  if (turned != memories.front().end())
    memory = turned->front();
  reductions.emplace(gpu, shape, layout, across, memory);
}

Value TransposeKernel::inside(Value row, Value column) {
  Value result;
  auto require = [&](Value condition) {
    result = result
                 ? arith::AndIOp::create(k.here(), k.loc(), result, condition)
                 : condition;
  };
  if (shape.rows % layout.rows)
    require(k.lessThan(row, shape.rows));
  if (shape.columns % layout.columns)
    require(k.lessThan(column, shape.columns));
  return result;
}

bool TransposeKernel::isRoundedByPairs(const TransposeShape::Matrix &matrix,
                                       Value part) {
  // What is stored in rows is rounded for that already.
  auto isStored = [&](const TransposeShape::Matrix &other) {
    return !other.transposed && llvm::is_contained(other.parts, part);
  };
  return matrix.transposed && layout.rowsPerWord > 1 && isRounded(part) &&
         llvm::none_of(shape.matrices, isStored);
}

LogicalResult TransposeKernel::fillPatch(Digit batch, Value row0, Value column0,
                                         Value word, Value column) {
  // Of each tile, values of each part: a vector of columns for each row.
  int64_t parts = halves.joins.empty() ? 1 : 2;
  SmallVector<TileValues, 4> values(across * parts);
  for (auto &tiles : values)
    for (const TransposeShape::Matrix &matrix : shape.matrices)
      tiles.emplace_back(matrix.parts.size());
  // Loads may be placed in front of the condition that a thread is inside: it
  // reads the matrix's last elements where it is not.
  Value row = k.add(row0, k.mul(word, layout.rowsPerWord));
  if (shape.rows % layout.rows)
    row = k.min(row, shape.rows - layout.rowsPerWord);
  Value first = k.add(column0, column);
  if (shape.columns % layout.columns)
    first = k.min(first, shape.columns - layout.readLanes);
  for (int64_t i = 0; i < layout.rowsPerWord; ++i) {
    reads.startRow();
    Digit inRows{shape.rows, k.add(row, i)};
    for (auto [share, own] : llvm::enumerate(values)) {
      int64_t index = share / parts, half = share % parts;
      for (tensor::ConcatOp join : halves.joins)
        gpu.emitter.choosePiece(join, half);
      Value start = k.add(first, index * layout.columns + half * halves.width);
      Digit inColumns{shape.columns, start, layout.readLanes, layout.readLanes};
      Digit at[] = {batch, inRows, inColumns};
      if (failed(computeRow(at, i, own)) ||
          failed(reductions->add(at, index)) || failed(storeRow(at, own)))
        return failure();
    }
  }
  for (tensor::ConcatOp join : halves.joins)
    gpu.emitter.choosePiece(join, std::nullopt);
  for (auto [share, own] : llvm::enumerate(values)) {
    Value start = k.add(column, share % parts * halves.width);
    for (auto [parts, arrays] : llvm::zip(own, memories[share / parts]))
      for (auto [rows, array] : llvm::zip(parts, arrays))
        words.store(array, rows, start, word);
  }
  return success();
}

LogicalResult TransposeKernel::computeRow(ArrayRef<Digit> at, int64_t row,
                                          TileValues &values) {
  for (auto [matrix, parts] : llvm::zip(shape.matrices, values))
    for (auto [part, rows] : llvm::zip(matrix.parts, parts)) {
      bool isPaired = isRoundedByPairs(matrix, part);
      Value value = isPaired ? emitUnrounded(gpu.emitter, part, at)
                             : gpu.emitter.emit(part, at);
      if (!value)
        return failure();
      value = gpu.emitter.spread(value, at);
      if (isPaired && row % 2)
        value = words.roundPair(rows.pop_back_val(), value, part);
      rows.push_back(value);
    }
  return success();
}

LogicalResult TransposeKernel::storeRow(ArrayRef<Digit> at,
                                        TileValues &values) {
  // Results may replace inputs.
  for (auto [matrix, parts] : llvm::zip(shape.matrices, values))
    for (auto [part, rows] : llvm::enumerate(parts)) {
      Digit whole = columnOfPart(k, at.back(), part, matrix.parts.size());
      if (!matrix.transposed &&
          failed(gpu.emitter.store(matrix.result, {at[0], at[1], whole},
                                   rows.back())))
        return failure();
    }
  return success();
}

LogicalResult TransposeKernel::fill(Digit batch, Value row0, Value column0) {
  bool hasHalves = !halves.joins.empty();
  int64_t chunks = layout.columns / layout.readLanes / (hasHalves ? 2 : 1);
  auto patch = [&](Value item) -> LogicalResult {
    Value column = k.mul(k.rem(item, chunks), layout.readLanes);
    if (hasHalves)
      column = k.add(k.mul(k.div(column, halves.width), 2 * halves.width),
                     k.rem(column, halves.width));
    Value word = k.div(item, chunks);
    auto body = [&]() { return fillPatch(batch, row0, column0, word, column); };
    Value guard = inside(k.add(row0, k.mul(word, layout.rowsPerWord)),
                         k.add(column0, column));
    return guard ? buildIf(k, guard, body) : body();
  };
  int64_t items = chunks * layout.words,
          whole = items / kTileThreads * kTileThreads;
  for (int64_t i = 0; i < whole; i += kTileThreads)
    if (failed(patch(k.add(thread, i))))
      return failure();
  return items == whole ? success() : fillRest(whole, items, patch);
}

LogicalResult
TransposeKernel::fillRest(int64_t from, int64_t to,
                          function_ref<LogicalResult(Value)> patch) {
  // Once, or not at all.
  FailureOr<Carried> last = buildLoop(
      k, k.add(thread, from), k.constant(to), kTileThreads, reductions->carry(),
      [&](Value item, ValueRange values) -> FailureOr<Carried> {
        reductions->set(values);
        if (failed(patch(item)))
          return failure();
        return reductions->get();
      });
  if (failed(last))
    return failure();
  reductions->set(*last);
  return success();
}

LogicalResult TransposeKernel::drain(Digit batch, Value row0, Value column0,
                                     int64_t index) {
  // As many words as `writeLanes` rows fill.
  int64_t count = layout.writeLanes / layout.rowsPerWord,
          chunks = layout.words / count;
  auto patch = [&](Value item) -> LogicalResult {
    Value word = k.mul(k.rem(item, chunks), count),
          column = k.div(item, chunks);
    Value row = k.mul(word, layout.rowsPerWord);
    auto body = [&]() -> LogicalResult {
      for (auto [matrix, parts] : llvm::zip(shape.matrices, memories[index]))
        for (auto [part, memory] : llvm::enumerate(parts)) {
          Digit inColumns{shape.columns, k.add(column0, column)};
          Digit inRows{shape.rows, k.add(row0, row), layout.writeLanes,
                       layout.writeLanes};
          if (failed(gpu.emitter.store(
                  matrix.result,
                  {batch, columnOfPart(k, inColumns, part, matrix.parts.size()),
                   inRows},
                  words.load(memory, storedElementOf(matrix), column, word))))
            return failure();
        }
      return success();
    };
    Value guard = inside(k.add(row0, row), k.add(column0, column));
    return guard ? buildIf(k, guard, body) : body();
  };
  int64_t items = layout.columns * chunks;
  for (int64_t i = 0; i < items; i += kTileThreads) {
    Value item = k.add(thread, i);
    bool isWhole = i + kTileThreads <= items;
    if (failed(isWhole ? patch(item)
                       : buildIf(k, k.lessThan(item, items),
                                 [&]() { return patch(item); })))
      return failure();
  }
  return success();
}

LogicalResult TransposeKernel::buildTile(Digit batch, Value row0,
                                         Value column0) {
  reductions->clear();
  if (failed(fill(batch, row0, column0)))
    return failure();
  reads.hoist();
  if (memory) {
    gpu.barrier();
    for (int64_t i = 0; i < across; ++i)
      if (failed(drain(batch, row0, k.add(column0, i * layout.columns), i)))
        return failure();
  }
  return reductions->store(thread, block, row0, column0);
}

LogicalResult TransposeKernel::buildPieces(tensor::ConcatOp joined, Digit batch,
                                           Value row0, Value column0) {
  int64_t begin = 0;
  // Of parts of the columns that are joined alike.
  Value inPart = k.rem(column0, joined.getResultType().getShape().back());
  for (auto [index, piece] : llvm::enumerate(joined.getInputs())) {
    int64_t end =
        begin + cast<RankedTensorType>(piece.getType()).getShape().back();
    Value from =
        arith::CmpIOp::create(k.here(), k.loc(), arith::CmpIPredicate::sge,
                              inPart, k.constant(begin));
    Value isInside =
        arith::AndIOp::create(k.here(), k.loc(), from, k.lessThan(inPart, end));
    gpu.emitter.choosePiece(joined, index);
    LogicalResult built = buildIf(k, isInside, [&]() {
      // Of this scope, as is all that is read at it.
      Value own =
          arith::MaxSIOp::create(k.here(), k.loc(), column0, k.constant(begin));
      return buildTile(batch, row0, own);
    });
    if (failed(built))
      return failure();
    begin = end;
  }
  gpu.emitter.choosePiece(joined, std::nullopt);
  return success();
}

FailureOr<GpuLaunch> TransposeKernel::build() {
  tensor::ConcatOp joined = findJoined(gpu.dispatch(), shape, layout.columns);
  across = chooseAcross(joined);
  halves = findHalves(gpu.dispatch(), shape, layout.columns, joined);
  if (!halves.joins.empty() &&
      (halves.width % layout.readLanes ||
       layout.columns / layout.readLanes / 2 * layout.words % kTileThreads))
    halves = {};
  // A thread's sums are of the columns of one tile, at one place.
  if (!shape.sums.empty()) {
    across = 1;
    halves = {};
  }
  allocateTiles();
  int64_t rowTiles = llvm::divideCeil(shape.rows, layout.rows);
  // As many tiles as a block takes, at once.
  int64_t columnTiles =
      llvm::divideCeil(shape.columns, layout.columns * across);
  thread = gpu.threadId();
  block = gpu.blockId();
  // Blocks beside each other have the tiles of a row. Where rows are looked up,
  // they have tiles of the same columns: what they read of the table stays in
  // the second cache until it is read again.
  bool isByColumns =
      findRepeatedRows(gpu.dispatch(), shape.batch * shape.rows * shape.columns)
          .columns == shape.columns;
  int64_t inLine = isByColumns ? rowTiles : columnTiles,
          lines = isByColumns ? columnTiles : rowTiles;
  Value rest = k.div(block, inLine);
  Value rowTile = k.rem(block, inLine), columnTile = k.rem(rest, lines);
  if (!isByColumns)
    std::swap(rowTile, columnTile);
  Value column0 = k.mul(columnTile, layout.columns * across);
  Value row0 = k.mul(rowTile, layout.rows);
  Digit batch{shape.batch, k.div(rest, lines)};
  // What is reduced of a tile is stored by the tile's place.
  if (isByColumns)
    block =
        k.add(k.mul(k.add(k.mul(batch.value, rowTiles), rowTile), columnTiles),
              columnTile);
  if (failed(joined ? buildPieces(joined, batch, row0, column0)
                    : buildTile(batch, row0, column0)))
    return failure();
  return GpuLaunch{shape.batch * rowTiles * columnTiles,
                   {kTileThreads, 1, 1},
                   int32_t(across > 1 ? kWideBlocks : kResidentBlocks)};
}

FailureOr<GpuLaunch> prec::buildGpuTranspose(GpuKernel &gpu) {
  FailureOr<TransposeShape> shape = transposeOf(gpu.dispatch());
  if (failed(shape))
    return failure();
  return TransposeKernel(gpu, *shape).build();
}
