//===- RowFrame.h - which row, by which threads -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every pass over a row knows: which row it is, which threads of which
// blocks share it, and which elements of a line a thread takes. A line is the
// elements of a row that one reduction or result goes over. A thread takes
// chunks of `lanes` neighbors: chunk i of thread t begins at element
// (i * threads + t) * lanes. In a line of 96 elements, 32 threads of 2 lanes
// take two chunks each, and half of the threads' second ones are outside.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_ROWFRAME_H
#define PREC_LIB_CODEGEN_GPU_ROWFRAME_H

#include "Codegen/Gpu/GpuExchange.h"
#include "Codegen/Gpu/GroupedColumns.h"
#include "Codegen/Gpu/LinePart.h"

namespace prec {

struct RowFrame {
  explicit RowFrame(GpuKernel &gpu) : gpu(gpu), k(gpu.kernel()) {}

  /// Chunks of a line that each thread takes, or 0: too many to hold.
  int64_t heldChunks(int64_t extent) const;
  /// Chunk `i` of this thread; `inside` is null where no thread is outside.
  Digit chunk(int64_t extent, int64_t i, Value &inside);
  SmallVector<Chunk> chunksOf(int64_t extent);

  /// Lanes of the vectors of a line that loops walk.
  int64_t lanesOfLong(int64_t extent) const {
    // Edges are few beside what no registers hold.
    return heldChunks(extent) ? gpu.lanesForRow(extent) : gpu.maxLanes;
  }
  /// Counts the threads of all blocks that share the row.
  Value threadOfRow() {
    return cluster ? k.add(thread, k.mul(blocks.rank, threads)) : thread;
  }
  RowWarps rowWarps() {
    return {cluster ? &*cluster : nullptr, warps, thread, team.turn};
  }
  /// What a thread starts each of the reductions with.
  Carried neutralElements(ArrayRef<train::ReduceOp> ops, int64_t lanes);
  /// The whole row's results from those of its threads, in every thread.
  void finish(ArrayRef<train::ReduceOp> ops, Carried &partial) {
    if (cluster)
      reduceCluster(gpu, rowWarps(), ops, partial);
    else
      gpu.reduceWarps(ops, partial, thread, warps, {}, team);
  }

  GpuKernel &gpu;
  KernelBuilder &k;
  LineBlocks blocks; ///< that share a row
  std::optional<GpuCluster> cluster;
  int64_t rows = 0, threads = 0, warps = 0;
  bool areLong = false; ///< lines, whatever registers would hold
  Value thread;         ///< within the row, or the block's share of it
  Team team;            ///< those of the row, of the block
  Digit row{};
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_ROWFRAME_H
