//===- AttentionGradCopies.cpp - the warpgroup that copies ----------------===//
#include "AttentionGradBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::prec;

void AttentionGradBuilder::copyRows() {
  Expr barrier = rowsBarrier(), row = w.expr(firstRow);
  w.expect(barrier, 2 * rowTile.bytes());
  for (int64_t slab = 0; slab < width / SwizzledTile::kSlabColumns; ++slab)
    for (int64_t box = 0; box < kBlockRows; box += kBoxRows)
      for (int64_t part : {0, 1}) {
        Expr target = base() + (rowsAt() + part * rowTile.bytes() +
                                slab * rowTile.slabBytes() +
                                box * SwizzledTile::kRowBytes);
        // Maps are of q, k, v, do.
        Value map = ofKeys ? maps[1 + part] : maps[3 * part];
        w.copyBox(target, map, barrier,
                  {w.i32(slab * SwizzledTile::kSlabColumns), row + box,
                   w.expr(head), w.expr(batch)});
      }
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
  for (int64_t slab = 0; slab < width / SwizzledTile::kSlabColumns; ++slab)
    for (int64_t box = 0; box < tiling.columns; box += kBoxRows)
      for (int64_t part : {0, 1}) {
        Value map = ofKeys ? maps[3 * part] : maps[1 + part];
        w.copyBox(target + (part * columnTile.bytes() +
                            slab * columnTile.slabBytes() +
                            box * SwizzledTile::kRowBytes),
                  map, barrier,
                  {w.i32(slab * SwizzledTile::kSlabColumns), column + box,
                   tileHead, w.expr(batch)});
      }
  if (ofKeys)
    for (int64_t which : {0, 1}) {
      const int64_t bytes = statisticBytes() / 2;
      Expr row = (w.expr(batch) * shape.heads + tileHead) * statisticRows() +
                 column + which * shape.batch * shape.heads * statisticRows();
      Value source = LLVM::GEPOp::create(
          builder, loc, statistics.getType(), builder.getF32Type(), statistics,
          ValueRange{row.convert(builder.getI64Type())});
      w.copyBytes(base() + stage * statisticBytes() +
                      (statisticsAt() + which * bytes),
                  source, bytes, barrier);
    }
  Expr isLast = tile + 1 == w.expr(endTile),
       wraps = stage + 1 == w.i32(tiling.stages);
  scf::YieldOp::create(builder, loc,
                       ValueRange{wraps.select(w.i32(0), stage + 1),
                                  wraps.select(parity ^ w.i32(1), parity),
                                  isLast.select(w.expr(firstTile), tile + 1),
                                  isLast.select(tileHead + 1, tileHead)});
}
