//===- AttentionGradRows.cpp - the rows of a thread -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/Attention/AttentionGradRows.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace prec;

AttentionGradRows::AttentionGradRows(AttentionGradFrame &frame)
    : frame(frame), plan(frame.plan), builder(frame.builder), loc(frame.loc),
      w(frame.w) {
  local = w.expr(frame.warpgroup) * kWarpgroupRows +
          (w.expr(frame.warp) & 3) * 16 + w.expr(frame.group);
  low = w.expr(frame.firstRow) + w.expr(local);
  high = w.expr(low) + 8;
}

void AttentionGradRows::load() {
  if (plan.ofKeys)
    w.waitFor(frame.rowsBarrier(), w.i32(0));
  else
    findStatistics();
  loadFragments();
}

void AttentionGradRows::loadFragments() {
  if (!plan.tiling.rowsInRegisters)
    return;
  for (int64_t part : {0, 1})
    for (int64_t step = 0; step < plan.width / kContracted; ++step) {
      Registers fragment;
      for (int64_t i = 0; i < 4; ++i) {
        // A row of 128 bytes has its pieces of 16 swapped by the row.
        Expr row = w.expr(local) + (i & 1) * 8;
        Expr piece = (row & 7) ^ w.i32(step % 4 * 2 + (i >> 1));
        Expr offset = row * SwizzledTile::kRowBytes + piece * 16 +
                      w.expr(frame.quad) * 4 +
                      (plan.rowsAt() + part * plan.rowTile.bytes() +
                       step / 4 * plan.rowTile.slabBytes());
        fragment.push_back(frame.loadShared(offset, builder.getI32Type()));
      }
      fragments[part].push_back(fragment);
    }
}

/// -lse log2(e) and D of the two rows of this thread, for itself and for the
/// kernel of keys. The four threads of a row share its sum.
void AttentionGradRows::findStatistics() {
  Type word = builder.getI32Type(), f32 = builder.getF32Type();
  auto words = VectorType::get(4, word);
  const int64_t perThread = plan.width / 32;
  Expr rows[] = {w.expr(low), w.expr(high)};
  // Of rows and elements outside, those inside stand in: dO has zeros there.
  SmallVector<Value> outputs[2];
  for (int64_t half : {0, 1}) {
    Expr row = frame.minimum(rows[half], w.i32(plan.shape.queries - 1));
    for (int64_t i = 0; i < perThread; ++i) {
      Expr element = (w.expr(frame.quad) + 4 * i) * 8;
      if (plan.shape.dim < plan.width)
        element = frame.minimum(element, w.i32(plan.shape.dim - 8));
      outputs[half].push_back(LLVM::LoadOp::create(
          builder, loc, words,
          frame.address(frame.output, plan.shape.views[vO], row, element), 16));
    }
    Expr at = (w.expr(frame.batch) * plan.shape.heads + w.expr(frame.head)) *
                  plan.shape.queries +
              row;
    Value pointer = LLVM::GEPOp::create(builder, loc, frame.lse.getType(), f32,
                                        frame.lse, ValueRange{at});
    Expr value = w.expr(LLVM::LoadOp::create(builder, loc, f32, pointer));
    // Zeros outside: no exponential there is infinite.
    Expr isInside = rows[half] < w.i32(plan.shape.queries);
    lse[half] = isInside.select(value * -kLog2OfE, value.constant(0.0));
  }
  w.waitFor(frame.rowsBarrier(), w.i32(0));
  for (int64_t half : {0, 1}) {
    Expr row = w.expr(local) + half * 8;
    Value sum = w.expr(lse[0]).constant(0.0);
    for (int64_t i = 0; i < perThread; ++i) {
      Expr piece = w.expr(frame.quad) + 4 * i;
      Expr offset = piece.shr(3) * plan.rowTile.slabBytes() +
                    row * SwizzledTile::kRowBytes +
                    ((piece & 7) ^ (row & 7)) * 16 +
                    (plan.rowsAt() + plan.rowTile.bytes());
      Value grad = frame.loadShared(offset, words);
      for (int64_t j = 0; j < 4; ++j) {
        auto at = [&](Value vector) {
          return w.unpack(w.expr(
              LLVM::ExtractElementOp::create(builder, loc, vector, w.i32(j))));
        };
        auto [lowO, highO] = at(outputs[half][i]);
        auto [lowGrad, highGrad] = at(grad);
        sum = highO.fma(highGrad, lowO.fma(lowGrad, w.expr(sum)));
      }
    }
    for (int64_t distance : {1, 2})
      sum = w.expr(sum) +
            w.expr(NVVM::ShflOp::create(builder, loc, f32, w.i32(-1), sum,
                                        w.i32(distance), w.i32(31),
                                        NVVM::ShflKind::bfly, UnitAttr()));
    d[half] = sum;
  }
  w.when(w.expr(frame.quad) == w.i32(0), [&] {
    for (int64_t half : {0, 1}) {
      Value values[] = {lse[half], d[half]};
      for (int64_t which : {0, 1}) {
        Expr index = frame.statisticAt(w.expr(frame.head), rows[half], which);
        LLVM::StoreOp::create(
            builder, loc, values[which],
            LLVM::GEPOp::create(builder, loc, frame.statistics.getType(), f32,
                                frame.statistics, ValueRange{index}));
      }
    }
  });
}

void AttentionGradRows::store(Viewed view, Value pointer, Registers &sums,
                              double factor) {
  auto scaled = [&](size_t i) {
    Expr sum = w.expr(sums[i]);
    return factor == 1 ? sum : sum * factor;
  };
  for (int64_t half : {0, 1}) {
    Expr row = w.expr(half ? high : low);
    auto storeRow = [&] {
      for (int64_t j = 0; j < plan.shape.dim / 8; ++j) {
        Expr element = w.expr(frame.quad) * 2 + j * 8;
        LLVM::StoreOp::create(
            builder, loc,
            w.pack(scaled(4 * j + 2 * half), scaled(4 * j + 2 * half + 1)),
            frame.address(pointer, plan.shape.views[view], row, element), 4);
      }
    };
    if (plan.numRows % kBlockRows)
      w.when(row < w.i32(plan.numRows), storeRow);
    else
      storeRow();
  }
}
