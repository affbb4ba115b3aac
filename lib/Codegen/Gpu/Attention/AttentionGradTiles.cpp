//===- AttentionGradTiles.cpp - the warps that compute --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/Attention/AttentionGradTiles.h"

#include "Codegen/Emitter/MathFunctions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace prec;

void AttentionGradTiles::startScores(Registers &scores, Expr tile, Expr rows,
                                     ArrayRef<Registers> fragments) {
  scores.clear();
  for (int64_t step = 0; step < plan.width / kContracted; ++step) {
    // Within a swizzled row, 32 bytes are a step.
    const int64_t inRow = step % 4 * 2;
    Expr b = tile + (step / 4 * (plan.columnTile.slabBytes() >> 4) + inRow);
    if (plan.tiling.rowsInRegisters)
      w.multiply(scores, fragments[step], b, plan.tiling.columns, false);
    else
      w.multiply(
          scores,
          Value(rows + (step / 4 * (plan.rowTile.slabBytes() >> 4) + inRow)), b,
          plan.tiling.columns, false);
  }
  w.commit();
}

void AttentionGradTiles::addProduct(Registers &sums, ArrayRef<Value> left,
                                    Expr tile) {
  constexpr int64_t stepBytes = kContracted * SwizzledTile::kRowBytes;
  for (int64_t step = 0; step < plan.tiling.columns / kContracted; ++step)
    w.multiply(sums, left.slice(4 * step, 4), tile + step * (stepBytes >> 4),
               plan.width, true);
  w.commit();
}

/// Of the columns of this thread: pairs of f32, one for each eight columns.
SmallVector<Value> AttentionGradTiles::columnStatistics(Expr stage,
                                                        int64_t which) {
  SmallVector<Value> values;
  auto pair = VectorType::get(2, builder.getF32Type());
  for (int64_t j = 0; j < plan.tiling.columns / 8; ++j) {
    Expr offset =
        stage * plan.statisticBytes() + w.expr(frame.quad) * 8 +
        (plan.statisticsAt() + which * plan.statisticBytes() / 2 + j * 32);
    Value both = frame.loadShared(offset, pair);
    for (int64_t i : {0, 1})
      values.push_back(
          LLVM::ExtractElementOp::create(builder, loc, both, w.i32(i)));
  }
  return values;
}

void AttentionGradTiles::computeProbabilities(Registers &scores,
                                              ArrayRef<Value> lses,
                                              Expr column) {
  Expr factor = w.expr(scores[0]).constant(plan.shape.scale * kLog2OfE);
  for (auto [i, score] : llvm::enumerate(scores)) {
    // Registers 4j and 4j + 1 are of the lower row, the next two of the other.
    Value offset = plan.ofKeys ? lses[i / 4 * 2 + i % 2] : rows.lse[i / 2 % 2];
    score = nvptx::exp2(w.expr(score).fma(factor, w.expr(offset)));
  }
  mask(scores, column);
}

void AttentionGradTiles::mask(Registers &probabilities, Expr column) {
  const bool hasTail =
      !plan.ofKeys && plan.numColumns % plan.tiling.columns != 0;
  if (!plan.shape.isCausal && !hasTail)
    return;
  Expr first =
      w.expr(frame.firstRow) + w.expr(frame.warpgroup) * kWarpgroupRows;
  Expr isCut = w.expr(frame.flag(false));
  if (plan.shape.isCausal)
    isCut = plan.ofKeys ? column < first + (kWarpgroupRows - 1)
                        : first < column + (plan.tiling.columns - 1);
  if (hasTail)
    isCut = isCut | (w.i32(plan.numColumns) < column + plan.tiling.columns);
  auto op = scf::IfOp::create(builder, loc,
                              TypeRange(ValueRange(probabilities)), isCut,
                              /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.elseBlock());
  scf::YieldOp::create(builder, loc, probabilities);
  builder.setInsertionPointToStart(op.thenBlock());
  SmallVector<Value> kept;
  for (auto [i, value] : llvm::enumerate(probabilities)) {
    Expr c = column + w.expr(frame.quad) * 2 + (i / 4 * 8 + i % 2);
    Expr r = w.expr(i / 2 % 2 ? rows.high : rows.low);
    Expr isOut =
        hasTail ? w.i32(plan.numColumns - 1) < c : w.expr(frame.flag(false));
    if (plan.shape.isCausal)
      isOut = isOut | (plan.ofKeys ? c < r : r < c);
    Expr p = w.expr(value);
    kept.push_back(isOut.select(p.constant(0.0), p));
  }
  scf::YieldOp::create(builder, loc, kept);
  probabilities.assign(op.getResults().begin(), op.getResults().end());
}

