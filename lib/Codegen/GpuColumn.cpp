//===- GpuColumn.cpp - column kernels on NVIDIA GPUs ----------------------===//
//
// A block for each strip of columns: its warps take turns at the rows, and
// their sums meet in shared memory in a fixed order.
//
//===----------------------------------------------------------------------===//
#include "DispatchShape.h"
#include "GpuKernels.h"
#include "Loops.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::prec;

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

namespace {
constexpr int64_t kWantedBlocks = 128; ///< about one for each multiprocessor
constexpr int64_t kUnrolled = 4;       ///< rows read before they are added
} // namespace

FailureOr<GpuLaunch> prec::buildGpuColumn(GpuKernel &gpu) {
  KernelBuilder &k = gpu.kernel();
  ReductionLevels reductions = findReductions(gpu.dispatch());
  FailureOr<ColumnShape> shape = columnsOf(gpu.dispatch(), reductions);
  if (failed(shape))
    return failure();
  auto [rows, columns] = *shape;
  MutableArrayRef<train::ReduceOp> ops = reductions.levels.front();
  int64_t lanes = std::min<int64_t>(4, gpu.lanesFor(columns));
  while (lanes > 1 && columns / (kWarp * lanes) < kWantedBlocks)
    lanes /= 2;
  int64_t width = kWarp * lanes;
  int64_t warps = 32;
  while (warps > 1 && warps / 2 >= rows)
    warps /= 2;

  Value x = gpu.threadId(0), y = gpu.threadId(1);
  Value first = k.add(k.mul(gpu.blockId(), width), k.mul(x, lanes));
  bool whole = columns % width == 0;
  Value inside = whole ? Value() : k.lessThan(first, columns);
  if (!whole)
    first = k.min(first, columns - lanes);
  Digit column{columns, first, lanes, lanes};

  Carried sums;
  for (train::ReduceOp op : ops) {
    Type type = accumulatorType(elementOf(op.getInput()));
    if (lanes > 1)
      type = VectorType::get(lanes, type);
    sums.push_back(neutralElement(k.here(), k.loc(), op.getKind(), type));
  }
  auto pass = [&](Value from, Value to, int64_t count) {
    return buildLoop(
        k, from, to, warps * count, sums,
        [&](Value row, ValueRange carried) -> FailureOr<Carried> {
          SmallVector<Value> terms;
          for (int64_t i = 0; i < count; ++i)
            for (train::ReduceOp op : ops) {
              Position at{Digit{rows, k.add(row, i * warps)}, column};
              terms.push_back(gpu.emitter.emitTerm(op, at));
              if (!terms.back())
                return failure();
            }
          Carried next(carried);
          for (auto [i, term] : llvm::enumerate(terms)) {
            Value &sum = next[i % ops.size()];
            sum = combine(k.here(), k.loc(), ops[i % ops.size()].getKind(), sum,
                          term);
          }
          return next;
        });
  };
  // Unrolled over whole rounds, then what is left.
  int64_t unrolled = rows / (warps * kUnrolled) * (warps * kUnrolled);
  if (unrolled) {
    FailureOr<Carried> next = pass(y, k.constant(unrolled), kUnrolled);
    if (failed(next))
      return failure();
    sums = *next;
  }
  if (unrolled != rows) {
    FailureOr<Carried> next = pass(k.add(y, unrolled), k.constant(rows), 1);
    if (failed(next))
      return failure();
    sums = *next;
  }

  SmallVector<Value> arrays;
  Value slot = k.add(k.mul(y, width), k.mul(x, lanes));
  if (warps > 1) {
    for (Value sum : sums) {
      arrays.push_back(gpu.allocateShared(getElementTypeOrSelf(sum.getType()),
                                          warps * width));
      gpu.storeShared(arrays.back(), sum, slot);
    }
    gpu.barrier();
  }
  auto finish = [&]() -> LogicalResult {
    for (auto [index, op] : llvm::enumerate(ops)) {
      Value sum = sums[index];
      for (int64_t warp = 1; warp < warps; ++warp)
        sum = combine(k.here(), k.loc(), op.getKind(), sum,
                      gpu.loadShared(arrays[index], sum.getType(),
                                     k.add(slot, warp * width)));
      gpu.emitter.bindReduction(op, column, sum);
    }
    return gpu.emitter.emitResults(gpu.allResults(), column);
  };
  Value writes = k.lessThan(y, 1);
  if (inside)
    writes = arith::AndIOp::create(k.here(), k.loc(), writes, inside);
  if (failed(buildIf(k, writes, finish)))
    return failure();
  return GpuLaunch{int64_t(llvm::divideCeil(columns, width)),
                   {kWarp, warps, 1}};
}
