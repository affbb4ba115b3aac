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

#include "prec/Dialect/Train/Tiles.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::prec;

namespace {
constexpr int64_t kThreads = 256;
constexpr int64_t kResidentBlocks = 3;  ///< on a multiprocessor
constexpr int64_t kWords = 32;          ///< of a column of a tile, at least
constexpr int64_t kGroups = kWords / 4; ///< of four words, read at once

class TransposeKernel {
public:
  TransposeKernel(GpuKernel &gpu, TransposeShape &shape)
      : gpu(gpu), k(gpu.kernel()), shape(shape), reads(k) {}
  FailureOr<GpuLaunch> build();

private:
  void chooseTile();
  void allocateTiles();
  LogicalResult fill(Digit batch, Value row0, Value column0);
  LogicalResult fillPatch(Digit batch, Value row0, Value column0, Value word,
                          Value column);
  /// Reduces the elements at a position.
  LogicalResult accumulate(ArrayRef<Digit> at);
  LogicalResult drain(Digit batch, Value row0, Value column0);
  LogicalResult storeTileResults(Value memory);
  LogicalResult buildTile(Digit batch, Value row0, Value column0);
  /// The tile, in code of its own for each piece of `joined`.
  LogicalResult buildPieces(tensor::ConcatOp joined, Digit batch, Value row0,
                            Value column0);
  tensor::ConcatOp findJoined();
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
  Value thread, block;
  /// Of the parts of each matrix; empty where none is transposed.
  SmallVector<SmallVector<Value, 2>> memories;
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

void TransposeKernel::allocateTiles() {
  for (const TransposeShape::Matrix &matrix : shape.matrices) {
    Type word =
        rowsPerWord > 1 ? Type(k.here().getI32Type()) : elementOf(matrix);
    SmallVector<Value, 2> parts;
    for (unsigned part = 0; matrix.transposed && part < matrix.parts.size();
         ++part)
      parts.push_back(gpu.allocateShared(word, tile * words));
    memories.push_back(parts);
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

LogicalResult TransposeKernel::accumulate(ArrayRef<Digit> at) {
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
  // Values of each part: a vector of columns for each row.
  SmallVector<SmallVector<SmallVector<Value>, 2>> values;
  for (const TransposeShape::Matrix &matrix : shape.matrices)
    values.emplace_back(matrix.parts.size());
  // Loads may be placed in front of the condition that a thread is inside: it
  // reads the matrix's last elements where it is not.
  Value row = k.add(row0, k.mul(word, rowsPerWord));
  if (shape.rows % tile)
    row = k.min(row, shape.rows - rowsPerWord);
  Value first = k.add(column0, column);
  if (shape.columns % tile)
    first = k.min(first, shape.columns - readLanes);
  for (int64_t i = 0; i < rowsPerWord; ++i) {
    reads.startRow();
    Digit inRows{shape.rows, k.add(row, i)};
    Digit inColumns{shape.columns, first, readLanes, readLanes};
    Position at{batch, inRows, inColumns};
    for (auto [matrix, parts] : llvm::zip(shape.matrices, values))
      for (auto [part, rows] : llvm::zip(matrix.parts, parts)) {
        bool isPaired = isRoundedByPairs(matrix, part);
        Value value = isPaired ? gpu.emitter.emitUnrounded(part, at)
                               : gpu.emitter.emit(part, at);
        if (!value)
          return failure();
        value = gpu.emitter.spread(value, at);
        if (isPaired && i % 2)
          value = roundPair(rows.pop_back_val(), value, part);
        rows.push_back(value);
      }
    if (failed(accumulate(at)))
      return failure();
    // Results may replace inputs.
    for (auto [matrix, parts] : llvm::zip(shape.matrices, values))
      for (auto [part, rows] : llvm::enumerate(parts)) {
        Digit whole = columnOfPart(k, inColumns, part, matrix.parts.size());
        if (!matrix.transposed &&
            failed(gpu.emitter.store(matrix.result, {batch, inRows, whole},
                                     rows.back())))
          return failure();
      }
  }
  for (auto [parts, memory] : llvm::zip(values, memories))
    for (auto [rows, array] : llvm::zip(parts, memory))
      storeWords(array, rows, column, word);
  return success();
}

LogicalResult TransposeKernel::fill(Digit batch, Value row0, Value column0) {
  int64_t chunks = tile / readLanes;
  for (int64_t i = 0; i < chunks * words; i += kThreads) {
    Value item = k.add(thread, i);
    Value column = k.mul(k.rem(item, chunks), readLanes);
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

LogicalResult TransposeKernel::drain(Digit batch, Value row0, Value column0) {
  // As many words as `writeLanes` rows fill.
  int64_t count = writeLanes / rowsPerWord, chunks = words / count;
  auto patch = [&](Value item) -> LogicalResult {
    Value word = k.mul(k.rem(item, chunks), count),
          column = k.div(item, chunks);
    Value row = k.mul(word, rowsPerWord);
    auto body = [&]() -> LogicalResult {
      for (auto [matrix, parts] : llvm::zip(shape.matrices, memories))
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
    SmallVector<unsigned> results;
    Digit at{elementsOf(reductions.front().getResult()), block};
    for (auto [tiles, sum] : llvm::zip(shape.tiles, reduced)) {
      gpu.emitter.bindReduction(tiles.op, at, sum);
      results.push_back(tiles.result);
    }
    return gpu.emitter.emitResults(results, at);
  });
}

LogicalResult TransposeKernel::buildTile(Digit batch, Value row0,
                                         Value column0) {
  reduced.assign(reductions.size(), Value());
  if (failed(fill(batch, row0, column0)))
    return failure();
  reads.hoist();
  auto turned =
      llvm::find_if(memories, [](auto &parts) { return !parts.empty(); });
  Value memory = turned == memories.end() ? Value() : turned->front();
  if (memory) {
    gpu.barrier();
    if (failed(drain(batch, row0, column0)))
      return failure();
  }
  if (reductions.empty())
    return success();
  // Three tiles take all that a block has.
  if (memory)
    gpu.barrier();
  return storeTileResults(memory);
}

/// Whether the elements of `value` are only read where they lie in the matrix.
static bool staysInPlace(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    Operation *op = use.getOwner();
    if (isa<sched::YieldOp, train::TransposeOp, train::ReduceOp>(op))
      return true;
    bool keeps = op->hasTrait<OpTrait::Elementwise>() ||
                 isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op) ||
                 (isa<QuantizeOp>(op) && use.getOperandNumber() == 0);
    return keeps && staysInPlace(op->getResult(0));
  });
}

/// What the matrix is put together of, if every tile is of one piece: a block
/// then computes no other.
tensor::ConcatOp TransposeKernel::findJoined() {
  for (auto op : gpu.dispatch().getBody().front().getOps<tensor::ConcatOp>()) {
    auto isInTiles = [&](Value piece) {
      return cast<RankedTensorType>(piece.getType()).getShape().back() % tile ==
             0;
    };
    if (train::joinsColumns(op) &&
        op.getResultType().getShape().back() == shape.columns &&
        elementsOf(op) == shape.batch * shape.rows * shape.columns &&
        llvm::all_of(op.getInputs(), isInTiles) && staysInPlace(op))
      return op;
  }
  return {};
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
  allocateTiles();
  for (const TransposeShape::TileResult &tiles : shape.tiles)
    reductions.push_back(tiles.op);
  int64_t rowTiles = llvm::divideCeil(shape.rows, tile);
  int64_t columnTiles = llvm::divideCeil(shape.columns, tile);
  thread = gpu.threadId();
  block = gpu.blockId();
  Value rest = k.div(block, columnTiles);
  Value column0 = k.mul(k.rem(block, columnTiles), tile);
  Value row0 = k.mul(k.rem(rest, rowTiles), tile);
  Digit batch{shape.batch, k.div(rest, rowTiles)};
  tensor::ConcatOp joined = findJoined();
  if (failed(joined ? buildPieces(joined, batch, row0, column0)
                    : buildTile(batch, row0, column0)))
    return failure();
  return GpuLaunch{
      shape.batch * rowTiles * columnTiles, {kThreads, 1, 1}, kResidentBlocks};
}

FailureOr<GpuLaunch> prec::buildGpuTranspose(GpuKernel &gpu) {
  FailureOr<TransposeShape> shape = transposeOf(gpu.dispatch());
  if (failed(shape))
    return failure();
  return TransposeKernel(gpu, *shape).build();
}
