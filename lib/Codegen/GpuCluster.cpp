//===- GpuCluster.cpp - blocks that share a row ---------------------------===//
#include "GpuCluster.h"

#include "Loops.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::prec;

/// Shared memory of any block of the cluster.
static constexpr unsigned kSharedCluster = 7;

GpuCluster::GpuCluster(GpuKernel &gpu, int64_t blocks, Value rank)
    : gpu(gpu), blocks(blocks), rank(rank) {
  // Memory of a block that has not started may not be written. Nobody waits
  // for that before the first has something to write.
  KernelBuilder &k = gpu.kernel();
  NVVM::ClusterArriveRelaxedOp::create(k.here(), k.loc(), UnitAttr());
}

void GpuCluster::arrive() {
  KernelBuilder &k = gpu.kernel();
  NVVM::ClusterArriveOp::create(k.here(), k.loc(), UnitAttr());
}

void GpuCluster::wait() {
  KernelBuilder &k = gpu.kernel();
  NVVM::ClusterWaitOp::create(k.here(), k.loc(), UnitAttr());
}

void GpuCluster::barrier() {
  start();
  arrive();
  wait();
}

void GpuCluster::start() {
  if (!hasStarted)
    wait();
  hasStarted = true;
}

void GpuCluster::reduce(ArrayRef<train::ReduceOp> ops,
                        MutableArrayRef<Value> values, Value thread) {
  KernelBuilder &k = gpu.kernel();
  start();
  // Written once in a kernel, so that nobody has to have read before.
  SmallVector<Value> arrays;
  for (Value value : values)
    arrays.push_back(gpu.allocateShared(value.getType(), blocks));
  auto type = LLVM::LLVMPointerType::get(k.here().getContext(), kSharedCluster);
  (void)buildIf(k, k.lessThan(thread, blocks), [&]() {
    Value to = Expr(k.here(), k.loc(), thread).convert(k.here().getI32Type());
    for (auto [array, value] : llvm::zip(arrays, values)) {
      Value theirs = NVVM::MapaOp::create(k.here(), k.loc(), type, array, to);
      Value slot =
          LLVM::GEPOp::create(k.here(), k.loc(), type, value.getType(), theirs,
                              ValueRange{rank}, LLVM::GEPNoWrapFlags::inbounds);
      LLVM::StoreOp::create(k.here(), k.loc(), value, slot);
    }
    return success();
  });
  barrier();
  for (auto [op, array, value] : llvm::zip(ops, arrays, values)) {
    train::ReduceKind kind = train::ReduceOp(op).getKind();
    Type type = value.getType();
    value = gpu.loadShared(array, type, k.constant(0));
    for (int64_t block = 1; block < blocks; ++block)
      value = combine(k.here(), k.loc(), kind, value,
                      gpu.loadShared(array, type, k.constant(block)));
  }
}
