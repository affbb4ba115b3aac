//===- AttentionGradTiles.cpp - the warpgroups that compute ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warpgroups that compute. For each tile of columns a warpgroup starts two
// matmuls, S and dP; computes P = exp2(S * scale * log2(e) - lse * log2(e))
// while dP still runs; then dS = P * (dP - D); and adds dS K to dQ, or dS' Q to
// dK and P' dO to dV. What goes into a matmul is rounded to 16 bits. P and dS
// stay in registers: as a matmul leaves its result, the next one reads its left
// operand. The sums stay in registers over all tiles and are added in the order
// of the tiles, so the bits are the same in every run.
//
// Tensor cores are kept busy in two ways. The two warpgroups take turns at
// starting matmuls, so that one computes exponentials while the other
// multiplies. And the matmul with dS of a tile may be deferred until the scores
// of the next tile start. With a causal mask a warpgroup skips tiles that its
// rows do not see.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/Attention/AttentionGradBuilder.h"

#include "Codegen/Emitter/MathFunctions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace prec;

void AttentionGradBuilder::startScores(Registers &scores, Expr tile, Expr rows,
                                       ArrayRef<Registers> fragments) {
  scores.clear();
  for (int64_t step = 0; step < width / kContracted; ++step) {
    // Within a swizzled row, 32 bytes are a step.
    const int64_t inRow = step % 4 * 2;
    Expr b = tile + (step / 4 * (columnTile.slabBytes() >> 4) + inRow);
    if (tiling.rowsInRegisters)
      w.multiply(scores, fragments[step], b, tiling.columns, false);
    else
      w.multiply(scores,
                 Value(rows + (step / 4 * (rowTile.slabBytes() >> 4) + inRow)),
                 b, tiling.columns, false);
  }
  w.commit();
}

void AttentionGradBuilder::addProduct(Registers &sums, ArrayRef<Value> left,
                                      Expr tile) {
  constexpr int64_t stepBytes = kContracted * SwizzledTile::kRowBytes;
  for (int64_t step = 0; step < tiling.columns / kContracted; ++step)
    w.multiply(sums, left.slice(4 * step, 4), tile + step * (stepBytes >> 4),
               width, true);
  w.commit();
}

/// Of the columns of this thread: pairs of f32, one for each eight columns.
SmallVector<Value> AttentionGradBuilder::columnStatistics(Expr stage,
                                                          int64_t which) {
  SmallVector<Value> values;
  auto pair = VectorType::get(2, builder.getF32Type());
  for (int64_t j = 0; j < tiling.columns / 8; ++j) {
    Expr offset = stage * statisticBytes() + w.expr(quad) * 8 +
                  (statisticsAt() + which * statisticBytes() / 2 + j * 32);
    Value both = loadShared(offset, pair);
    for (int64_t i : {0, 1})
      values.push_back(
          LLVM::ExtractElementOp::create(builder, loc, both, w.i32(i)));
  }
  return values;
}

void AttentionGradBuilder::computeProbabilities(Registers &scores,
                                                ArrayRef<Value> statistics,
                                                Expr column) {
  Expr factor = w.expr(scores[0]).constant(shape.scale * kLog2OfE);
  for (auto [i, score] : llvm::enumerate(scores)) {
    // Registers 4j and 4j + 1 are of the lower row, the next two of the other.
    Value offset = ofKeys ? statistics[i / 4 * 2 + i % 2] : rowLse[i / 2 % 2];
    score = nvptx::exp2(w.expr(score).fma(factor, w.expr(offset)));
  }
  mask(scores, column);
}

void AttentionGradBuilder::mask(Registers &probabilities, Expr column) {
  const bool hasTail = !ofKeys && numColumns % tiling.columns != 0;
  if (!shape.isCausal && !hasTail)
    return;
  Expr first = w.expr(firstRow) + w.expr(warpgroup) * kWarpgroupRows;
  Expr isCut = w.expr(flag(false));
  if (shape.isCausal)
    isCut = ofKeys ? column < first + (kWarpgroupRows - 1)
                   : first < column + (tiling.columns - 1);
  if (hasTail)
    isCut = isCut | (w.i32(numColumns) < column + tiling.columns);
  auto op = scf::IfOp::create(builder, loc,
                              TypeRange(ValueRange(probabilities)), isCut,
                              /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.elseBlock());
  scf::YieldOp::create(builder, loc, probabilities);
  builder.setInsertionPointToStart(op.thenBlock());
  SmallVector<Value> kept;
  for (auto [i, value] : llvm::enumerate(probabilities)) {
    Expr c = column + w.expr(quad) * 2 + (i / 4 * 8 + i % 2);
    Expr r = w.expr(i / 2 % 2 ? highRow : lowRow);
    Expr isOut = hasTail ? w.i32(numColumns - 1) < c : w.expr(flag(false));
    if (shape.isCausal)
      isOut = isOut | (ofKeys ? c < r : r < c);
    Expr p = w.expr(value);
    kept.push_back(isOut.select(p.constant(0.0), p));
  }
  scf::YieldOp::create(builder, loc, kept);
  probabilities.assign(op.getResults().begin(), op.getResults().end());
}

