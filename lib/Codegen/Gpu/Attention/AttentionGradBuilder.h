//===- AttentionGradBuilder.h - a kernel of AttentionGrad.h -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two warpgroups compute, 64 rows each; a thread of a third one copies tiles of
// columns ahead of them, into stages of shared memory. A stage has two
// barriers: `full`, at which the bytes of a tile arrive, and `empty`, at which
// the warps do that have read it.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADBUILDER_H
#define PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADBUILDER_H

#include "prec/Support/LLVM.h"

#include "Codegen/Gpu/Attention/AttentionGradShape.h"
#include "Codegen/Gpu/Attention/Warpgroup.h"

namespace prec {

/// Warpgroups that compute; one more copies.
inline constexpr int64_t kConsumers = 2;
inline constexpr int64_t kBlockRows = kConsumers * kWarpgroupRows;
inline constexpr int64_t kConsumerWarps = kConsumers * 4;
inline constexpr int64_t kConsumerRegisters = 240, kProducerRegisters = 24;
/// Of a copy by a tensor map.
inline constexpr int64_t kBoxRows = 64;
/// Heads whose blocks run together: their columns stay in L2.
inline constexpr int64_t kHeadsTogether = 8;
inline constexpr double kLog2OfE = 1.44269504088896341;

template <typename T>
std::enable_if_t<std::is_integral_v<T>, Expr> operator+(Expr a, T b) {
  return a + a.integer(b);
}
template <typename T>
std::enable_if_t<std::is_integral_v<T>, Expr> operator*(Expr a, T b) {
  return a * a.integer(b);
}

/// How a side is laid out on a multiprocessor; measured on an H200.
struct Tiling {
  int64_t columns; ///< of a tile
  int64_t stages;  ///< tiles that are in shared memory or on their way
  /// Rows are read from registers, not from shared memory.
  bool rowsInRegisters;
  /// The warpgroups start their products in turns.
  bool takesTurns;
  /// Products with dS are started with the next tile's scores.
  bool defers;
};

/// Operands and results of `prec_sched.sdpa_grad` but lse.
enum Viewed { vDO, vQ, vK, vV, vO, vDQ, vDK, vDV };

class AttentionGradBuilder {
public:
  AttentionGradBuilder(const AttentionGradShape &shape, AttentionGradSide side,
                       OpBuilder &builder, Location loc)
      : shape(shape), ofKeys(side == AttentionGradSide::Keys),
        width(shape.dim <= 64 ? 64 : 128), tiling(tilingOf()),
        rowTile{kBlockRows, width}, columnTile{tiling.columns, width},
        numRows(ofKeys ? shape.keys : shape.queries),
        numColumns(ofKeys ? shape.queries : shape.keys),
        rowHeads(ofKeys ? shape.groups : shape.heads),
        ratio(shape.heads / shape.groups), builder(builder), loc(loc),
        w(builder, loc, shape.element) {}

  GpuLaunch launch() const {
    GpuLaunch launch;
    launch.grid = shape.batch * rowHeads * numBlocks();
    launch.block = {(kConsumers + 1) * kWarpgroup, 1, 1};
    launch.residentBlocks = 1;
    launch.shared = sharedBytes();
    return launch;
  }
  void build(Block *entry, Value shared);

private:
  Tiling tilingOf() const {
    if (width == 64)
      return ofKeys ? Tiling{64, 4, true, true, true}
                    : Tiling{128, 3, false, true, true};
    return ofKeys ? Tiling{64, 3, false, false, false}
                  : Tiling{64, 3, false, false, true};
  }
  int64_t numBlocks() const { return llvm::divideCeil(numRows, kBlockRows); }
  int64_t numTiles() const {
    return llvm::divideCeil(numColumns, tiling.columns);
  }
  int64_t statisticRows() const {
    return llvm::alignTo(shape.queries, kStatisticRows);
  }

  //===--- Shared memory --------------------------------------------------===//
  int64_t stageBytes() const { return 2 * columnTile.bytes(); }
  int64_t rowsAt() const { return tiling.stages * stageBytes(); }
  int64_t statisticsAt() const { return rowsAt() + 2 * rowTile.bytes(); }
  /// -lse log2(e) and D of a tile's columns.
  int64_t statisticBytes() const { return ofKeys ? tiling.columns * 8 : 0; }
  int64_t barriersAt() const {
    return statisticsAt() + tiling.stages * statisticBytes();
  }
  int64_t sharedBytes() const { return barriersAt() + 16 * tiling.stages + 8; }
  Expr full(Expr stage) { return base() + stage * 8 + barriersAt(); }
  Expr empty(Expr stage) {
    return base() + stage * 8 + (barriersAt() + 8 * tiling.stages);
  }
  Expr rowsBarrier() { return base() + (barriersAt() + 16 * tiling.stages); }
  Expr base() { return w.expr(sharedBase); }
  Expr stageAddress(Expr stage) { return base() + stage * stageBytes(); }
  Value sharedPointer(Expr offset);
  Expr loadShared(Expr offset, Type type);