void AttentionGradTiles::computeTile(State &state, Expr stage, Expr column) {
  auto tileAt = [&](Expr stage, int64_t part) {
    return w.describe(frame.stageAddress(stage) +
                          part * plan.columnTile.bytes(),
                      plan.columnTile);
  };
  auto rowsPart = [&](int64_t part) {
    return w.describe(frame.base() +
                          w.expr(frame.warpgroup) *
                              (kWarpgroupRows * SwizzledTile::kRowBytes) +
                          (plan.rowsAt() + part * plan.rowTile.bytes()),
                      plan.rowTile);
  };
  takeTurn();
  w.fence();
  if (plan.tiling.defers)
    addProduct(state.sums[0], state.left, tileAt(w.expr(state.before), 0));
  Registers scores, dP;
  startScores(scores, tileAt(stage, 0), rowsPart(0), rows.fragments[0]);
  startScores(dP, tileAt(stage, 1), rowsPart(1), rows.fragments[1]);
  passTurn();
  // On their way while products run.
  SmallVector<Value> lses, sums;
  if (plan.ofKeys)
    lses = columnStatistics(stage, 0);

  w.wait(1, {&state.sums[0], &scores});
  if (plan.tiling.defers)
    w.when(w.expr(state.started), [&] { release(w.expr(state.before)); });
  computeProbabilities(scores, lses, column);
  if (plan.ofKeys) {
    sums = columnStatistics(stage, 1);
    Registers left;
    for (size_t i = 0; i < scores.size(); i += 2)
      left.push_back(w.pack(w.expr(scores[i]), w.expr(scores[i + 1])));
    w.fence();
    addProduct(state.sums[1], left, tileAt(stage, 1));
  }
  w.wait(plan.ofKeys ? 1 : 0, {&dP});
  state.left.clear();
  for (size_t i = 0; i < scores.size(); i += 2) {
    auto product = [&](size_t i) {
      Value d = plan.ofKeys ? sums[i / 4 * 2 + i % 2] : rows.d[i / 2 % 2];
      return w.expr(scores[i]) * (w.expr(dP[i]) - w.expr(d));
    };
    state.left.push_back(w.pack(product(i), product(i + 1)));
  }
  if (!plan.tiling.defers) {
    w.fence();
    addProduct(state.sums[0], state.left, tileAt(stage, 0));
    SmallVector<Registers *> ready{&state.sums[0]};
    if (plan.ofKeys)
      ready.push_back(&state.sums[1]);
    w.wait(0, ready);
    release(stage);
    state.left.clear();
  } else if (plan.ofKeys) {
    w.wait(0, {&state.sums[1], &state.left});
  }
  state.before = stage;
}

AttentionGradTiles::State AttentionGradTiles::startAt(Expr stage) {
  State state;
  Value zero = stage.constant(builder.getF32Type(), 0.0);
  for (int64_t part = 0; part < plan.numSums(); ++part)
    state.sums[part].assign(plan.width / 2, zero);
  if (plan.tiling.defers)
    state.left.assign(plan.tiling.columns / 4, w.i32(0));
  state.before = stage;
  state.started = frame.flag(false);
  return state;
}

SmallVector<Value> AttentionGradTiles::flatten(const State &state) const {
  SmallVector<Value> values;
  for (int64_t part = 0; part < plan.numSums(); ++part)
    llvm::append_range(values, state.sums[part]);
  llvm::append_range(values, state.left);
  values.append({state.before, state.started});
  return values;
}

