//===- AttentionGradTiles.h - the warps that compute ------------*- C++ -*-===//
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
#ifndef PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADTILES_H
#define PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADTILES_H

#include "Codegen/Gpu/Attention/AttentionGradRows.h"

namespace prec {

class AttentionGradTiles {
public:
  explicit AttentionGradTiles(AttentionGradFrame &frame)
      : frame(frame), plan(frame.plan), builder(frame.builder), loc(frame.loc),
        w(frame.w), rows(frame) {}

  /// Goes over all tiles and stores the results.
  void build();

private:
  /// What a warpgroup carries from tile to tile.
  struct State {
    Registers sums[2]; ///< of dQ, or of dK and dV
    Registers left;    ///< dS of the tile before this one, if deferred
    Value before;      ///< its stage
    Value started;     ///< whether there was one
  };
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
  SmallVector<Value> consumeTile(ValueRange state, Expr stage, Expr tile);
  void computeTile(State &state, Expr stage, Expr column);
  void startScores(Registers &scores, Expr tile, Expr rows,
                   ArrayRef<Registers> fragments);
  void addProduct(Registers &sums, ArrayRef<Value> left, Expr tile);
  void computeProbabilities(Registers &scores, ArrayRef<Value> lses,
                            Expr column);
  void mask(Registers &probabilities, Expr column);
  SmallVector<Value> columnStatistics(Expr stage, int64_t which);

  AttentionGradFrame &frame;
  const AttentionGradPlan &plan;
  OpBuilder &builder;
  Location loc;
  Warpgroup &w;
  AttentionGradRows rows;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADTILES_H
