//===- GpuCluster.h - blocks that share a row -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a cluster start together and may write into each other's shared
// memory.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_GPUCLUSTER_H
#define PREC_LIB_CODEGEN_GPU_GPUCLUSTER_H

#include "prec/Support/LLVM.h"

#include "Codegen/Gpu/GpuKernels.h"

namespace prec {

class GpuCluster {
public:
  /// Of `blocks`, of which this is the one `rank`.
  GpuCluster(GpuKernel &gpu, int64_t blocks, Value rank);

  int64_t getBlocks() const { return blocks; }
  Value getRank() const { return rank; }
  /// Waits until all have started, once.
  void start();
  /// Writes `values` to the same `place`, counted in them, of an array each of
  /// `block`, which has started.
  void write(ArrayRef<Value> arrays, ValueRange values, Value block,
             Value place);
  /// Writes `values`, which the lanes of a warp have alike, to the same `place`
  /// of an array each of every block.
  void give(ArrayRef<Value> arrays, ValueRange values, Value lane, Value place);
  /// Waits for every thread, and for what they have written.
  void barrier();

private:
  void arrive();
  void wait();

  GpuKernel &gpu;
  int64_t blocks;
  Value rank;
  bool hasStarted = false;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_GPUCLUSTER_H
