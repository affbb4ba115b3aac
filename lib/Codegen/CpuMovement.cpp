//===- CpuMovement.cpp - transpose and scatter-add kernels on the CPU -----===//
#include "CpuKernels.h"
#include "DispatchShape.h"
#include "FloatConversion.h"
#include "Loops.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::prec;

static constexpr int64_t kTile = 32;

namespace {
/// Tiles of one result on their way from rows to columns.
struct Tile {
  KernelBuilder &k;
  Type element;
  Value memory;

  Value pointer(Value row, Value column) {
    Value offset = k.add(k.mul(row, kTile), column);
    return LLVM::GEPOp::create(k.here(), k.loc(), memory.getType(), element,
                               memory, ValueRange{offset});
  }
  unsigned bytes() const { return element.getIntOrFloatBitWidth() / 8; }

  void store(Value row, Value column, Value value) {
    LLVM::StoreOp::create(k.here(), k.loc(), value, pointer(row, column),
                          bytes());
  }
  Value loadColumn(Value row, Value column, int64_t lanes) {
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
} // namespace

FailureOr<int64_t> prec::buildCpuTranspose(CpuKernel &cpu) {
  KernelBuilder &k = cpu.kernel();
  FailureOr<TransposeShape> shape = transposeOf(cpu.dispatch());
  if (failed(shape))
    return failure();
  int64_t batch = shape->batch, rows = shape->rows, columns = shape->columns;
  const auto &sources = shape->sources;
  const auto &transposed = shape->transposed;
  SmallVector<Tile> tiles;
  for (auto [source, isTransposed] : llvm::zip(sources, transposed)) {
    Type element =
        storageType(cast<RankedTensorType>(source.getType()).getElementType());
    Value memory;
    if (isTransposed)
      memory = LLVM::AllocaOp::create(
          k.here(), k.loc(), LLVM::LLVMPointerType::get(element.getContext()),
          element, k.constant(kTile * kTile), /*alignment=*/64);
    tiles.push_back({k, element, memory});
  }
  int64_t rowTiles = llvm::divideCeil(rows, kTile);
  auto body = [&](Value index) -> LogicalResult {
    Digit outer{batch, k.div(index, rowTiles)};
    Value row0 = k.mul(k.rem(index, rowTiles), kTile);
    Value row1 = k.min(k.add(row0, kTile), rows);
    return buildLoop(
        k, k.constant(0), k.constant(columns), kTile,
        [&](Value column0) -> LogicalResult {
          Value column1 = k.min(k.add(column0, kTile), columns);
          auto fill = [&](Value row) {
            return cpu.line(columns, column0, column1, [&](Digit column) {
              for (auto [i, source] : llvm::enumerate(sources)) {
                Position at{outer, Digit{rows, row}, column};
                Value value = cpu.emitter.emit(source, at);
                if (!value)
                  return failure();
                if (!transposed[i]) {
                  if (failed(cpu.emitter.store(i, at, value)))
                    return failure();
                  continue;
                }
                tiles[i].store(k.subtract(row, row0),
                               k.subtract(column.value, column0),
                               cpu.emitter.spread(value, at));
              }
              return success();
            });
          };
          if (failed(buildLoop(k, row0, row1, 1, fill)))
            return failure();
          auto drain = [&](Value column) {
            return cpu.line(rows, row0, row1, [&](Digit row) {
              for (auto [i, tile] : llvm::enumerate(tiles)) {
                if (!transposed[i])
                  continue;
                Value value =
                    tile.loadColumn(k.subtract(row.value, row0),
                                    k.subtract(column, column0), row.lanes);
                if (failed(cpu.emitter.store(
                        i, {outer, Digit{columns, column}, row}, value)))
                  return failure();
              }
              return success();
            });
          };
          return buildLoop(k, column0, column1, 1, drain);
        });
  };
  if (failed(buildLoop(k, cpu.begin, cpu.end, 1, body)))
    return failure();
  return batch * rowTiles;
}

FailureOr<int64_t> prec::buildCpuScatterAdd(CpuKernel &cpu) {
  KernelBuilder &k = cpu.kernel();
  PointEmitter &emitter = cpu.emitter;
  FailureOr<train::ScatterAddOp> op = scatterAddOf(cpu.dispatch());
  if (failed(op))
    return failure();
  auto table = cast<RankedTensorType>(op->getInit().getType());
  int64_t tableRows = table.getDimSize(0);
  int64_t columns = table.getNumElements() / tableRows;
  int64_t positions = elementsOf(op->getIds());
  int64_t width = std::min<int64_t>(4 * cpu.plan.lanes, columns);

  Value lower = k.mul(cpu.begin, width);
  Value upper = k.min(k.mul(cpu.end, width), columns);
  auto body = [&](Value index) -> LogicalResult {
    Digit position{positions, index};
    Value id = emitter.emit(op->getIds(), position);
    if (!id)
      return failure();
    Expr row = Expr(k.at(k.depthOf(id)), k.loc(), id).convert(k.indexType);
    return cpu.line(columns, lower, upper, [&](Digit column) -> LogicalResult {
      Position target{Digit{tableRows, row}, column};
      Value update = emitter.emit(op->getUpdates(), {position, column});
      if (!update)
        return failure();
      update = toAccumulator(
          k.here(), k.loc(), emitter.spread(update, target),
          cast<RankedTensorType>(op->getUpdates().getType()).getElementType(),
          k.target);
      Value sum = emitter.loadFrom(emitter.getResultPointer(0),
                                   table.getElementType(), target);
      sum = arith::AddFOp::create(k.here(), k.loc(), sum, update);
      return emitter.store(0, target, sum);
    });
  };
  if (failed(buildLoop(k, k.constant(0), k.constant(positions), 1, body)))
    return failure();
  return llvm::divideCeil(columns, width);
}
