//===- GpuTranspose.cpp - transpose kernels on NVIDIA GPUs ----------------===//
//
// Matrices pass through tiles of shared memory, read and written in vectors
// along their own contiguous dimension; what is reduced of a tile is reduced on
// the way. Shared memory is kept as 32-bit words
// of one column: four rows of FP8, two of bf16, one of f32.
//
//===----------------------------------------------------------------------===//
#include "DispatchShape.h"
#include "EarlyReads.h"
#include "FloatConversion.h"
#include "GpuKernels.h"
#include "Loops.h"
#include "TilePieces.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::prec;

namespace {
constexpr int64_t kThreads = 256;
constexpr int64_t kResidentBlocks = 3;  ///< on a multiprocessor
constexpr int64_t kWideBlocks = 2;      ///< that take several tiles
constexpr int64_t kWords = 32;          ///< of a column of a tile, at least
constexpr int64_t kGroups = kWords / 4; ///< of four words, read at once

class TransposeKernel {
public:
  TransposeKernel(GpuKernel &gpu, TransposeShape &shape)
      : gpu(gpu), k(gpu.kernel()), shape(shape), reads(k) {}
  FailureOr<GpuLaunch> build();

private:
  void chooseTile();
  /// How many tiles side by side a block takes.
  int64_t chooseAcross(tensor::ConcatOp joined);
  void allocateTiles();
  LogicalResult fill(Digit batch, Value row0, Value column0);
  /// Values of each part of each matrix: of the rows of a word.
  using TileValues = SmallVector<SmallVector<SmallVector<Value>, 2>>;
  LogicalResult computeRow(ArrayRef<Digit> at, int64_t row, TileValues &values);
  /// What is wanted in rows, too.
  LogicalResult storeRow(ArrayRef<Digit> at, TileValues &values);
  LogicalResult fillPatch(Digit batch, Value row0, Value column0, Value word,
                          Value column);
  /// Reduces the elements at a position of a tile.
  LogicalResult accumulate(ArrayRef<Digit> at, MutableArrayRef<Value> reduced);
  /// Of the tile `index` of the block.
  LogicalResult drain(Digit batch, Value row0, Value column0, int64_t index);
  LogicalResult storeTileResults(Value memory);
  LogicalResult buildTile(Digit batch, Value row0, Value column0);
  /// The tile, in code of its own for each piece of `joined`.
  LogicalResult buildPieces(tensor::ConcatOp joined, Digit batch, Value row0,
                            Value column0);
  /// Whether two rows are rounded together, so that a column's elements need no
  /// shuffling.
  bool isRoundedByPairs(const TransposeShape::Matrix &matrix, Value part);
  /// What is kept of two such rows, a vector of columns each.
  Value roundPair(Value low, Value high, Value part);
  /// Words of one column from vectors of columns: of `rows`, or of pairs.
  void storeWords(Value memory, ArrayRef<Value> rows, Value column, Value word);
  Value loadWords(Value memory, Type element, Value column, Value word);
  /// What keeps a thread inside the matrix, or null.
  Value inside(Value row, Value column);
  /// Place of a word: columns follow each other, and neighbouring chunks of
  /// columns start in different banks.
  Value slot(Value column, Value word);
  Type elementOf(const TransposeShape::Matrix &matrix) const {
    return storageType(cast<RankedTensorType>(matrix.parts.front().getType())
                           .getElementType());
  }

  GpuKernel &gpu;
  KernelBuilder &k;
  TransposeShape &shape;
  int64_t rowsPerWord = 1; ///< 4 bytes of them
  int64_t readLanes = 1;   ///< columns read at once
  int64_t writeLanes = 1;  ///< rows of a transposed matrix written at once
  int64_t tile = kWords;   ///< rows and columns
  int64_t words = kWords;  ///< of a column of the tile
  int64_t across = 1;      ///< tiles of a block
  Halves halves;           ///< that a thread has both of
  Value thread, block;
  /// Of each tile, of the parts of each matrix; empty where none is transposed.
  SmallVector<SmallVector<SmallVector<Value, 2>>, 2> memories;
  /// Of each tile, in turn.
  SmallVector<train::ReduceOp> reductions;
  Carried reduced;
  EarlyReads reads;
};
} // namespace

