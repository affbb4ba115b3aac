//===- CpuTranspose.cpp - transpose kernels on the CPU --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that write matrices in rows and transposed, from one read. The matrix
// is divided into tiles of 32 by 32 elements (or as the reductions of tiles
// say), which stay in the first cache. A tile is filled row by row: values are
// computed, stored where they are wanted in rows, and put into a buffer where
// they are wanted transposed. Then the buffer is drained column by column, in
// vectors along the rows of the transposed matrix. On the way each value is
// added to what is reduced of the tile or of its columns. An index of the
// kernel is a row of tiles.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Cpu/CpuKernels.h"
#include "Codegen/DispatchShape.h"
#include "Codegen/Emitter/Loops.h"
#include "Codegen/TransposeShape.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace prec;

static constexpr int64_t kTile = 32; ///< rows and columns, by default

namespace {
/// A tile of one matrix on its way from rows to columns.
struct Tile {
  KernelBuilder *kernel;
  int64_t columns;
  Type element;
  Value memory;

  Value pointer(Value row, Value column) {
    KernelBuilder &k = *kernel;
    Value offset = k.add(k.mul(row, columns), column);
    return LLVM::GEPOp::create(k.here(), k.loc(), memory.getType(), element,
                               memory, ValueRange{offset});
  }
  unsigned bytes() const { return element.getIntOrFloatBitWidth() / 8; }

  void store(Value row, Value column, Value value) {
    KernelBuilder &k = *kernel;
    LLVM::StoreOp::create(k.here(), k.loc(), value, pointer(row, column),
                          bytes());
  }
  Value loadColumn(Value row, Value column, int64_t lanes) {
    KernelBuilder &k = *kernel;
    SmallVector<Value> elements;
    for (int64_t lane = 0; lane < lanes; ++lane)
      elements.push_back(LLVM::LoadOp::create(k.here(), k.loc(), element,
                                              pointer(k.add(row, lane), column),
                                              bytes()));
    if (lanes == 1)
      return elements.front();
    return vector::FromElementsOp::create(
        k.here(), k.loc(), VectorType::get(lanes, element), elements);
  }
};

/// What is reduced of a tile, a partial result for each lane of the vectors
/// that pass.
class TileReduction {
public:
  TileReduction(CpuKernel &cpu, TransposeShape::TileResult tiles)
      : cpu(cpu), op(tiles.op), source(tiles.getSource()) {
    KernelBuilder &k = cpu.kernel();
    lanes = accumulatorType(
        cast<RankedTensorType>(source.getType()).getElementType());
    if (cpu.plan.lanes > 1)
      lanes = VectorType::get(cpu.plan.lanes, lanes);
    memory = LLVM::AllocaOp::create(
        k.here(), k.loc(), LLVM::LLVMPointerType::get(lanes.getContext()),
        lanes, k.constant(1), /*alignment=*/64);
  }

  void begin() {
    KernelBuilder &k = cpu.kernel();
    Value none = neutralElement(k.here(), k.loc(), op.getKind(), lanes);
    LLVM::StoreOp::create(k.here(), k.loc(), none, memory);
  }
  /// Reduces the elements at a position: single ones into the first lane.
  LogicalResult add(ArrayRef<Digit> at) {
    KernelBuilder &k = cpu.kernel();
    Value term = cpu.emitter.emitTerm(source, at);
    if (!term)
      return failure();
    Value before =
        LLVM::LoadOp::create(k.here(), k.loc(), term.getType(), memory);
    LLVM::StoreOp::create(
        k.here(), k.loc(),
        combine(k.here(), k.loc(), op.getKind(), before, term), memory);
    return success();
  }
  void end(Digit at) {
    KernelBuilder &k = cpu.kernel();
    Value partial = LLVM::LoadOp::create(k.here(), k.loc(), lanes, memory);
    cpu.emitter.bindReduction(
        op, at, foldLanes(k.here(), k.loc(), op.getKind(), partial));
  }

private:
  CpuKernel &cpu;
  train::ReduceOp op;
  Value source, memory;
  Type lanes;
};

/// What is reduced of the columns of a tile.
class ColumnSums {
public:
  ColumnSums(CpuKernel &cpu, TransposeShape::TileResult sums, int64_t size)
      : cpu(cpu), op(sums.op), source(sums.getSource()), size(size) {
    KernelBuilder &k = cpu.kernel();
    element = accumulatorType(
        cast<RankedTensorType>(source.getType()).getElementType());
    memory = LLVM::AllocaOp::create(
        k.here(), k.loc(), LLVM::LLVMPointerType::get(element.getContext()),
        element, k.constant(size), /*alignment=*/64);
  }

