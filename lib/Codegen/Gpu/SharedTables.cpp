//===- SharedTables.cpp - tables of constants in shared memory ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/SharedTables.h"

#include "Codegen/Emitter/Loops.h"
#include "prec/Dialect/Train/Train.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

/// As many blocks of four warps fit on a multiprocessor.
static constexpr int64_t kMostTableBytes = 14 << 10;

static Type storedElementOf(arith::ConstantOp table) {
  return storageType(
      cast<DenseElementsAttr>(table.getValue()).getElementType());
}

/// Elements with what fills the last vector.
static int64_t paddedElements(arith::ConstantOp table) {
  int64_t inVector =
      kVectorBytes * 8 / storedElementOf(table).getIntOrFloatBitWidth();
  return llvm::alignTo(
      cast<DenseElementsAttr>(table.getValue()).getNumElements(), inVector);
}

static int64_t bytesOf(arith::ConstantOp table) {
  return paddedElements(table) *
         storedElementOf(table).getIntOrFloatBitWidth() / 8;
}

SmallVector<arith::ConstantOp>
prec::findGatheredTables(sched::DispatchOp dispatch) {
  llvm::SmallSetVector<Operation *, 8> found;
  int64_t bytes = 0;
  for (auto gather : dispatch.getBody().front().getOps<train::GatherOp>()) {
    auto table = gather.getTable().getDefiningOp<arith::ConstantOp>();
    auto values = table ? dyn_cast<DenseElementsAttr>(table.getValue())
                        : DenseElementsAttr();
    if (values && !values.isSplat() && found.insert(table))
      bytes += bytesOf(table);
  }
  if (bytes > kMostTableBytes)
    return {};
  return llvm::map_to_vector(
      found, [](Operation *table) { return cast<arith::ConstantOp>(table); });
}

LogicalResult prec::shareTables(GpuKernel &gpu,
                                ArrayRef<arith::ConstantOp> tables,
                                Value thread, int64_t threads) {
  KernelBuilder &k = gpu.kernel();
  auto vector = VectorType::get(kVectorBytes / 4, k.here()->getI32Type());
  for (arith::ConstantOp table : tables) {
    Value from = gpu.emitter.getConstants().create(gpu.emitter, table,
                                                   paddedElements(table));
    Value to =
        gpu.allocateShared(storedElementOf(table), paddedElements(table));
    int64_t vectors = bytesOf(table) / kVectorBytes;
    for (int64_t first = 0; first < vectors; first += threads) {
      Value index = k.add(thread, first);
      auto copy = [&]() -> LogicalResult {
        auto at = [&](Value base) {
          return LLVM::GEPOp::create(k.here(), k.loc(), base.getType(), vector,
                                     base, ValueRange{index});
        };
        Value read = LLVM::LoadOp::create(k.here(), k.loc(), vector, at(from),
                                          kVectorBytes);
        LLVM::StoreOp::create(k.here(), k.loc(), read, at(to), kVectorBytes);
        return success();
      };
      bool isWhole = first + threads <= vectors;
      if (failed(isWhole ? copy()
                         : buildIf(k, k.lessThan(index, vectors), copy)))
        return failure();
    }
    gpu.emitter.getConstants().place(table, to);
  }
  gpu.barrier();
  return success();
}
