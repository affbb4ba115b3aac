//===- UpdateSums.h - sums of the updates of a row --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_GPU_UPDATESUMS_H
#define PREC_LIB_CODEGEN_GPU_UPDATESUMS_H

#include "prec/Support/LLVM.h"

#include "Codegen/Gpu/GpuKernels.h"
#include "Codegen/Emitter/Loops.h"

namespace prec {

/// What the threads of a warp sum in their columns of a scatter-add: chunks,
/// each a vector or a number, of one strip of the row.
class UpdateSums {
public:
  /// `listed` is how many positions a warp lists at most.
  UpdateSums(GpuKernel &gpu, train::ScatterAddOp op, int64_t warps,
             int64_t listed);

  int64_t countStrips() const { return strips; }
  size_t countChunks() const { return columns.size(); }
  int64_t countLanes() const { return columns.front().lanes; }

  Carried zeros();
  Carried addEach(ValueRange sums, ValueRange updates);

  /// Makes `position` the warp's update `place`, both i32.
  void list(Value position, Value place);
  using Add =
      function_ref<Carried(ValueRange sums, Value position, ValueRange update)>;
  /// Adds the first `count` listed updates, in their order, to `sums`; asks the
  /// memory for `bytesAhead` of them at once.
  FailureOr<Carried> addListed(Value count, int64_t bytesAhead, ValueRange sums,
                               Add add);

  Value loadRow(Digit row, size_t chunk);
  LogicalResult storeRow(Digit row, size_t chunk, Value before, Value sum);

private:
  Expr expr(Value value) { return {k.moveHere(), k.loc(), value}; }
  Value listedAt(Value place) { return k.add(k.mul(warp, listed), place); }
  /// Of an update, the thread's columns as they are summed.
  FailureOr<Carried> emitUpdate(Value position);

  GpuKernel &gpu;
  KernelBuilder &k;
  train::ScatterAddOp op;
  RankedTensorType table, updates;
  int64_t listed, strips;
  Value warp;
  Value positions;            ///< listed, of every warp
  SmallVector<Digit> columns; ///< chunks of this thread
  SmallVector<Value> inside;  ///< null where no thread is outside
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_UPDATESUMS_H
