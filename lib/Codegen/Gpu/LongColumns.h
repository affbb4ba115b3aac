//===- LongColumns.h - columns of long rows ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of the columns of groups of rows that no registers hold, as those of the
// gradient of logits, which are the gradient of the head's bias. The blocks
// that share a row walk over a group. In the last pass over a row each thread
// adds the elements that it takes to their sums, in shared memory, and stores
// these behind the group's last row. It takes the same columns of every row, so
// that nobody waits, and rows are added one after the other. Where a chip has
// no room for the sums, they are in memory, where the partial sums of the group
// lie in the end.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_LONGCOLUMNS_H
#define PREC_LIB_CODEGEN_GPU_LONGCOLUMNS_H

#include "prec/Support/LLVM.h"

#include "Codegen/DispatchShape.h"
#include "Codegen/Gpu/LongLines.h"

namespace prec {

class LongColumns {
public:
  LongColumns(RowFrame &frame, LongLines &lines, const RowShape &shape)
      : frame(frame), gpu(frame.gpu), k(frame.k), lines(lines), shape(shape) {}

  int64_t getExtent() const { return shape.groups.columns; }
  /// Of each column.
  int64_t countSums() const { return int64_t(shape.columnReductions.size()); }
  /// Begins the row `index` of `group`.
  void startRow(Value group, Value index);
  /// Adds the frame's row at `column`.
  LogicalResult add(const Digit &column);
  /// Stores the sums of `group`, behind its rows.
  LogicalResult store(Value group);

private:
  Digit groupAt(Value index) const { return {shape.groups.groups, index}; }

  RowFrame &frame;
  GpuKernel &gpu;
  KernelBuilder &k;
  LongLines &lines;
  const RowShape &shape;
  Value group, isFirst;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_LONGCOLUMNS_H
