//===- GpuRow.h - row kernels on NVIDIA GPUs --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_GPU_GPUROW_H
#define PREC_LIB_CODEGEN_GPU_GPUROW_H

#include "prec/Support/LLVM.h"

#include "Codegen/Gpu/GpuExchange.h"
#include "Codegen/Gpu/GroupedColumns.h"
#include "Codegen/Gpu/HeldRow.h"
#include "Codegen/Gpu/LinePart.h"
#include <map>

namespace prec {

/// A row's largest element, and sums: first that of exp(element - largest),
/// then what else shares the pass.
struct Exponentials {
  train::ReduceOp largest;
  SmallVector<train::ReduceOp> sums;
};

class RowKernel {
public:
  RowKernel(GpuKernel &gpu) : gpu(gpu), k(gpu.kernel()) {}
  FailureOr<GpuLaunch> build();

private:
  LogicalResult buildRow(ArrayRef<unsigned> scalars);
  /// Builds held rows one after the other, from `first` on.
  LogicalResult walkRows(Value first, ArrayRef<unsigned> scalars);
  FailureOr<GpuLaunch> buildGroups(int64_t longest, ArrayRef<unsigned> scalars);
  void findStreamed();
  /// Reads the elements that sums pick of the row, instead of summing.
  LogicalResult pickElements();
  LogicalResult reduce(MutableArrayRef<train::ReduceOp> ops);
  /// The exponentials that one pass over a line too long to hold can sum.
  std::optional<Exponentials> findExponentials();
  /// Sums exponentials of differences from the largest element so far, and
  /// makes up for each new one.
  LogicalResult reduceExponentials(Exponentials exponentials);
  /// Thread-local partial results over a line of `extent`.
  FailureOr<Carried> accumulate(MutableArrayRef<train::ReduceOp> ops,
                                int64_t extent);
  Carried neutralElements(ArrayRef<train::ReduceOp> ops, int64_t lanes);
  /// The whole row's results from those of its threads, in every thread.
  void finish(ArrayRef<train::ReduceOp> ops, Carried &partial) {
    if (cluster)
      reduceCluster(gpu, rowWarps(), ops, partial);
    else
      gpu.reduceWarps(ops, partial, thread, warps, {}, team);
  }
  RowWarps rowWarps() {
    return {cluster ? &*cluster : nullptr, warps, thread, team.turn};
  }
  /// The same of exponentials, whose sums are joined with the largest elements
  /// that they were taken from.
  void finishExponentials(const Exponentials &exponentials, Value none,
                          Carried &partial);
  LogicalResult storeLine(int64_t extent, ArrayRef<unsigned> results);

  /// Results of more than one element a row that no reduction's pass stores.
  llvm::MapVector<int64_t, SmallVector<unsigned>> lineResults();
  /// What each pass over the lines of `extent` computes at their elements, in
  /// the order in which they are built.
  SmallVector<SmallVector<Value>> passesOver(int64_t extent);
  /// Decides what is held of lines that are too long for registers.
  void holdLines(int64_t extent);
  /// Loops over a line that is too long to hold; `body` gets some chunks.
  FailureOr<Carried> buildLongLine(
      int64_t extent, Carried carried,
      function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)> body);
  /// Elements of a part from `from` to `end`, which is at least `to`.
  struct Span {
    int64_t from, to;
    Value end;
  };
  FailureOr<Carried>
  buildSpan(const LinePart &part, const Span &span, Carried carried,
            function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)> body);
  /// What is held of `part`, by the groups in which it is copied or as one.
  SmallVector<Span> heldSpans(const LinePart &part, bool inGroups);
  /// Whether the pass starts copies of what it reads.
  bool copiesInPass() const {
    return walked == 1 && held->isCopied() && held->readsNew();
  }
  /// Starts copies, of all that is held of a row or of what the pass needs.
  LogicalResult startCopies(const LinePart &part, bool all);
  LogicalResult copySpan(const Digit &row, const LinePart &part,
                         const Span &span, bool all);
  FailureOr<Carried>
  buildHeld(const LinePart &part, Carried carried,
            function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)> body);
  /// Over what is no part of a vector, before anything else.
  FailureOr<Carried> buildEdges(
      const LinePart &part, Carried carried,
      function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)> body);
  /// Lanes of the vectors of a line that loops walk.
  int64_t lanesOfLong(int64_t extent) const;
  /// What this block reads of such a line.
  const LinePart &partOf(int64_t extent);
  /// Counts the threads of all blocks that share the row.
  Value threadOfRow() {
    return cluster ? k.add(thread, k.mul(blocks.rank, threads)) : thread;
  }
  /// Chunks of a line that each thread takes, or 0: too many to hold.
  int64_t heldChunks(int64_t extent) const;
  /// Chunk `i` of this thread; `inside` is null where no thread is outside.
  Digit chunk(int64_t extent, int64_t i, Value &inside);
  SmallVector<Chunk> chunksOf(int64_t extent);

  GpuKernel &gpu;
  KernelBuilder &k;
  ReductionLevels reductions;
  RowShape shape;
  std::optional<HeldRow> held;
  std::optional<GroupedColumns> columns;
  /// Blocks that share a row.
  LineBlocks blocks;
  std::optional<GpuCluster> cluster;
  std::map<int64_t, LinePart> parts; ///< by the extents of lines
  /// Results that need no reduction: the pass that reduces stores them.
  SmallVector<unsigned> streamed;
  int64_t rows = 0, threads = 0, warps = 0;
  int64_t walked = 1; ///< rows of a cluster, one after the other
  Value hasNext;      ///< whether a row that is walked is not the last
  Value thread;       ///< within the row, or the block's share of it
  Team team;          ///< those of the row, of the block
  Digit row{};
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_GPUROW_H
