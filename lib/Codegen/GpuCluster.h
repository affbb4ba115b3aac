//===- GpuCluster.h - blocks that share a row -------------------*- C++ -*-===//
//
// Blocks of a cluster start together and may write into each other's shared
// memory: each hands every other what it has reduced.
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

  /// Combines the values of blocks, one for each of `ops`, that every thread of
  /// a block has alike; the results in every thread, the same in all blocks.
  void reduce(ArrayRef<train::ReduceOp> ops, MutableArrayRef<Value> values,
              Value thread);
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