  LogicalResult begin() {
    KernelBuilder &k = cpu.kernel();
    return cpu.line(size, k.constant(0), k.constant(size), [&](Digit column) {
      Type type = element;
      if (column.lanes > 1)
        type = VectorType::get(column.lanes, element);
      store(column.value,
            neutralElement(k.here(), k.loc(), op.getKind(), type));
      return success();
    });
  }
  /// Adds the elements at a position, `column` of the tile.
  LogicalResult add(ArrayRef<Digit> at, Value column) {
    KernelBuilder &k = cpu.kernel();
    Value term = cpu.emitter.emitTerm(source, at);
    if (!term)
      return failure();
    Value before = LLVM::LoadOp::create(k.here(), k.loc(), term.getType(),
                                        pointer(column), bytes());
    store(column, combine(k.here(), k.loc(), op.getKind(), before, term));
    return success();
  }
  /// Of one column of the tile, the one at `at` of the result.
  void end(ArrayRef<Digit> at, Value column) {
    KernelBuilder &k = cpu.kernel();
    Type type = element;
    if (lanesOf(at) > 1)
      type = VectorType::get(lanesOf(at), element);
    cpu.emitter.bindReduction(op, at,
                              LLVM::LoadOp::create(k.here(), k.loc(), type,
                                                   pointer(column), bytes()));
  }

private:
  unsigned bytes() const { return element.getIntOrFloatBitWidth() / 8; }
  Value pointer(Value column) {
    KernelBuilder &k = cpu.kernel();
    return LLVM::GEPOp::create(k.here(), k.loc(), memory.getType(), element,
                               memory, ValueRange{column});
  }
  void store(Value column, Value value) {
    KernelBuilder &k = cpu.kernel();
    LLVM::StoreOp::create(k.here(), k.loc(), value, pointer(column), bytes());
  }

  CpuKernel &cpu;
  train::ReduceOp op;
  Value source, memory;
  Type element;
  int64_t size; ///< columns of a tile
};

/// Writes a matrix in rows, transposed in columns, tile by tile.
class TransposeKernel {
public:
  TransposeKernel(CpuKernel &cpu, TransposeShape &shape)
      : cpu(cpu), k(cpu.kernel()), shape(shape),
        rows(shape.tileRows ? shape.tileRows : kTile),
        columns(shape.tileColumns ? shape.tileColumns : kTile),
        rowTiles(llvm::divideCeil(shape.rows, rows)) {}
  FailureOr<int64_t> build();

private:
  void allocateTiles();
  LogicalResult buildTile(Digit batch, Value row0, Value column0);
  LogicalResult fill(Digit batch, Digit row, Value row0, Digit column,
                     Value column0);
  LogicalResult drain(Digit batch, Digit row, Value row0, Digit column,
                      Value column0);
  LogicalResult storeSums(Value row0, Value column0, Value column1);

  CpuKernel &cpu;
  KernelBuilder &k;
  TransposeShape &shape;
  int64_t rows, columns; ///< of a tile
  int64_t rowTiles;
  /// Of the parts of each matrix; empty where none is transposed.
  SmallVector<SmallVector<Tile, 2>> memories;
  SmallVector<TileReduction> reductions;
  SmallVector<ColumnSums> sums;
};
} // namespace

void TransposeKernel::allocateTiles() {
  for (const TransposeShape::Matrix &matrix : shape.matrices) {
    Type element =
        storageType(cast<RankedTensorType>(matrix.parts.front().getType())
                        .getElementType());
    SmallVector<Tile, 2> parts;
    for (unsigned part = 0; matrix.transposed && part < matrix.parts.size();
         ++part) {
      Value memory = LLVM::AllocaOp::create(
          k.here(), k.loc(), LLVM::LLVMPointerType::get(element.getContext()),
          element, k.constant(rows * columns), /*alignment=*/64);
      parts.push_back({&k, columns, element, memory});
    }
    memories.push_back(parts);
  }
  for (const TransposeShape::TileResult &tiles : shape.tiles)
    reductions.emplace_back(cpu, tiles);
  for (const TransposeShape::TileResult &own : shape.sums)
    sums.emplace_back(cpu, own, columns);
}

