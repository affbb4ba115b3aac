//===- GpuCluster.h - blocks that share a row -------------------*- C++ -*-===//
//
// Blocks of a cluster start together and may write into each other's shared
// memory.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPUCLUSTER_H
#define PREC_LIB_CODEGEN_GPUCLUSTER_H

#include "GpuKernels.h"

namespace mlir::prec {

class GpuCluster {
public:
  /// Of `blocks`, of which this is the one `rank`.
  GpuCluster(GpuKernel &gpu, int64_t blocks, Value rank);

  int64_t getBlocks() const { return blocks; }
  /// Writes `values`, which the lanes of a warp have alike, into the same array
  /// each of every block: first those of the first block's `warps`.
  void give(ArrayRef<Value> arrays, ValueRange values, Value lane, Value warp,
            int64_t warps);
  /// Waits for every thread, and for what they have written.
  void barrier();

private:
  /// Waits until all have started.
  void start();
  void arrive();
  void wait();

  GpuKernel &gpu;
  int64_t blocks;
  Value rank;
  bool hasStarted = false;
};

} // namespace mlir::prec

#endif // PREC_LIB_CODEGEN_GPUCLUSTER_H