/// A tile of FP8 is 32 words high, and one of wider elements 64 if there is
/// room: that many keep enough reads under way.
void TransposeKernel::chooseTile() {
  llvm::SmallSetVector<int64_t, 2> sizes;
  int64_t turnedBytes = 0; // at one position
  for (const TransposeShape::Matrix &matrix : shape.matrices)
    if (matrix.transposed) {
      sizes.insert(elementOf(matrix).getIntOrFloatBitWidth() / 8);
      turnedBytes += sizes.back() * int64_t(matrix.parts.size());
    }
  if (sizes.size() == 1)
    rowsPerWord = std::max<int64_t>(1, 4 / sizes.front());
  readLanes = std::min(gpu.lanesFor(shape.columns),
                       kVectorBytes / widestElement(gpu.dispatch()));
  writeLanes = std::min(gpu.lanesFor(shape.rows), 4 * rowsPerWord);
  // Odd sizes: an element a word, a column a thread.
  if (writeLanes < 4 * rowsPerWord || readLanes < 4) {
    rowsPerWord = 1;
    readLanes = writeLanes = std::min({readLanes, writeLanes, int64_t(4)});
  }
  int64_t high = 2 * kWords * rowsPerWord;
  bool hasRoom =
      rowsPerWord < 4 && high * high * turnedBytes <= kMaxSharedBytes;
  tile = shape.tile ? shape.tile : hasRoom ? high : high / 2;
  words = tile / rowsPerWord;
  // Each thread has a patch.
  readLanes = std::min(readLanes, tile * words / kThreads);
}

/// Rotary's cosines and sines are those of every head: two tiles ask the second
/// cache for them once.
int64_t TransposeKernel::chooseAcross(tensor::ConcatOp joined) {
  auto divides = [&](int64_t columns) { return columns % (2 * tile) == 0; };
  bool isWorth = divides(shape.columns) && shape.rows % tile == 0 &&
                 hasRowTables(gpu.dispatch(), shape, tile);
  if (joined)
    for (Value piece : joined.getInputs())
      isWorth &=
          divides(cast<RankedTensorType>(piece.getType()).getShape().back());
  int64_t bytes = 0;
  for (const TransposeShape::Matrix &matrix : shape.matrices)
    if (matrix.transposed)
      bytes +=
          int64_t(matrix.parts.size()) * tile * words *
          (rowsPerWord > 1 ? 4 : elementOf(matrix).getIntOrFloatBitWidth() / 8);
  return isWorth && 2 * bytes <= kMaxSharedBytes ? 2 : 1;
}

void TransposeKernel::allocateTiles() {
  memories.resize(across);
  for (auto &memory : memories)
    for (const TransposeShape::Matrix &matrix : shape.matrices) {
      Type word =
          rowsPerWord > 1 ? Type(k.here().getI32Type()) : elementOf(matrix);
      SmallVector<Value, 2> parts;
      for (unsigned part = 0; matrix.transposed && part < matrix.parts.size();
           ++part)
        parts.push_back(gpu.allocateShared(word, tile * words));
      memory.push_back(parts);
    }
}

Value TransposeKernel::inside(Value row, Value column) {
  Value result;
  auto require = [&](Value condition) {
    result = result
                 ? arith::AndIOp::create(k.here(), k.loc(), result, condition)
                 : condition;
  };
  if (shape.rows % tile)
    require(k.lessThan(row, shape.rows));
  if (shape.columns % tile)
    require(k.lessThan(column, shape.columns));
  return result;
}

Value TransposeKernel::slot(Value column, Value word) {
  Value chunk = k.rem(k.div(column, readLanes), kGroups);
  Value swizzled =
      arith::XOrIOp::create(k.here(), k.loc(), word, k.mul(chunk, 4));
  return k.add(k.mul(column, words), swizzled);
}

bool TransposeKernel::isRoundedByPairs(const TransposeShape::Matrix &matrix,
                                       Value part) {
  // What is stored in rows is rounded for that already.
  auto isStored = [&](const TransposeShape::Matrix &other) {
    return !other.transposed && llvm::is_contained(other.parts, part);
  };
  return matrix.transposed && rowsPerWord > 1 && isRounded(part) &&
         llvm::none_of(shape.matrices, isStored);
}

Value TransposeKernel::roundPair(Value low, Value high, Value part) {
  OpBuilder &b = k.here();
  auto to =
      cast<FloatType>(cast<RankedTensorType>(part.getType()).getElementType());
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < readLanes; ++lane)
    order.append({lane, readLanes + lane});
  Expr both(b, k.loc(),
            vector::ShuffleOp::create(b, k.loc(), low, high, order));
  auto pairs = VectorType::get(readLanes, b.getIntegerType(2 * to.getWidth()));
  return vector::BitCastOp::create(b, k.loc(), pairs,
                                   truncateFromF32(both, to, k.target));
}