void AttentionGradBuilder::computeTile(State &state, Expr stage, Expr column) {
  auto tileAt = [&](Expr stage, int64_t part) {
    return w.describe(stageAddress(stage) + part * columnTile.bytes(),
                      columnTile);
  };
  auto rowsPart = [&](int64_t part) {
    return w.describe(base() +
                          w.expr(warpgroup) *
                              (kWarpgroupRows * SwizzledTile::kRowBytes) +
                          (rowsAt() + part * rowTile.bytes()),
                      rowTile);
  };
  takeTurn();
  w.fence();
  if (tiling.defers)
    addProduct(state.sums[0], state.left, tileAt(w.expr(state.before), 0));
  Registers scores, dP;
  startScores(scores, tileAt(stage, 0), rowsPart(0), fragments[0]);
  startScores(dP, tileAt(stage, 1), rowsPart(1), fragments[1]);
  passTurn();
  // On their way while products run.
  SmallVector<Value> lses, sums;
  if (ofKeys)
    lses = columnStatistics(stage, 0);

  w.wait(1, {&state.sums[0], &scores});
  if (tiling.defers)
    when(w.expr(state.started), [&] { release(w.expr(state.before)); });
  computeProbabilities(scores, lses, column);
  if (ofKeys) {
    sums = columnStatistics(stage, 1);
    Registers left;
    for (size_t i = 0; i < scores.size(); i += 2)
      left.push_back(w.pack(w.expr(scores[i]), w.expr(scores[i + 1])));
    w.fence();
    addProduct(state.sums[1], left, tileAt(stage, 1));
  }
  w.wait(ofKeys ? 1 : 0, {&dP});
  state.left.clear();
  for (size_t i = 0; i < scores.size(); i += 2) {
    auto product = [&](size_t i) {
      Value d = ofKeys ? sums[i / 4 * 2 + i % 2] : rowD[i / 2 % 2];
      return w.expr(scores[i]) * (w.expr(dP[i]) - w.expr(d));
    };
    state.left.push_back(w.pack(product(i), product(i + 1)));
  }
  if (!tiling.defers) {
    w.fence();
    addProduct(state.sums[0], state.left, tileAt(stage, 0));
    SmallVector<Registers *> ready{&state.sums[0]};
    if (ofKeys)
      ready.push_back(&state.sums[1]);
    w.wait(0, ready);
    release(stage);
    state.left.clear();
  } else if (ofKeys) {
    w.wait(0, {&state.sums[1], &state.left});
  }
  state.before = stage;
}

AttentionGradBuilder::State AttentionGradBuilder::startAt(Expr stage) {
  State state;
  Value zero = stage.constant(builder.getF32Type(), 0.0);
  for (int64_t part = 0; part < numSums(); ++part)
    state.sums[part].assign(width / 2, zero);
  if (tiling.defers)
    state.left.assign(tiling.columns / 4, w.i32(0));
  state.before = stage;
  state.started = flag(false);
  return state;
}

SmallVector<Value> AttentionGradBuilder::flatten(const State &state) const {
  SmallVector<Value> values;
  for (int64_t part = 0; part < numSums(); ++part)
    llvm::append_range(values, state.sums[part]);
  llvm::append_range(values, state.left);
  values.append({state.before, state.started});
  return values;
}

AttentionGradBuilder::State
AttentionGradBuilder::restore(ValueRange values) const {
  State state;
  auto take = [&](Registers &registers, size_t count) {
    ValueRange own = values.take_front(count);
    registers.assign(own.begin(), own.end());
    values = values.drop_front(count);
  };
  for (int64_t part = 0; part < numSums(); ++part)
    take(state.sums[part], width / 2);
  if (tiling.defers)
    take(state.left, tiling.columns / 4);
  state.before = values[0];
  state.started = values[1];
  return state;
}

