//===- GpuTranspose.cpp - transpose kernels on NVIDIA GPUs ----------------===//
//
// Matrices pass through tiles of shared memory, read and written in vectors
// along their own contiguous dimension. Shared memory is kept as 32-bit words
// of one column: four rows of FP8, two of bf16, one of f32.
//
//===----------------------------------------------------------------------===//
#include "DispatchShape.h"
#include "GpuKernels.h"
#include "Loops.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::prec;

namespace {
constexpr int64_t kThreads = 256;
constexpr int64_t kWords = 32; ///< of a column of the tile

class TransposeKernel {
public:
  TransposeKernel(GpuKernel &gpu, TransposeShape &shape)
      : gpu(gpu), k(gpu.kernel()), shape(shape) {}
  FailureOr<GpuLaunch> build();

private:
  void chooseTile();
  LogicalResult fill(Digit batch, Value row0, Value column0);
  LogicalResult drain(Digit batch, Value row0, Value column0);
  /// What keeps a thread inside the matrix, or null.
  Value inside(Value row, Value column);
  /// Place of a word: columns follow each other, and neighbouring chunks of
  /// columns start in different banks.
  Value slot(Value column, Value word);

  GpuKernel &gpu;
  KernelBuilder &k;
  TransposeShape &shape;
  int64_t rowsPerWord = 1; ///< 4 bytes of them
  int64_t lanes = 1;       ///< columns read, and rows written, at once
  int64_t tile = kWords;   ///< rows and columns
  Value thread;
  SmallVector<Value> tiles;
  SmallVector<Type> elements;
};
} // namespace

/// A tile is 32 words high; with 16-byte accesses that is the size at which
/// each thread reads one patch of words.
void TransposeKernel::chooseTile() {
  llvm::SmallSetVector<int64_t, 2> sizes;
  for (auto [element, transposed] : llvm::zip(elements, shape.transposed))
    if (transposed)
      sizes.insert(element.getIntOrFloatBitWidth() / 8);
  if (sizes.size() == 1)
    rowsPerWord = std::max<int64_t>(1, 4 / sizes.front());
  // Odd sizes: an element a word, a column a thread.
  lanes = std::min(gpu.lanesFor(shape.rows), gpu.lanesFor(shape.columns));
  lanes = std::min(lanes, 4 * rowsPerWord);
  if (lanes < 4 * rowsPerWord)
    rowsPerWord = 1;
  lanes = std::min(lanes, 4 * rowsPerWord);
  tile = kWords * rowsPerWord;
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
  Value chunk = k.rem(k.div(column, lanes), kWords / 4);
  Value swizzled =
      arith::XOrIOp::create(k.here(), k.loc(), word, k.mul(chunk, 4));
  return k.add(k.mul(column, kWords), swizzled);
}

LogicalResult TransposeKernel::fill(Digit batch, Value row0, Value column0) {
  int64_t chunks = tile / lanes;
  auto patch = [&](Value item) -> LogicalResult {
    Value column = k.mul(k.rem(item, chunks), lanes),
          word = k.div(item, chunks);
    Value row = k.mul(word, rowsPerWord);
    auto body = [&]() -> LogicalResult {
      // Values of each result: a vector of columns for each row.
      SmallVector<SmallVector<Value>> values(shape.sources.size());
      for (int64_t i = 0; i < rowsPerWord; ++i) {
        Position at{batch, Digit{shape.rows, k.add(k.add(row0, row), i)},
                    Digit{shape.columns, k.add(column0, column), lanes, lanes}};
        for (auto [index, source] : llvm::enumerate(shape.sources)) {
          Value value = gpu.emitter.emit(source, at);
          if (!value)
            return failure();
          values[index].push_back(gpu.emitter.spread(value, at));
          if (!shape.transposed[index] &&
              failed(gpu.emitter.store(index, at, value)))
            return failure();
        }
      }
      for (auto [index, rows] : llvm::enumerate(values)) {
        if (!shape.transposed[index])
          continue;
        for (int64_t lane = 0; lane < lanes; ++lane) {
          SmallVector<Value> elementsOfWord;
          for (Value row : rows)
            elementsOfWord.push_back(lanes == 1
                                         ? row
                                         : Value(vector::ExtractOp::create(
                                               k.here(), k.loc(), row, lane)));
          Value packed = elementsOfWord.front();
          if (rowsPerWord > 1) {
            OpBuilder &b = k.here();
            packed = vector::FromElementsOp::create(
                b, k.loc(), VectorType::get(rowsPerWord, elements[index]),
                elementsOfWord);
            packed = vector::ExtractOp::create(
                b, k.loc(),
                vector::BitCastOp::create(
                    b, k.loc(), VectorType::get(1, b.getI32Type()), packed),
                0);
          }
          gpu.storeShared(tiles[index], packed,
                          slot(k.add(column, lane), word));
        }
      }
      return success();
    };
    Value guard = inside(k.add(row0, row), k.add(column0, column));
    return guard ? buildIf(k, guard, body) : body();
  };
  for (int64_t i = 0; i < chunks * kWords; i += kThreads)
    if (failed(patch(k.add(thread, i))))
      return failure();
  return success();
}

