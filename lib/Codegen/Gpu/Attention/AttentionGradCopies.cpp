//===- AttentionGradCopies.cpp - the warp that copies ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/Attention/AttentionGradCopies.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace prec;

/// Two tiles, from `row` on, behind one another in shared memory.
static void copyTiles(AttentionGradFrame &frame, const SwizzledTile &tile,
                      ArrayRef<Value> sources, Expr target, Expr barrier,
                      Expr row, Expr ofHead) {
  Warpgroup &w = frame.w;
  constexpr int64_t columns = SwizzledTile::kSlabColumns;
  for (int64_t slab = 0; slab < frame.plan.width / columns; ++slab)
    for (int64_t box = 0; box < tile.rows; box += kBoxRows)
      for (auto [part, source] : llvm::enumerate(sources)) {
        const int64_t offset = int64_t(part) * tile.bytes() +
                               slab * tile.slabBytes() +
                               box * SwizzledTile::kRowBytes;
        w.copyBox(
            target + offset, source, barrier,
            {w.i32(slab * columns), row + box, ofHead, w.expr(frame.batch)});
      }
}

static void copyRows(AttentionGradFrame &frame) {
  const AttentionGradPlan &plan = frame.plan;
  Warpgroup &w = frame.w;
  Expr barrier = frame.rowsBarrier();
  w.expect(barrier, 2 * plan.rowTile.bytes());
  copyTiles(frame, plan.rowTile, frame.rowMaps(), frame.base() + plan.rowsAt(),
            barrier, w.expr(frame.firstRow), w.expr(frame.head));
}

void prec::buildAttentionGradCopies(AttentionGradFrame &frame) {
  const AttentionGradPlan &plan = frame.plan;
  OpBuilder &builder = frame.builder;
  Location loc = frame.loc;
  Warpgroup &w = frame.w;
  copyRows(frame);
  Value zero = w.i32(0);
  auto loop = scf::ForOp::create(
      builder, loc, zero, frame.numSteps, w.i32(1),
      ValueRange{zero, w.i32(1), frame.firstTile, frame.firstHead});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  ValueRange carried = loop.getRegionIterArgs();
  Expr stage = w.expr(carried[0]), parity = w.expr(carried[1]),
       tile = w.expr(carried[2]), tileHead = w.expr(carried[3]);
  w.waitFor(frame.empty(stage), parity);
  Expr barrier = frame.full(stage), target = frame.stageAddress(stage),
       column = tile * plan.tiling.columns;
  w.expect(barrier, plan.stageBytes() + plan.statisticBytes());
  copyTiles(frame, plan.columnTile, frame.columnMaps(), target, barrier, column,
            tileHead);
  if (plan.ofKeys)
    for (int64_t which : {0, 1}) {
      const int64_t bytes = plan.statisticBytes() / 2;
      Expr row = frame.statisticAt(tileHead, column, which);
      Value source = LLVM::GEPOp::create(
          builder, loc, frame.statistics.getType(), builder.getF32Type(),
          frame.statistics, ValueRange{row.convert(builder.getI64Type())});
      w.copyBytes(frame.base() + stage * plan.statisticBytes() +
                      (plan.statisticsAt() + which * bytes),
                  source, bytes, barrier);
    }
  auto [nextStage, nextParity, nextTile] = frame.advance(stage, parity, tile);
  Expr isLast = tile + 1 == w.expr(frame.endTile);
  scf::YieldOp::create(builder, loc,
                       ValueRange{nextStage, nextParity, nextTile,
                                  isLast.select(tileHead + 1, tileHead)});
}
