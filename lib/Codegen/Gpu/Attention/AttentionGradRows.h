//===- AttentionGradRows.h - the rows of a thread ---------------*- C++ -*-===//
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
#ifndef PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADROWS_H
#define PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADROWS_H

#include "Codegen/Gpu/Attention/AttentionGradFrame.h"

namespace prec {

class AttentionGradRows {
public:
  /// Which rows a thread of the warpgroups that compute has.
  explicit AttentionGradRows(AttentionGradFrame &frame);

  /// Waits until the block's rows are there, and reads what tiles need of them.
  void load();
  /// Stores sums over all tiles, times a factor, in the place of a result.
  void store(Viewed view, Value pointer, Registers &sums, double factor);

  /// i32: in the block, and of the two rows in the head.
  Value local, low, high;
  /// Of the rows, in registers: by steps of the contraction.
  SmallVector<Registers, 0> fragments[2];
  /// Of queries: -lse log2(e), and D, of this thread's two rows.
  Value lse[2], d[2];

private:
  void loadFragments();
  void findStatistics();

  AttentionGradFrame &frame;
  const AttentionGradPlan &plan;
  OpBuilder &builder;
  Location loc;
  Warpgroup &w;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADROWS_H
