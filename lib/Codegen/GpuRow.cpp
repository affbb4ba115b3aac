//===- GpuRow.cpp - row kernels on NVIDIA GPUs ----------------------------===//
//
// A warp or a block for each row. Rows that fit are read once: every thread
// meets the same elements in every pass, in straight-line code, so that what
// one pass has computed the next one finds in registers.
//
//===----------------------------------------------------------------------===//
#include "DispatchShape.h"
#include "GpuKernels.h"
#include "Loops.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::prec;

namespace {
constexpr int64_t kWarpRow = 1024; ///< longest row of a single warp
constexpr int64_t kHeldElements = 32; ///< of a row, by one thread

class RowKernel {
public:
  RowKernel(GpuKernel &gpu) : gpu(gpu), k(gpu.kernel()) {}
  FailureOr<GpuLaunch> build();

private:
  LogicalResult buildRow(ArrayRef<unsigned> scalars);
  LogicalResult reduce(MutableArrayRef<train::ReduceOp> ops);
  /// Thread-local partial results over a line of `extent`.
  FailureOr<Carried> accumulate(MutableArrayRef<train::ReduceOp> ops,
                                int64_t extent);
  /// The whole row's results from those of its threads, in every thread.
  void finish(MutableArrayRef<train::ReduceOp> ops, Carried &partial);
  LogicalResult storeLine(int64_t extent, ArrayRef<unsigned> results);

  /// Chunks of a line that each thread takes, or 0: too many to hold.
  int64_t heldChunks(int64_t extent) const;
  /// Chunk `i` of this thread; `inside` is null where no thread is outside.
  Digit chunk(int64_t extent, int64_t i, Value &inside);

  GpuKernel &gpu;
  KernelBuilder &k;
  ReductionLevels reductions;
  int64_t rows = 0, threads = 0, warps = 0;
  Value thread; ///< within the row
  Digit row{};
};
} // namespace

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

int64_t RowKernel::heldChunks(int64_t extent) const {
  int64_t lanes = gpu.lanesFor(extent);
  int64_t chunks = llvm::divideCeil(extent, lanes * threads);
  int64_t held = threads > 512 ? kHeldElements / 2 : kHeldElements;
  return chunks * lanes <= held ? chunks : 0;
}

Digit RowKernel::chunk(int64_t extent, int64_t i, Value &inside) {
  int64_t lanes = gpu.lanesFor(extent);
  Value first = k.mul(k.add(thread, i * threads), lanes);
  inside = {};
  if ((i + 1) * threads * lanes > extent) {
    inside = k.lessThan(first, extent);
    // Outside, the last chunk is read again and not used.
    first = k.min(first, extent - lanes);
  }
  return {extent, first, lanes, lanes};
}

FailureOr<Carried>
RowKernel::accumulate(MutableArrayRef<train::ReduceOp> ops, int64_t extent) {
  int64_t lanes = gpu.lanesFor(extent);
  Carried sums;
  for (train::ReduceOp op : ops) {
    Type type = accumulatorType(elementOf(op.getInput()));
    if (lanes > 1)
      type = VectorType::get(lanes, type);
    sums.push_back(neutralElement(k.here(), k.loc(), op.getKind(), type));
  }
  auto step = [&](Digit column, Value inside,
                  ValueRange carried) -> FailureOr<Carried> {
    Carried next;
    for (auto [op, sum] : llvm::zip(ops, carried)) {
      Value value = gpu.emitter.emitTerm(op, {row, column});
      if (!value)
        return failure();
      if (inside) {
        Value none =
            neutralElement(k.here(), k.loc(), op.getKind(), value.getType());
        value = arith::SelectOp::create(k.here(), k.loc(), inside, value, none);
      }
      next.push_back(combine(k.here(), k.loc(), op.getKind(), sum, value));
    }
    return next;
  };
  if (int64_t chunks = heldChunks(extent)) {
    for (int64_t i = 0; i < chunks; ++i) {
      Value inside;
      Digit column = chunk(extent, i, inside);
      FailureOr<Carried> next = step(column, inside, sums);
      if (failed(next))
        return failure();
      sums = *next;
    }
    return sums;
  }
  return buildLoop(k, k.mul(thread, lanes), k.constant(extent), threads * lanes,
                   sums, [&](Value column, ValueRange carried) {
                     return step({extent, column, lanes, lanes}, {}, carried);
                   });
}

void RowKernel::finish(MutableArrayRef<train::ReduceOp> ops, Carried &partial) {
  for (auto [op, sum] : llvm::zip(ops, partial)) {
    sum = foldLanes(k.here(), k.loc(), op.getKind(), sum);
    sum = gpu.reduceWarp(op.getKind(), sum);
  }
  if (warps == 1)
    return;
  SmallVector<Value> arrays;
  Value lane = k.rem(thread, kWarp), warp = k.div(thread, kWarp);
  for (Value sum : partial)
    arrays.push_back(gpu.allocateShared(sum.getType(), kWarp));
  (void)buildIf(k, k.lessThan(lane, 1), [&]() {
    for (auto [array, sum] : llvm::zip(arrays, partial))
      gpu.storeShared(array, sum, warp);
    return success();
  });
  gpu.barrier();
  for (auto [op, sum, array] : llvm::zip(ops, partial, arrays)) {
    Value part = gpu.loadShared(array, sum.getType(), k.min(lane, warps - 1));
    if (warps < kWarp) {
      Value none = neutralElement(k.here(), k.loc(), op.getKind(), sum.getType());
      part = arith::SelectOp::create(k.here(), k.loc(), k.lessThan(lane, warps),
                                     part, none);
    }
    sum = gpu.reduceWarp(op.getKind(), part);
  }
}