  /// Maps are of q, k, v and do.
  std::array<Value, 2> rowMaps() const {
    return {maps[ofKeys ? 1 : 0], maps[ofKeys ? 2 : 3]};
  }
  std::array<Value, 2> columnMaps() const {
    return {maps[ofKeys ? 0 : 1], maps[ofKeys ? 3 : 2]};
  }

  //===--- Parts of the kernel --------------------------------------------===//
  void locateBlock();
  void produce();
  void consume();
  SmallVector<Value> consumeTile(ValueRange state, Expr stage, Expr tile);
  void copyRows();
  /// Two tiles, from `row` on, behind one another in shared memory.
  void copyTiles(const SwizzledTile &tile, ArrayRef<Value> sources, Expr target,
                 Expr barrier, Expr row, Expr ofHead);
  void loadRows();
  void findStatistics();
  void storeResult(Viewed view, Value pointer, Registers &sums, double factor);

  /// What a warpgroup carries from tile to tile.
  struct State {
    Registers sums[2]; ///< of dQ, or of dK and dV
    Registers left;    ///< dS of the tile before this one, if deferred
    Value before;      ///< its stage
    Value started;     ///< whether there was one
  };
  int64_t numSums() const { return ofKeys ? 2 : 1; }
  State startAt(Expr stage);
  SmallVector<Value> flatten(const State &state) const;
  State restore(ValueRange values) const;
  /// The tiles that the rows of this warpgroup need.
  std::pair<Expr, Expr> ownTiles();
  void takeTurn();
  void passTurn();
  void skipTile(Expr stage);
  /// Says that this warp has read a stage.
  void release(Expr stage);
  /// Stage, its barriers' parity and tile behind these.
  std::array<Value, 3> advance(Expr stage, Expr parity, Expr tile);
  void computeTile(State &state, Expr stage, Expr column);
  void startScores(Registers &scores, Expr tile, Expr rows,
                   ArrayRef<Registers> fragments);
  void addProduct(Registers &sums, ArrayRef<Value> left, Expr tile);
  void computeProbabilities(Registers &scores, ArrayRef<Value> statistics,
                            Expr column);
  void mask(Registers &probabilities, Expr column);
  SmallVector<Value> columnStatistics(Expr stage, int64_t which);
  /// Place of a query's -lse log2(e), 0, or D, 1.
  Expr statisticAt(Expr ofHead, Expr row, int64_t which) {
    return (w.expr(batch) * shape.heads + ofHead) * statisticRows() + row +
           which * shape.batch * shape.heads * statisticRows();
  }

  Expr address(Value pointer, sched::ViewAttr view, Expr row, Expr element);
  Expr minimum(Expr a, Expr b) { return (a < b).select(a, b); }
  Expr maximum(Expr a, Expr b) { return (a < b).select(b, a); }
  Expr divide(Expr a, int64_t b) {
    return a.make<mlir::arith::DivUIOp>(Value(a), Value(a.integer(b)));
  }
  Value flag(bool value) {
    return mlir::arith::ConstantIntOp::create(builder, loc, builder.getI1Type(),
                                              value);
  }
  /// `then` where the condition holds.
  void when(Value condition, function_ref<void()> then,
            function_ref<void()> otherwise = {});

  const AttentionGradShape &shape;
  const bool ofKeys;
  const int64_t width;
  const Tiling tiling;
  const SwizzledTile rowTile, columnTile;
  const int64_t numRows, numColumns, rowHeads, ratio;
  OpBuilder &builder;
  Location loc;
  Warpgroup w;

  Value maps[4], output, lse, statistics, gradients[3], shared, sharedBase;
  /// i32: of the thread, of its warp and warpgroup in the block, of its place
  /// in an accumulator (PTX ISA, figure of wgmma's D), and of the block.
  Value thread, warp, lane, group, quad, warpgroup, lowRow, highRow, localRow;
  Value batch, head, firstRow, firstHead, firstTile, endTile, numSteps;
  /// Of the rows, in registers: by steps of the contraction.
  SmallVector<Registers, 0> fragments[2];
  /// Of this thread's two rows: -lse log2(e), and D.
  Value rowLse[2], rowD[2];
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADBUILDER_H
