//===- GpuExchange.h - what the warps of a row have reduced -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_GPU_GPUEXCHANGE_H
#define PREC_LIB_CODEGEN_GPU_GPUEXCHANGE_H

#include "prec/Support/LLVM.h"

#include "Codegen/Gpu/GpuCluster.h"
#include "Codegen/Emitter/Loops.h"

namespace prec {

/// The warps of a row: those of a block, or of all blocks of a cluster.
struct RowWarps {
  GpuCluster *cluster; ///< null: of one block
  int64_t inBlock;
  Value thread; ///< of the block
  /// 0 or 1, where they meet many times; may be null.
  Value turn;

  int64_t count() const {
    return inBlock * (cluster ? cluster->getBlocks() : 1);
  }
};

/// Gives every warp what all of them have, of this one `values`, which its
/// lanes have alike: of the first 32 lane i has those of warp i, and so on;
/// `none`, where there is no such warp. One barrier, for all values.
SmallVector<Carried> exchange(GpuKernel &gpu, const RowWarps &warps,
                              ValueRange values, ValueRange none);

/// Combines the values, one for each of `ops`, of the threads of several
/// blocks; the results in every thread, the same in all blocks.
void reduceCluster(GpuKernel &gpu, const RowWarps &warps,
                   ArrayRef<train::ReduceOp> ops,
                   MutableArrayRef<Value> values);

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_GPUEXCHANGE_H