LogicalResult RowKernel::reduce(MutableArrayRef<train::ReduceOp> ops) {
  // Those over equally many elements share a pass.
  llvm::MapVector<int64_t, SmallVector<train::ReduceOp>> passes;
  for (train::ReduceOp op : ops)
    passes[ReductionLevels::reducedOf(op)].push_back(op);
  SmallVector<train::ReduceOp> all;
  Carried sums;
  for (auto &[extent, ops] : passes) {
    FailureOr<Carried> partial = accumulate(ops, extent);
    if (failed(partial))
      return failure();
    all.append(ops);
    sums.append(*partial);
  }
  finish(all, sums);
  for (auto [op, sum] : llvm::zip(all, sums))
    gpu.emitter.bindReduction(op, row, sum);
  return success();
}

LogicalResult RowKernel::storeLine(int64_t extent, ArrayRef<unsigned> results) {
  int64_t lanes = gpu.lanesFor(extent);
  if (int64_t chunks = heldChunks(extent)) {
    for (int64_t i = 0; i < chunks; ++i) {
      Value inside;
      Digit column = chunk(extent, i, inside);
      auto body = [&]() {
        return gpu.emitter.emitResults(results, {row, column});
      };
      if (failed(inside ? buildIf(k, inside, body) : body()))
        return failure();
    }
    return success();
  }
  return buildLoop(k, k.mul(thread, lanes), k.constant(extent), threads * lanes,
                   [&](Value column) {
                     return gpu.emitter.emitResults(
                         results, {row, Digit{extent, column, lanes, lanes}});
                   });
}

LogicalResult RowKernel::buildRow(ArrayRef<unsigned> scalars) {
  for (auto &level : reductions.levels)
    if (failed(reduce(level)))
      return failure();
  bool inPlace = llvm::any_of(gpu.dispatch().getInplace(),
                              [](int64_t input) { return input >= 0; });
  llvm::MapVector<int64_t, SmallVector<unsigned>> lines;
  for (auto [index, result] : llvm::enumerate(gpu.dispatch().getResults()))
    if (int64_t extent = elementsOf(result) / rows; extent > 1)
      lines[extent].push_back(index);
  bool first = true;
  // Where results replace inputs, nobody may still read what is replaced.
  auto separate = [&]() {
    if (!first && inPlace && warps > 1)
      gpu.barrier();
    first = false;
  };
  for (auto &[extent, results] : lines) {
    separate();
    if (failed(storeLine(extent, results)))
      return failure();
  }
  if (scalars.empty())
    return success();
  separate();
  return buildIf(k, k.lessThan(thread, 1),
                 [&]() { return gpu.emitter.emitResults(scalars, row); });
}

FailureOr<GpuLaunch> RowKernel::build() {
  sched::DispatchOp dispatch = gpu.dispatch();
  reductions = findReductions(dispatch);
  FailureOr<int64_t> found = rowsOf(dispatch, reductions);
  if (failed(found))
    return failure();
  rows = *found;
  int64_t longest = 1;
  for (auto &level : reductions.levels)
    for (train::ReduceOp op : level)
      longest = std::max(longest, ReductionLevels::reducedOf(op));
  SmallVector<unsigned> scalars;
  for (auto [index, result] : llvm::enumerate(dispatch.getResults())) {
    longest = std::max(longest, elementsOf(result) / rows);
    if (elementsOf(result) == rows)
      scalars.push_back(index);
  }

  int64_t rowsPerBlock = 1;
  threads = kWarp;
  if (longest <= kWarpRow) {
    rowsPerBlock = std::min<int64_t>(4, rows);
  } else {
    int64_t chunks = longest / gpu.lanesFor(longest);
    // A thread takes several chunks before a row gets more threads.
    while (threads < 1024 && threads * 4 < chunks)
      threads *= 2;
  }
  warps = threads / kWarp;
  thread = gpu.threadId();
  Value rowIndex = gpu.blockId();
  if (rowsPerBlock > 1) {
    rowIndex = k.add(k.mul(rowIndex, rowsPerBlock), k.div(thread, kWarp));
    thread = k.rem(thread, kWarp);
  }
  row = Digit{rows, rowIndex};
  auto body = [&]() { return buildRow(scalars); };
  // A whole warp is inside or outside.
  if (failed(rows % rowsPerBlock == 0
                 ? body()
                 : buildIf(k, k.lessThan(rowIndex, rows), body)))
    return failure();
  return GpuLaunch{int64_t(llvm::divideCeil(rows, rowsPerBlock)),
                   {threads * rowsPerBlock, 1, 1}};
}

FailureOr<GpuLaunch> prec::buildGpuRow(GpuKernel &gpu) {
  return RowKernel(gpu).build();
}