std::pair<Expr, Expr> AttentionGradBuilder::ownTiles() {
  Expr first = w.expr(firstTile), end = w.expr(endTile),
       row = w.expr(firstRow) + w.expr(warpgroup) * kWarpgroupRows;
  if (shape.isCausal && ofKeys)
    first = maximum(first, divide(row, tiling.columns));
  else if (shape.isCausal)
    end = minimum(end, divide(row + (kWarpgroupRows - 1), tiling.columns) + 1);
  return {first, end};
}

void AttentionGradBuilder::takeTurn() {
  if (tiling.takesTurns)
    w.syncNamed(w.expr(warpgroup) + 1, kConsumers * kWarpgroup);
}

void AttentionGradBuilder::passTurn() {
  if (tiling.takesTurns)
    w.arriveNamed(w.i32(kConsumers) - w.expr(warpgroup),
                  kConsumers * kWarpgroup);
}

void AttentionGradBuilder::skipTile(Expr stage) {
  takeTurn();
  passTurn();
  release(stage);
}

void AttentionGradBuilder::release(Expr stage) {
  when(w.expr(lane) == w.i32(0), [&] { w.arrive(empty(stage)); });
}

SmallVector<Value> AttentionGradBuilder::consumeTile(ValueRange values,
                                                     Expr stage, Expr tile) {
  State state = restore(values);
  computeTile(state, stage, tile * tiling.columns);
  state.started = flag(true);
  return flatten(state);
}

void AttentionGradBuilder::consume() {
  localRow = w.expr(warpgroup) * kWarpgroupRows + (w.expr(warp) & 3) * 16 +
             w.expr(group);
  lowRow = w.expr(firstRow) + w.expr(localRow);
  highRow = w.expr(lowRow) + 8;
  if (ofKeys)
    w.waitFor(rowsBarrier(), w.i32(0));
  else
    findStatistics();
  loadRows();
  // The first warpgroup begins.
  when(w.expr(warpgroup) == w.i32(1), [&] { passTurn(); });

  // A product with no dS yet reads the first tile.
  auto [ownFirst, ownEnd] = ownTiles();
  Expr skipped = ownFirst - w.expr(firstTile);
  Expr firstStage =
      skipped.make<arith::RemUIOp>(Value(skipped), Value(w.i32(tiling.stages)));
  SmallVector<Value> carried = flatten(startAt(firstStage));
  const size_t stateSize = carried.size();
  carried.append({w.i32(0), w.i32(0), firstTile});
  auto loop =
      scf::ForOp::create(builder, loc, w.i32(0), numSteps, w.i32(1), carried);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ValueRange state = loop.getRegionIterArgs().take_front(stateSize),
               position = loop.getRegionIterArgs().drop_front(stateSize);
    Expr stage = w.expr(position[0]), parity = w.expr(position[1]),
         tile = w.expr(position[2]);
    w.waitFor(full(stage), parity);
    SmallVector<Value> next;
    if (shape.isCausal) {
      Expr isOwn = (ownFirst < tile + 1) & (tile < ownEnd);
      auto op = scf::IfOp::create(builder, loc, state.getTypes(), isOwn,
                                  /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(op.thenBlock());
      scf::YieldOp::create(builder, loc, consumeTile(state, stage, tile));
      builder.setInsertionPointToStart(op.elseBlock());
      skipTile(stage);
      scf::YieldOp::create(builder, loc, state);
      next.assign(op.getResults().begin(), op.getResults().end());
    } else {
      next = consumeTile(state, stage, tile);
    }
    llvm::append_range(next, advance(stage, parity, tile));
    scf::YieldOp::create(builder, loc, next);
  }
  when(w.expr(warpgroup) == w.i32(0), [&] { takeTurn(); });
  State state = restore(loop.getResults().take_front(stateSize));
  if (tiling.defers) {
    w.fence();
    addProduct(state.sums[0], state.left,
               w.describe(stageAddress(w.expr(state.before)), columnTile));
    w.wait(0, {&state.sums[0]});
  }
  storeResult(ofKeys ? vDK : vDQ, gradients[ofKeys ? 1 : 0], state.sums[0],
              shape.scale);
  if (ofKeys)
    storeResult(vDV, gradients[2], state.sums[1], 1);
}