LogicalResult TransposeKernel::fill(Digit batch, Digit row, Value row0,
                                    Digit column, Value column0) {
  Position at{batch, row, column};
  SmallVector<SmallVector<Value, 2>> values;
  for (const TransposeShape::Matrix &matrix : shape.matrices) {
    values.emplace_back();
    for (Value part : matrix.parts) {
      Value value = cpu.emitter.emit(part, at);
      if (!value)
        return failure();
      values.back().push_back(cpu.emitter.spread(value, at));
    }
  }
  for (TileReduction &reduction : reductions)
    if (failed(reduction.add(at)))
      return failure();
  for (ColumnSums &own : sums)
    if (failed(own.add(at, k.subtract(column.value, column0))))
      return failure();
  // Results may replace inputs.
  for (auto [matrix, parts, tiles] :
       llvm::zip(shape.matrices, values, memories))
    for (auto [part, value] : llvm::enumerate(parts)) {
      if (matrix.transposed)
        tiles[part].store(k.subtract(row.value, row0),
                          k.subtract(column.value, column0), value);
      else if (failed(cpu.emitter.store(
                   matrix.result,
                   {batch, row,
                    columnOfPart(k, column, part, matrix.parts.size())},
                   value)))
        return failure();
    }
  return success();
}

LogicalResult TransposeKernel::drain(Digit batch, Digit row, Value row0,
                                     Digit column, Value column0) {
  for (auto [matrix, tiles] : llvm::zip(shape.matrices, memories))
    for (auto [part, tile] : llvm::enumerate(tiles)) {
      Value value =
          tile.loadColumn(k.subtract(row.value, row0),
                          k.subtract(column.value, column0), row.lanes);
      if (failed(cpu.emitter.store(
              matrix.result,
              {batch, columnOfPart(k, column, part, matrix.parts.size()), row},
              value)))
        return failure();
    }
  return success();
}

LogicalResult TransposeKernel::storeSums(Value row0, Value column0,
                                         Value column1) {
  SmallVector<unsigned> results;
  for (const TransposeShape::TileResult &own : shape.sums)
    results.push_back(own.result);
  Digit group{shape.rows / rows, k.div(row0, rows)};
  return cpu.line(shape.columns, column0, column1, [&](Digit column) {
    Digit at[] = {group, column};
    for (ColumnSums &own : sums)
      own.end(at, k.subtract(column.value, column0));
    return cpu.emitter.emitResults(results, at);
  });
}

LogicalResult TransposeKernel::buildTile(Digit batch, Value row0,
                                         Value column0) {
  Value row1 = k.min(k.add(row0, rows), shape.rows);
  Value column1 = k.min(k.add(column0, columns), shape.columns);
  for (TileReduction &reduction : reductions)
    reduction.begin();
  for (ColumnSums &own : sums)
    if (failed(own.begin()))
      return failure();
  auto fillRow = [&](Value row) {
    return cpu.line(shape.columns, column0, column1, [&](Digit column) {
      return fill(batch, Digit{shape.rows, row}, row0, column, column0);
    });
  };
  if (failed(buildLoop(k, row0, row1, 1, fillRow)))
    return failure();
  auto drainColumn = [&](Value column) {
    return cpu.line(shape.rows, row0, row1, [&](Digit row) {
      return drain(batch, row, row0, Digit{shape.columns, column}, column0);
    });
  };
  if (failed(buildLoop(k, column0, column1, 1, drainColumn)))
    return failure();
  if (!sums.empty() && failed(storeSums(row0, column0, column1)))
    return failure();
  if (reductions.empty())
    return success();
  int64_t columnTiles = llvm::divideCeil(shape.columns, columns);
  Value rowTile = k.add(k.mul(batch.value, rowTiles), k.div(row0, rows));
  Value tile = k.add(k.mul(rowTile, columnTiles), k.div(column0, columns));
  Digit at{shape.batch * rowTiles * columnTiles, tile};
  SmallVector<unsigned> results;
  for (auto [tiles, reduction] : llvm::zip(shape.tiles, reductions)) {
    reduction.end(at);
    results.push_back(tiles.result);
  }
  return cpu.emitter.emitResults(results, at);
}

FailureOr<int64_t> TransposeKernel::build() {
  allocateTiles();
  auto body = [&](Value index) -> LogicalResult {
    Digit batch{shape.batch, k.div(index, rowTiles)};
    Value row0 = k.mul(k.rem(index, rowTiles), rows);
    return buildLoop(
        k, k.constant(0), k.constant(shape.columns), columns,
        [&](Value column0) { return buildTile(batch, row0, column0); });
  };
  if (failed(buildLoop(k, cpu.begin, cpu.end, 1, body)))
    return failure();
  return shape.batch * rowTiles;
}

FailureOr<int64_t> prec::buildCpuTranspose(CpuKernel &cpu) {
  FailureOr<TransposeShape> shape = transposeOf(cpu.dispatch());
  if (failed(shape))
    return failure();
  return TransposeKernel(cpu, *shape).build();
}
