//===- LongLines.h - lines that no registers hold ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that no registers hold, as those of logits. A row is read in several
// passes (reductions, then results). Its inputs are copied to shared memory
// once, as much as fits, and each pass reads them there (HeldRow.cpp). A line
// is walked in rounds of several vectors for each thread, then of one; elements
// that fill no aligned vector are computed apart (LinePart.cpp). Copies end in
// groups, so that the first elements are computed while the last are on their
// way. What does not fit is read from memory in each pass, last in the first
// one and first in the others, when the cache still has it.
//
// Where many rows are left for each multiprocessor, a cluster walks over
// several of them: in the last pass over a row a thread replaces each span that
// it has read by the same span of the next row, so memory is busy without a
// pause. Where columns are summed, it walks over the rows of a group
// (LongColumns.h).
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_LONGLINES_H
#define PREC_LIB_CODEGEN_GPU_LONGLINES_H

#include "Codegen/Gpu/HeldRow.h"
#include "Codegen/Gpu/RowFrame.h"

#include <map>

namespace prec {

class LongLines {
public:
  /// Gets some chunks of a line and what is carried along it.
  using Body = function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)>;

  explicit LongLines(RowFrame &frame)
      : frame(frame), gpu(frame.gpu), k(frame.k) {}

  /// Decides what is held of the lines of `extent`, by how many threads of how
  /// many blocks, and how many rows these walk over: those of a group, if
  /// columns have `sums`. For `passes`, `warpShared` and `mostBlocks` see
  /// HeldRow.
  void hold(int64_t extent, ArrayRef<SmallVector<Value>> passes,
            int64_t warpShared, int64_t mostBlocks, int64_t sums,
            int64_t rowsOfGroup);
  /// Rows of a cluster, one after the other.
  int64_t getWalked() const { return walked; }
  /// Blocks that a multiprocessor has room for; 0 where nothing is held.
  int64_t getResident() const { return held ? held->getResident() : 0; }

  /// Loops over a line of a row.
  FailureOr<Carried> build(int64_t extent, Carried carried, Body body);
  /// Builds rows one after the other, from `first` on; `buildRow` builds that
  /// of the frame, which is the one `index` of them.
  LogicalResult walkRows(Value first,
                         function_ref<LogicalResult(Value index)> buildRow);
  /// What is held, if it has the sums of columns.
  HeldRow *findSums() { return held && held->hasSums() ? &*held : nullptr; }
  /// Which element of the block's share of a line `column` is.
  Value elementOf(const Digit &column) {
    return k.subtract(column.value, partOf(column.extent).getBegin());
  }
  /// Loops over the block's share of a line behind the rows that it walked.
  LogicalResult buildBehind(int64_t extent,
                            function_ref<LogicalResult(const Digit &)> body);

private:
  /// Elements of a part from `from` to `end`, which is at least `to`.
  struct Span {
    int64_t from, to;
    Value end;
  };
  FailureOr<Carried> buildSpan(const LinePart &part, const Span &span,
                               Carried carried, Body body);
  /// What is held of `part`, by the groups in which it is copied or as one.
  SmallVector<Span> heldSpans(const LinePart &part, bool inGroups);
  /// Whether the pass starts copies of what it reads.
  bool copiesInPass() const {
    return !isAhead && held->isCopied() && held->readsNew();
  }
  /// Starts copies, of all that is held of a row or of what the pass needs.
  LogicalResult startCopies(const LinePart &part, bool all);
  LogicalResult copySpan(const Digit &row, const LinePart &part,
                         const Span &span, bool all);
  FailureOr<Carried> buildHeld(const LinePart &part, Carried carried,
                               Body body);
  /// Over what is no part of a vector, before anything else.
  FailureOr<Carried> buildEdges(const LinePart &part, Carried carried,
                                Body body);
  /// What this block reads of such a line.
  const LinePart &partOf(int64_t extent);

  RowFrame &frame;
  GpuKernel &gpu;
  KernelBuilder &k;
  std::optional<HeldRow> held;
  std::map<int64_t, LinePart> parts; ///< by the extents of lines
  int64_t walked = 1;
  bool isAhead = false; ///< the next row that is walked is under way
  Value hasNext;        ///< whether a row that is walked is not the last
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_LONGLINES_H