LogicalResult TransposeKernel::drain(Digit batch, Value row0, Value column0) {
  // As many words as `lanes` rows fill.
  int64_t words = lanes / rowsPerWord, chunks = kWords / words;
  auto patch = [&](Value item) -> LogicalResult {
    Value word = k.mul(k.rem(item, chunks), words),
          column = k.div(item, chunks);
    Value row = k.mul(word, rowsPerWord);
    auto body = [&]() -> LogicalResult {
      for (auto [index, memory] : llvm::enumerate(tiles)) {
        if (!memory)
          continue;
        OpBuilder &b = k.here();
        Type element = elements[index];
        unsigned bytes = element.getIntOrFloatBitWidth() / 8;
        Value value;
        if (words == 4) {
          // Swizzling moves groups of four words.
          Type quad = VectorType::get(
              words, rowsPerWord > 1 ? Type(b.getI32Type()) : element);
          value = gpu.loadShared(memory, quad, slot(column, word),
                                 words * (rowsPerWord > 1 ? 4 : bytes));
        } else {
          SmallVector<Value> loaded;
          for (int64_t i = 0; i < words; ++i)
            loaded.push_back(
                gpu.loadShared(memory, element, slot(column, k.add(word, i))));
          value = loaded.front();
          if (words > 1)
            value = vector::FromElementsOp::create(
                k.here(), k.loc(), VectorType::get(words, element), loaded);
        }
        if (rowsPerWord > 1)
          value = vector::BitCastOp::create(
              k.here(), k.loc(), VectorType::get(lanes, element), value);
        Position at{batch, Digit{shape.columns, k.add(column0, column)},
                    Digit{shape.rows, k.add(row0, row), lanes, lanes}};
        if (failed(gpu.emitter.store(index, at, value)))
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

FailureOr<GpuLaunch> TransposeKernel::build() {
  for (Value source : shape.sources)
    elements.push_back(
        storageType(cast<RankedTensorType>(source.getType()).getElementType()));
  chooseTile();
  for (auto [element, transposed] : llvm::zip(elements, shape.transposed))
    tiles.push_back(transposed
                        ? gpu.allocateShared(
                              rowsPerWord > 1 ? k.here().getI32Type() : element,
                              tile * kWords)
                        : Value());
  int64_t rowTiles = llvm::divideCeil(shape.rows, tile);
  int64_t columnTiles = llvm::divideCeil(shape.columns, tile);
  thread = gpu.threadId();
  Value block = gpu.blockId(), rest = k.div(block, columnTiles);
  Value column0 = k.mul(k.rem(block, columnTiles), tile);
  Value row0 = k.mul(k.rem(rest, rowTiles), tile);
  Digit batch{shape.batch, k.div(rest, rowTiles)};
  if (failed(fill(batch, row0, column0)))
    return failure();
  gpu.barrier();
  if (failed(drain(batch, row0, column0)))
    return failure();
  return GpuLaunch{shape.batch * rowTiles * columnTiles, {kThreads, 1, 1}};
}

FailureOr<GpuLaunch> prec::buildGpuTranspose(GpuKernel &gpu) {
  FailureOr<TransposeShape> shape = transposeOf(gpu.dispatch());
  if (failed(shape))
    return failure();
  return TransposeKernel(gpu, *shape).build();
}
