//===- AttentionGradFrame.h - what all its warps know -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every warp of a block knows: arguments of the kernel, its own place
// among the threads, and which part of the problem the block has. A block has
// 128 rows of one head (queries, or keys) and goes over tiles of the other
// side. Blocks of eight heads run together, because they read the same tiles
// from L2 then; with a causal mask the longest blocks start first, so that none
// is left alone in the end. Parts that build the warps' code
// (AttentionGradCopies.h, AttentionGradRows.h, AttentionGradTiles.h) share it.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADFRAME_H
#define PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADFRAME_H

#include "Codegen/Gpu/Attention/AttentionGradPlan.h"

namespace prec {

/// Operands and results of `prec_sched.sdpa_grad` but lse.
enum Viewed { vDO, vQ, vK, vV, vO, vDQ, vDK, vDV };

class AttentionGradFrame {
public:
  /// Reads the arguments of the kernel and finds the block's place, at the
  /// start of `entry`. `shared` is the array of dynamic shared memory.
  AttentionGradFrame(const AttentionGradPlan &plan, OpBuilder &builder,
                     Location loc, Block *entry, Value shared);

  //===--- Shared memory --------------------------------------------------===//
  Expr base() { return w.expr(sharedBase); }
  Expr full(Expr stage) { return base() + stage * 8 + plan.fullAt(); }
  Expr empty(Expr stage) { return base() + stage * 8 + plan.emptyAt(); }
  Expr rowsBarrier() { return base() + plan.rowsBarrierAt(); }
  Expr stageAddress(Expr stage) { return base() + stage * plan.stageBytes(); }
  Value sharedPointer(Expr offset);
  Expr loadShared(Expr offset, Type type);

  //===--- Memory ---------------------------------------------------------===//
  /// Maps are of q, k, v and do.
  std::array<Value, 2> rowMaps() const {
    return {maps[plan.ofKeys ? 1 : 0], maps[plan.ofKeys ? 2 : 3]};
  }
  std::array<Value, 2> columnMaps() const {
    return {maps[plan.ofKeys ? 0 : 1], maps[plan.ofKeys ? 3 : 2]};
  }
  Expr address(Value pointer, sched::ViewAttr view, Expr row, Expr element);
  /// Place of a query's -lse log2(e), 0, or D, 1.
  Expr statisticAt(Expr ofHead, Expr row, int64_t which) {
    const AttentionGradShape &shape = plan.shape;
    return (w.expr(batch) * shape.heads + ofHead) * plan.statisticRows() + row +
           which * shape.batch * shape.heads * plan.statisticRows();
  }

  /// Stage, its barriers' parity and tile behind these.
  std::array<Value, 3> advance(Expr stage, Expr parity, Expr tile);

  Expr minimum(Expr a, Expr b) { return (a < b).select(a, b); }
  Expr maximum(Expr a, Expr b) { return (a < b).select(b, a); }
  Expr divide(Expr a, int64_t b) {
    return a.make<mlir::arith::DivUIOp>(Value(a), Value(a.integer(b)));
  }
  Value flag(bool value) {
    return mlir::arith::ConstantIntOp::create(builder, loc, builder.getI1Type(),
                                              value);
  }

  const AttentionGradPlan &plan;
  OpBuilder &builder;
  Location loc;
  Warpgroup w;

  Value maps[4], output, lse, statistics, gradients[3], shared, sharedBase;
  /// i32: of the thread, of its warp and warpgroup in the block, of its place
  /// in an accumulator (PTX ISA, figure of wgmma's D), and of the block.
  Value thread, warp, lane, group, quad, warpgroup;
  Value batch, head, firstRow, firstHead, firstTile, endTile, numSteps;

private:
  void locateBlock();
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADFRAME_H
