//===- AttentionGradPlan.h - numbers of such a kernel -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All numbers of a kernel of AttentionGrad.h, decided before any instruction is
// built: which side has rows and which columns, how wide their tiles are, and
// where everything lies in shared memory. In this order:
//
//   stages   tiles of columns, two operands each, `tiling.stages` times
//   rows     the block's own two operands
//   -lse log2(e) and D of each stage's columns (of keys alone)
//   barriers `full` of each stage, `empty` of each stage, that of the rows
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADPLAN_H
#define PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADPLAN_H

#include "Codegen/Gpu/Attention/AttentionGradShape.h"
#include "Codegen/Gpu/Warpgroup.h"

namespace prec {

/// Warpgroups that compute; one more copies.
inline constexpr int64_t kConsumers = 2;
inline constexpr int64_t kBlockRows = kConsumers * kWarpgroupRows;
inline constexpr int64_t kConsumerWarps = kConsumers * 4;
/// Of a copy by a tensor map.
inline constexpr int64_t kBoxRows = 64;
inline constexpr double kLog2OfE = 1.44269504088896341;

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

struct AttentionGradPlan {
  AttentionGradPlan(const AttentionGradShape &shape, AttentionGradSide side);

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
  int64_t fullAt() const { return barriersAt(); }
  int64_t emptyAt() const { return barriersAt() + 8 * tiling.stages; }
  int64_t rowsBarrierAt() const { return barriersAt() + 16 * tiling.stages; }

  /// Results that a warpgroup adds up: dQ, or dK and dV.
  int64_t numSums() const { return ofKeys ? 2 : 1; }
  GpuLaunch launch() const;

  const AttentionGradShape &shape;
  const bool ofKeys;
  const int64_t width; ///< elements of a head, rounded up to slabs
  const Tiling tiling;
  const SwizzledTile rowTile, columnTile;
  const int64_t numRows, numColumns, rowHeads;
  const int64_t ratio; ///< heads of queries that share keys
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_ATTENTION_ATTENTIONGRADPLAN_H