AttentionGradTiles::State AttentionGradTiles::restore(ValueRange values) const {
  State state;
  auto take = [&](Registers &registers, size_t count) {
    ValueRange own = values.take_front(count);
    registers.assign(own.begin(), own.end());
    values = values.drop_front(count);
  };
  for (int64_t part = 0; part < plan.numSums(); ++part)
    take(state.sums[part], plan.width / 2);
  if (plan.tiling.defers)
    take(state.left, plan.tiling.columns / 4);
  state.before = values[0];
  state.started = values[1];
  return state;
}

std::pair<Expr, Expr> AttentionGradTiles::ownTiles() {
  Expr first = w.expr(frame.firstTile), end = w.expr(frame.endTile),
       row = w.expr(frame.firstRow) + w.expr(frame.warpgroup) * kWarpgroupRows;
  if (plan.shape.isCausal && plan.ofKeys)
    first = frame.maximum(first, frame.divide(row, plan.tiling.columns));
  else if (plan.shape.isCausal)
    end = frame.minimum(
        end, frame.divide(row + (kWarpgroupRows - 1), plan.tiling.columns) + 1);
  return {first, end};
}

void AttentionGradTiles::takeTurn() {
  if (plan.tiling.takesTurns)
    w.syncNamed(w.expr(frame.warpgroup) + 1, kConsumers * kWarpgroup);
}

void AttentionGradTiles::passTurn() {
  if (plan.tiling.takesTurns)
    w.arriveNamed(w.i32(kConsumers) - w.expr(frame.warpgroup),
                  kConsumers * kWarpgroup);
}

void AttentionGradTiles::skipTile(Expr stage) {
  takeTurn();
  passTurn();
  release(stage);
}

void AttentionGradTiles::release(Expr stage) {
  w.when(w.expr(frame.lane) == w.i32(0), [&] { w.arrive(frame.empty(stage)); });
}

SmallVector<Value> AttentionGradTiles::consumeTile(ValueRange values,
                                                   Expr stage, Expr tile) {
  State state = restore(values);
  computeTile(state, stage, tile * plan.tiling.columns);
  state.started = frame.flag(true);
  return flatten(state);
}

void AttentionGradTiles::build() {
  rows.load();
  // The first warpgroup begins.
  w.when(w.expr(frame.warpgroup) == w.i32(1), [&] { passTurn(); });

  // A product with no dS yet reads the first tile.
  auto [ownFirst, ownEnd] = ownTiles();
  Expr skipped = ownFirst - w.expr(frame.firstTile);
  Expr firstStage = skipped.make<arith::RemUIOp>(
      Value(skipped), Value(w.i32(plan.tiling.stages)));
  SmallVector<Value> carried = flatten(startAt(firstStage));
  const size_t stateSize = carried.size();
  carried.append({w.i32(0), w.i32(0), frame.firstTile});
  auto loop = scf::ForOp::create(builder, loc, w.i32(0), frame.numSteps,
                                 w.i32(1), carried);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ValueRange state = loop.getRegionIterArgs().take_front(stateSize),
               position = loop.getRegionIterArgs().drop_front(stateSize);
    Expr stage = w.expr(position[0]), parity = w.expr(position[1]),
         tile = w.expr(position[2]);
    w.waitFor(frame.full(stage), parity);
    SmallVector<Value> next;
    if (plan.shape.isCausal) {
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
    llvm::append_range(next, frame.advance(stage, parity, tile));
    scf::YieldOp::create(builder, loc, next);
  }
  w.when(w.expr(frame.warpgroup) == w.i32(0), [&] { takeTurn(); });
  State state = restore(loop.getResults().take_front(stateSize));
  if (plan.tiling.defers) {
    w.fence();
    addProduct(
        state.sums[0], state.left,
        w.describe(frame.stageAddress(w.expr(state.before)), plan.columnTile));
    w.wait(0, {&state.sums[0]});
  }
  rows.store(plan.ofKeys ? vDK : vDQ, frame.gradients[plan.ofKeys ? 1 : 0],
             state.sums[0], plan.shape.scale);
  if (plan.ofKeys)
    rows.store(vDV, frame.gradients[2], state.sums[1], 1);
}
