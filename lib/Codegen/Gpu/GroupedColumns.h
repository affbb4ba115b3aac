//===- GroupedColumns.h - columns of groups of rows -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block reduces the rows of a group, and their columns on the way: teams of
// threads take turns at the rows, every thread combines the elements it meets
// in its registers, and in the end the teams' results meet in shared memory, in
// a fixed order. Of many groups, a block walks over several.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_GROUPEDCOLUMNS_H
#define PREC_LIB_CODEGEN_GPU_GROUPEDCOLUMNS_H

#include "prec/Support/LLVM.h"

#include "Codegen/DispatchShape.h"
#include "Codegen/Gpu/GpuKernels.h"
#include "Codegen/Gpu/RowsAhead.h"

#include "llvm/ADT/MapVector.h"

namespace prec {

/// Elements of a row that a thread meets at once; `inside` is null where no
/// thread is outside of the row.
struct Chunk {
  Digit column;
  Value inside;
};

class GroupedColumns {
public:
  /// Of rows of `longest` elements. Chooses the threads and the lanes.
  GroupedColumns(GpuKernel &gpu, const RowShape &shape, int64_t longest);

  /// Threads of a row, and rows at once.
  int64_t getThreads() const { return threads; }
  int64_t getTeams() const { return teams; }

  /// The chunks of lines of `extent` elements that each thread takes.
  void addLine(int64_t extent, ArrayRef<Chunk> chunks) {
    lines[extent].assign(chunks.begin(), chunks.end());
  }

  /// Calls `buildRow`, which calls `add` before it stores, in a loop over the
  /// rows of a team; `turn` alternates between 0 and 1. What is read of the
  /// next rows is under way meanwhile.
  FailureOr<GpuLaunch>
  build(const Team &team, Value thread,
        function_ref<LogicalResult(Digit row, Value turn)> buildRow);
  LogicalResult add(const Digit &row);

private:
  void chooseTeams(int64_t longest);
  /// Combines the sums of all teams, for the first one.
  void meet(const Team &team, Value thread);
  /// Of the group `index` behind the block's first one.
  LogicalResult store(Value index);
  /// Of a multiprocessor.
  int64_t residentBlocks() const;
  void startSums();
  int64_t findRoom();
  RowsAhead findReads(Value first);
  ArrayRef<Chunk> chunks() { return lines[shape.groups.columns]; }

  GpuKernel &gpu;
  KernelBuilder &k;
  RowShape shape;
  int64_t threads = kWarp, teams = 1;
  int64_t walked = 1; ///< groups of a block, one after the other
  llvm::MapVector<int64_t, SmallVector<Chunk>> lines;
  /// Of each reduction, of each chunk.
  Carried sums;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_GROUPEDCOLUMNS_H
