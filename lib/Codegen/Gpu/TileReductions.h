//===- TileReductions.h - what is reduced of tiles on the way ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_GPU_TILEREDUCTIONS_H
#define PREC_LIB_CODEGEN_GPU_TILEREDUCTIONS_H

#include "prec/Support/LLVM.h"

#include "Codegen/Emitter/Loops.h"
#include "Codegen/Gpu/TileWords.h"

namespace prec {

/// A number of each tile, such as its amax, and the sums of its columns, in the
/// registers of the threads that read it, and where these meet.
class TileReductions {
public:
  /// Of blocks that take `across` tiles side by side. `memory` is of a tile
  /// that is turned, or null.
  TileReductions(GpuKernel &gpu, TransposeShape &shape,
                 const TileLayout &layout, int64_t across, Value memory);

  /// Forgets what was reduced.
  void clear();
  /// Reduces the elements at a position of a block's tile `index`, of columns
  /// that are the same for all elements that a thread adds.
  LogicalResult add(ArrayRef<Digit> at, int64_t index);
  /// What a loop carries; neutral elements where nothing was added.
  Carried carry();
  void set(ValueRange carried);
  Carried get() const;
  /// Stores what the threads of the block have of the tiles at `row0` and
  /// `column0`. All of them have read what `memory` held.
  LogicalResult store(Value thread, Value block, Value row0, Value column0);

private:
  Value getNeutral(const TransposeShape::TileResult &of, bool hasLanes);
  LogicalResult storeNumbers(Value thread, Value block);
  LogicalResult storeSums(Value thread, Value row0, Value column0);

  GpuKernel &gpu;
  KernelBuilder &k;
  TransposeShape &shape;
  const TileLayout &layout;
  int64_t across;
  Value memory;    ///< of a tile that is turned, or null
  Value sumMemory; ///< in which threads' sums meet
  /// Of each tile, in turn.
  SmallVector<train::ReduceOp> ops;
  Carried numbers;
  Carried sums;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_TILEREDUCTIONS_H
