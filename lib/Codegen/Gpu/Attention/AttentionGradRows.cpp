//===- AttentionGradRows.cpp - what rows are read and written -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens once for the rows of a block, before and after the tiles.
// Before: the rows are loaded into registers where the tiling says so; and the
// kernel of queries computes the two statistics of each row, -lse log2(e) and D
// = rowsum(dO * O), keeps them, and writes them for the kernel of keys, which
// runs after it. After: the sums of dQ, or dK and dV, are scaled, rounded to 16
// bits and stored by the strides of the tensors. A thread has two rows of the
// layout of wgmma, 8 rows apart, and shares each with the three other threads
// of its quad.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/Attention/AttentionGradBuilder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace prec;

void AttentionGradBuilder::loadRows() {
  if (!tiling.rowsInRegisters)
    return;
  for (int64_t part : {0, 1})
    for (int64_t step = 0; step < width / kContracted; ++step) {
      Registers fragment;
      for (int64_t i = 0; i < 4; ++i) {
        // A row of 128 bytes has its pieces of 16 swapped by the row.
        Expr row = w.expr(localRow) + (i & 1) * 8;
        Expr piece = (row & 7) ^ w.i32(step % 4 * 2 + (i >> 1));
        Expr offset = row * SwizzledTile::kRowBytes + piece * 16 +
                      w.expr(quad) * 4 +
                      (rowsAt() + part * rowTile.bytes() +
                       step / 4 * rowTile.slabBytes());
        fragment.push_back(loadShared(offset, builder.getI32Type()));
      }
      fragments[part].push_back(fragment);
    }
}

/// -lse log2(e) and D of the two rows of this thread, for itself and for the
/// kernel of keys. The four threads of a row share its sum.
void AttentionGradBuilder::findStatistics() {
  Type word = builder.getI32Type(), f32 = builder.getF32Type();
  auto words = VectorType::get(4, word);
  const int64_t perThread = width / 32;
  Expr rows[] = {w.expr(lowRow), w.expr(highRow)};
  // Of rows and elements outside, those inside stand in: dO has zeros there.
  SmallVector<Value> outputs[2];
  for (int64_t half : {0, 1}) {
    Expr row = minimum(rows[half], w.i32(shape.queries - 1));
    for (int64_t i = 0; i < perThread; ++i) {
      Expr element = (w.expr(quad) + 4 * i) * 8;
      if (shape.dim < width)
        element = minimum(element, w.i32(shape.dim - 8));
      outputs[half].push_back(LLVM::LoadOp::create(
          builder, loc, words, address(output, shape.views[vO], row, element),
          16));
    }
    Expr at =
        (w.expr(batch) * shape.heads + w.expr(head)) * shape.queries + row;
    Value pointer = LLVM::GEPOp::create(builder, loc, lse.getType(), f32, lse,
                                        ValueRange{at});
    Expr value = w.expr(LLVM::LoadOp::create(builder, loc, f32, pointer));
    // Zeros outside: no exponential there is infinite.
    Expr isInside = rows[half] < w.i32(shape.queries);
    rowLse[half] = isInside.select(value * -kLog2OfE, value.constant(0.0));
  }
  w.waitFor(rowsBarrier(), w.i32(0));
  for (int64_t half : {0, 1}) {
    Expr row = w.expr(localRow) + half * 8;
    Value sum = w.expr(rowLse[0]).constant(0.0);
    for (int64_t i = 0; i < perThread; ++i) {
      Expr piece = w.expr(quad) + 4 * i;
      Expr offset =
          piece.shr(3) * rowTile.slabBytes() + row * SwizzledTile::kRowBytes +
          ((piece & 7) ^ (row & 7)) * 16 + (rowsAt() + rowTile.bytes());
      Value grad = loadShared(offset, words);
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
    rowD[half] = sum;
  }
  when(w.expr(quad) == w.i32(0), [&] {
    for (int64_t half : {0, 1}) {
      Value values[] = {rowLse[half], rowD[half]};
      for (int64_t which : {0, 1}) {
        Expr index = statisticAt(w.expr(head), rows[half], which);
        LLVM::StoreOp::create(
            builder, loc, values[which],
            LLVM::GEPOp::create(builder, loc, statistics.getType(), f32,
                                statistics, ValueRange{index}));
      }
    }
  });
}

void AttentionGradBuilder::storeResult(Viewed view, Value pointer,
                                       Registers &sums, double factor) {
  auto scaled = [&](size_t i) {
    Expr sum = w.expr(sums[i]);
    return factor == 1 ? sum : sum * factor;
  };
  for (int64_t half : {0, 1}) {
    Expr row = w.expr(half ? highRow : lowRow);
    auto store = [&] {
      for (int64_t j = 0; j < shape.dim / 8; ++j) {
        Expr element = w.expr(quad) * 2 + j * 8;
        LLVM::StoreOp::create(
            builder, loc,
            w.pack(scaled(4 * j + 2 * half), scaled(4 * j + 2 * half + 1)),
            address(pointer, shape.views[view], row, element), 4);
      }
    };
    if (numRows % kBlockRows)
      when(row < w.i32(numRows), store);
    else
      store();
  }
}