void TransposeKernel::storeWords(Value memory, ArrayRef<Value> rows,
                                 Value column, Value word) {
  OpBuilder &b = k.here();
  for (int64_t lane = 0; lane < readLanes; ++lane) {
    SmallVector<Value> elements;
    for (Value row : rows)
      elements.push_back(readLanes == 1 ? row
                                        : Value(vector::ExtractOp::create(
                                              b, k.loc(), row, lane)));
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

LogicalResult TransposeKernel::accumulate(ArrayRef<Digit> at,
                                          MutableArrayRef<Value> reduced) {
  for (auto [tiles, sum] : llvm::zip(shape.tiles, reduced)) {
    Value source = tiles.getSource();
    Value term = gpu.emitter.emit(source, at);
    if (!term)
      return failure();
    term = toAccumulator(
        k.here(), k.loc(), gpu.emitter.spread(term, at),
        cast<RankedTensorType>(source.getType()).getElementType(), k.target);
    // One register each, and not one for each lane.
    term = foldLanes(k.here(), k.loc(), tiles.op.getKind(), term);
    sum =
        sum ? combine(k.here(), k.loc(), tiles.op.getKind(), sum, term) : term;
  }
  return success();
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
  Value row = k.add(row0, k.mul(word, rowsPerWord));
  if (shape.rows % tile)
    row = k.min(row, shape.rows - rowsPerWord);
  Value first = k.add(column0, column);
  if (shape.columns % tile)
    first = k.min(first, shape.columns - readLanes);
  size_t sums = shape.tiles.size();
  for (int64_t i = 0; i < rowsPerWord; ++i) {
    reads.startRow();
    Digit inRows{shape.rows, k.add(row, i)};
    for (auto [share, own] : llvm::enumerate(values)) {
      int64_t index = share / parts, half = share % parts;
      for (tensor::ConcatOp join : halves.joins)
        gpu.emitter.choosePiece(join, half);
      Value start = k.add(first, index * tile + half * halves.width);
      Digit inColumns{shape.columns, start, readLanes, readLanes};
      Digit at[] = {batch, inRows, inColumns};
      if (failed(computeRow(at, i, own)) ||
          failed(accumulate(
              at, MutableArrayRef(reduced).slice(index * sums, sums))) ||
          failed(storeRow(at, own)))
        return failure();
    }
  }
  for (tensor::ConcatOp join : halves.joins)
    gpu.emitter.choosePiece(join, std::nullopt);
  for (auto [share, own] : llvm::enumerate(values)) {
    Value start = k.add(column, share % parts * halves.width);
    for (auto [parts, arrays] : llvm::zip(own, memories[share / parts]))
      for (auto [rows, array] : llvm::zip(parts, arrays))
        storeWords(array, rows, start, word);
  }
  return success();
}

LogicalResult TransposeKernel::computeRow(ArrayRef<Digit> at, int64_t row,
                                          TileValues &values) {
  for (auto [matrix, parts] : llvm::zip(shape.matrices, values))
    for (auto [part, rows] : llvm::zip(matrix.parts, parts)) {
      bool isPaired = isRoundedByPairs(matrix, part);
      Value value = isPaired ? gpu.emitter.emitUnrounded(part, at)
                             : gpu.emitter.emit(part, at);
      if (!value)
        return failure();
      value = gpu.emitter.spread(value, at);
      if (isPaired && row % 2)
        value = roundPair(rows.pop_back_val(), value, part);
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
  int64_t chunks = tile / readLanes / (hasHalves ? 2 : 1);
  for (int64_t i = 0; i < chunks * words; i += kThreads) {
    Value item = k.add(thread, i);
    Value column = k.mul(k.rem(item, chunks), readLanes);
    if (hasHalves)
      column = k.add(k.mul(k.div(column, halves.width), 2 * halves.width),
                     k.rem(column, halves.width));
    Value word = k.div(item, chunks);
    auto body = [&]() { return fillPatch(batch, row0, column0, word, column); };
    Value guard =
        inside(k.add(row0, k.mul(word, rowsPerWord)), k.add(column0, column));
    if (failed(guard ? buildIf(k, guard, body) : body()))
      return failure();
  }
  return success();
}

Value TransposeKernel::loadWords(Value memory, Type element, Value column,
                                 Value word) {
  OpBuilder &b = k.here();
  int64_t count = writeLanes / rowsPerWord;
  unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  Type stored = rowsPerWord > 1 ? Type(b.getI32Type()) : element;
  Value value;
  if (count == 4) {
    // Swizzling moves groups of four words.
    value = gpu.loadShared(memory, VectorType::get(count, stored),
                           slot(column, word),
                           count * (rowsPerWord > 1 ? 4 : bytes));
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
  if (rowsPerWord > 1)
    value = vector::BitCastOp::create(
        b, k.loc(), VectorType::get(writeLanes, element), value);
  return value;
}

LogicalResult TransposeKernel::drain(Digit batch, Value row0, Value column0,
                                     int64_t index) {
  // As many words as `writeLanes` rows fill.
  int64_t count = writeLanes / rowsPerWord, chunks = words / count;
  auto patch = [&](Value item) -> LogicalResult {
    Value word = k.mul(k.rem(item, chunks), count),
          column = k.div(item, chunks);
    Value row = k.mul(word, rowsPerWord);
    auto body = [&]() -> LogicalResult {
      for (auto [matrix, parts] : llvm::zip(shape.matrices, memories[index]))
        for (auto [part, memory] : llvm::enumerate(parts)) {
          Digit inColumns{shape.columns, k.add(column0, column)};
          Digit inRows{shape.rows, k.add(row0, row), writeLanes, writeLanes};
          if (failed(gpu.emitter.store(
                  matrix.result,
                  {batch, columnOfPart(k, inColumns, part, matrix.parts.size()),
                   inRows},
                  loadWords(memory, elementOf(matrix), column, word))))
            return failure();
        }
      return success();
    };
    Value guard = inside(k.add(row0, row), k.add(column0, column));
    return guard ? buildIf(k, guard, body) : body();
  };
  for (int64_t i = 0; i < tile * chunks; i += kThreads)
    if (failed(patch(k.add(thread, i))))
      return failure();
  return success();
}

LogicalResult TransposeKernel::storeTileResults(Value memory) {
  gpu.reduceWarps(reductions, reduced, thread, kThreads / kWarp, memory);
  return buildIf(k, k.lessThan(thread, 1), [&]() {
    ArrayRef<Value> rest = reduced;
    for (int64_t i = 0; i < across; ++i) {
      SmallVector<unsigned> results;
      Digit at{elementsOf(reductions.front().getResult()),
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

LogicalResult TransposeKernel::buildTile(Digit batch, Value row0,
                                         Value column0) {
  reduced.assign(reductions.size(), Value());
  if (failed(fill(batch, row0, column0)))
    return failure();
  reads.hoist();
  auto turned = llvm::find_if(memories.front(),
                              [](auto &parts) { return !parts.empty(); });
  Value memory = turned == memories.front().end() ? Value() : turned->front();
  if (memory) {
    gpu.barrier();
    for (int64_t i = 0; i < across; ++i)
      if (failed(drain(batch, row0, k.add(column0, i * tile), i)))
        return failure();
  }
  if (reductions.empty())
    return success();
  // Three tiles take all that a block has.
  if (memory)
    gpu.barrier();
  return storeTileResults(memory);
}

LogicalResult TransposeKernel::buildPieces(tensor::ConcatOp joined, Digit batch,
                                           Value row0, Value column0) {
  int64_t begin = 0;
  for (auto [index, piece] : llvm::enumerate(joined.getInputs())) {
    int64_t end =
        begin + cast<RankedTensorType>(piece.getType()).getShape().back();
    Value from =
        arith::CmpIOp::create(k.here(), k.loc(), arith::CmpIPredicate::sge,
                              column0, k.constant(begin));
    Value isInside = arith::AndIOp::create(k.here(), k.loc(), from,
                                           k.lessThan(column0, end));
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
  chooseTile();
  tensor::ConcatOp joined = findJoined(gpu.dispatch(), shape, tile);
  across = chooseAcross(joined);
  halves = findHalves(gpu.dispatch(), shape, tile, joined);
  if (!halves.joins.empty() &&
      (halves.width % readLanes || tile / readLanes / 2 * words % kThreads))
    halves = {};
  allocateTiles();
  for (int64_t i = 0; i < across; ++i)
    for (const TransposeShape::TileResult &tiles : shape.tiles)
      reductions.push_back(tiles.op);
  int64_t rowTiles = llvm::divideCeil(shape.rows, tile);
  // As many tiles as a block takes, at once.
  int64_t columnTiles = llvm::divideCeil(shape.columns, tile * across);
  thread = gpu.threadId();
  block = gpu.blockId();
  Value rest = k.div(block, columnTiles);
  Value column0 = k.mul(k.rem(block, columnTiles), tile * across);
  Value row0 = k.mul(k.rem(rest, rowTiles), tile);
  Digit batch{shape.batch, k.div(rest, rowTiles)};
  if (failed(joined ? buildPieces(joined, batch, row0, column0)
                    : buildTile(batch, row0, column0)))
    return failure();
  return GpuLaunch{shape.batch * rowTiles * columnTiles,
                   {kThreads, 1, 1},
                   int32_t(across > 1 ? kWideBlocks : kResidentBlocks)};
}

FailureOr<GpuLaunch> prec::buildGpuTranspose(GpuKernel &gpu) {
  FailureOr<TransposeShape> shape = transposeOf(gpu.dispatch());
  if (failed(shape))
    return failure();
  return TransposeKernel(gpu, *shape).build();
}
