//===- AttentionGradCopies.cpp - the warpgroup that copies ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that copies tiles into the ring of stages, ahead of the warpgroups
// that compute. For each tile it waits until the stage is empty, announces how
// many bytes will arrive at the barrier `full` of the stage, and starts the
// copies of two tiles (K and V, or Q and dO; then also the statistics of the
// queries). The copies themselves complete the barrier. A stage is written
// again only when all eight computing warps have said that they have read it.
// The parity of a barrier flips each time the ring wraps; the first round waits
// for parity 1, which an unused barrier counts as done. Heads that share keys
// follow one another, so that dK and dV of a group are summed in one block.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/Attention/AttentionGradBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace prec;

void AttentionGradBuilder::copyTiles(const SwizzledTile &tile,
                                     ArrayRef<Value> sources, Expr target,
                                     Expr barrier, Expr row, Expr ofHead) {
  constexpr int64_t columns = SwizzledTile::kSlabColumns;
  for (int64_t slab = 0; slab < width / columns; ++slab)
    for (int64_t box = 0; box < tile.rows; box += kBoxRows)
      for (auto [part, source] : llvm::enumerate(sources)) {
        const int64_t offset = int64_t(part) * tile.bytes() +
                               slab * tile.slabBytes() +
                               box * SwizzledTile::kRowBytes;
        w.copyBox(target + offset, source, barrier,
                  {w.i32(slab * columns), row + box, ofHead, w.expr(batch)});
      }
}

void AttentionGradBuilder::copyRows() {
  Expr barrier = rowsBarrier();
  w.expect(barrier, 2 * rowTile.bytes());
  copyTiles(rowTile, rowMaps(), base() + rowsAt(), barrier, w.expr(firstRow),
            w.expr(head));
}

std::array<Value, 3> AttentionGradBuilder::advance(Expr stage, Expr parity,
                                                   Expr tile) {
  Expr wraps = stage + 1 == w.i32(tiling.stages),
       isLast = tile + 1 == w.expr(endTile);
  return {wraps.select(w.i32(0), stage + 1),
          wraps.select(parity ^ w.i32(1), parity),
          isLast.select(w.expr(firstTile), tile + 1)};
}

void AttentionGradBuilder::produce() {
  copyRows();
  Value zero = w.i32(0);
  auto loop =
      scf::ForOp::create(builder, loc, zero, numSteps, w.i32(1),
                         ValueRange{zero, w.i32(1), firstTile, firstHead});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  ValueRange carried = loop.getRegionIterArgs();
  Expr stage = w.expr(carried[0]), parity = w.expr(carried[1]),
       tile = w.expr(carried[2]), tileHead = w.expr(carried[3]);
  w.waitFor(empty(stage), parity);
  Expr barrier = full(stage), target = stageAddress(stage),
       column = tile * tiling.columns;
  w.expect(barrier, stageBytes() + statisticBytes());
  copyTiles(columnTile, columnMaps(), target, barrier, column, tileHead);
  if (ofKeys)
    for (int64_t which : {0, 1}) {
      const int64_t bytes = statisticBytes() / 2;
      Expr row = statisticAt(tileHead, column, which);
      Value source = LLVM::GEPOp::create(
          builder, loc, statistics.getType(), builder.getF32Type(), statistics,
          ValueRange{row.convert(builder.getI64Type())});
      w.copyBytes(base() + stage * statisticBytes() +
                      (statisticsAt() + which * bytes),
                  source, bytes, barrier);
    }
  auto [nextStage, nextParity, nextTile] = advance(stage, parity, tile);
  Expr isLast = tile + 1 == w.expr(endTile);
  scf::YieldOp::create(builder, loc,
                       ValueRange{nextStage, nextParity, nextTile,
                                  isLast.select(tileHead + 1, tileHead)});
}
