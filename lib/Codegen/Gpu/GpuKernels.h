//===- GpuKernels.h - kernel families on NVIDIA GPUs ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_CODEGEN_GPU_GPUKERNELS_H
#define PREC_LIB_CODEGEN_GPU_GPUKERNELS_H

#include "prec/Support/LLVM.h"

#include "Codegen/Gpu/GpuChip.h"
#include "Codegen/Emitter/PointEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace prec {

inline constexpr int64_t kWarp = 32;
/// Of a tensor, that a thread reads at once of a row.
inline constexpr int64_t kLaneBytes = 32;
/// Of a tensor, that a thread writes at once, so that the threads of a warp
/// write whole sectors.
inline constexpr int64_t kVectorBytes = 16;
/// Of static shared memory, which a block may have.
inline constexpr int64_t kMaxSharedBytes = 48 << 10;

/// How many blocks of how many threads.
struct GpuLaunch {
  int64_t grid = 1;
  SmallVector<int64_t, 3> block;
  /// Blocks that a multiprocessor must have room for, at the cost of registers
  /// that are spilled; 0 leaves that to the assembler.
  int32_t residentBlocks = 0;
  /// Blocks of a cluster, of which the grid is a multiple.
  int32_t clusterBlocks = 1;
  /// Bytes of dynamic shared memory.
  int64_t shared = 0;
};

/// Threads of a block that do the same as others of it: which, of how many.
struct Team {
  Value index;
  int64_t count = 1;
  int64_t threads = 0; ///< of each, whole warps
  /// 0 or 1, for values that meet many times: where they met last may still be
  /// read.
  Value turn = {};
};

/// What a family builds from, in the body of a kernel.
class GpuKernel {
public:
  GpuKernel(PointEmitter &emitter, int64_t maxLanes, const GpuChip &chip)
      : emitter(emitter), chip(chip), maxLanes(maxLanes) {}

  PointEmitter &emitter;
  const GpuChip &chip;
  /// Most lanes a vector may have: 16 bytes of the narrowest element.
  int64_t maxLanes;

  KernelBuilder &kernel() { return emitter.getKernel(); }
  sched::DispatchOp dispatch() { return emitter.getDispatch(); }
  SmallVector<unsigned> allResults();

  Value blockId();
  Value threadId(unsigned dim = 0);
  void barrier();
  /// For the threads of one team, of no more than 15.
  void barrier(const Team &team);
  /// `count` elements of static shared memory, of which a block has 48 KB.
  Value allocateShared(Type element, int64_t count);
  /// `bytes` of dynamic shared memory, aligned to 16; once in a kernel.
  Value allocateDynamicShared(int64_t bytes);
  /// `index` counts elements; alignment 0 is that of an element.
  Value loadShared(Value array, Type type, Value index, unsigned alignment = 0);
  void storeShared(Value array, Value value, Value index,
                   unsigned alignment = 0);
  /// Adds to an integer in shared memory, whatever other threads add to it.
  void addShared(Value array, Value value, Value index);
  /// Copies 4, 8 or 16 bytes at `from` to an element of shared memory, while
  /// the thread goes on.
  void copyToShared(Value array, Type element, Value index, Value from,
                    int64_t bytes);
  /// Ends a group of copies.
  void endCopies();
  /// Waits for a thread's own copies but for those of the last groups.
  void waitForCopies(int64_t lastGroups);
  /// Waits for the other threads of a warp, and for what they wrote.
  void syncWarp();
  /// The lanes of a warp whose predicate holds.
  Value ballot(Value predicate);
  /// How many of `mask` are lanes before `lane`.
  Value countBefore(Value mask, Value lane);
  /// Combines the values of a warp's lanes, the result in every lane.
  Value reduceWarp(train::ReduceKind kind, Value value);
  /// Combines the values, one for each of `ops`, of `warps` warps, of which
  /// `thread` counts the threads; the results in every thread. They meet in
  /// `memory`, which has room for 32 values of 4 bytes each and is otherwise
  /// allocated, for each team.
  void reduceWarps(ArrayRef<train::ReduceOp> ops, MutableArrayRef<Value> values,
                   Value thread, int64_t warps, Value memory = {},
                   const Team &team = {});
  Value i32(int64_t value);

  /// Largest number of lanes that divides `extent`.
  int64_t lanesFor(int64_t extent) const;
  /// Of those no more than leave work for a whole warp.
  int64_t lanesForRow(int64_t extent) const;

  int64_t getSharedBytes() const { return sharedBytes; }
  int64_t getDynamicSharedBytes() const { return dynamicSharedBytes; }

private:
  unsigned numShared = 0;
  int64_t sharedBytes = 0, dynamicSharedBytes = 0;
};

/// Each builds the body and says how it is launched.
FailureOr<GpuLaunch> buildGpuElementwise(GpuKernel &kernel);
FailureOr<GpuLaunch> buildGpuRow(GpuKernel &kernel);
FailureOr<GpuLaunch> buildGpuColumn(GpuKernel &kernel);
FailureOr<GpuLaunch> buildGpuTranspose(GpuKernel &kernel);
FailureOr<GpuLaunch> buildGpuScatterAdd(GpuKernel &kernel);
FailureOr<GpuLaunch> buildGpuSort(GpuKernel &kernel);

/// A kernel whose first arguments, `maps` of them, are tensor maps.
mlir::LLVM::LLVMFuncOp createMapKernel(mlir::OpBuilder &builder,
                                       mlir::Location loc, StringRef name,
                                       ArrayRef<mlir::Type> arguments,
                                       unsigned maps);

/// Tells the assembler how a kernel is launched.
void setLaunch(mlir::LLVM::LLVMFuncOp function, const GpuLaunch &launch);

/// Builds the kernel function of a dispatch in `module`.
FailureOr<GpuLaunch> buildGpuKernel(sched::DispatchOp dispatch, StringRef name,
                                    ModuleOp module, const GpuChip &chip);

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_GPUKERNELS_H
