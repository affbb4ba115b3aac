//===- GpuCluster.cpp - blocks that share a row ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barrier and the writes of a cluster: blocks that start together and can
// write into each other's shared memory. A block may not write into one that
// has not started. So every block says at its first instruction that it has
// started, and waits for the others only when it has something to write; by
// then they have usually started. Later barriers are an arrival and a wait of
// all threads of the cluster, which also make their writes visible.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/GpuCluster.h"

#include "Codegen/Emitter/Loops.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace prec;

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

void GpuCluster::write(ArrayRef<Value> arrays, ValueRange values, Value block,
                       Value place) {
  KernelBuilder &k = gpu.kernel();
  auto type =
      LLVM::LLVMPointerType::get(k.here()->getContext(), kSharedCluster);
  Value to = Expr(k.moveHere(), k.loc(), block).convert(k.here()->getI32Type());
  for (auto [array, value] : llvm::zip(arrays, values)) {
    Value theirs = NVVM::MapaOp::create(k.here(), k.loc(), type, array, to);
    Value slot =
        LLVM::GEPOp::create(k.here(), k.loc(), type, value.getType(), theirs,
                            ValueRange{place}, LLVM::GEPNoWrapFlags::inbounds);
    LLVM::StoreOp::create(k.here(), k.loc(), value, slot);
  }
}

void GpuCluster::give(ArrayRef<Value> arrays, ValueRange values, Value lane,
                      Value place) {
  KernelBuilder &k = gpu.kernel();
  start();
  buildIfAlways(k, k.lessThan(lane, blocks),
                [&]() { write(arrays, values, lane, place); });
}
