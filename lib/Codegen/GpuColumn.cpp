//===- GpuColumn.cpp - column kernels on NVIDIA GPUs ----------------------===//
//
// A block for each strip of columns of each group of rows: its lines of threads
// take turns at the rows, and their sums meet in shared memory as a tree, in a
// fixed order.
//
//===----------------------------------------------------------------------===//
#include "DispatchShape.h"
#include "GpuKernels.h"
#include "Loops.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::prec;

namespace {
constexpr int64_t kThreads = 1024;
constexpr int64_t kWantedBlocks = 128; ///< about one for each multiprocessor
constexpr int64_t kUnrolled = 8;       ///< rows read before they are added
constexpr int64_t kNarrowest = 8;      ///< columns of a strip: one sector

class ColumnKernel {
public:
  ColumnKernel(GpuKernel &gpu, ReductionLevels &reductions, ColumnShape shape)
      : gpu(gpu), k(gpu.kernel()), ops(reductions.levels.front()),
        shape(shape) {
    chooseStrip();
  }
  FailureOr<GpuLaunch> build();

private:
  void chooseStrip();
  /// This thread's rows from `from` on, `count` at a time.
  LogicalResult accumulate(int64_t from, int64_t to, int64_t count);
  /// Sums of the whole strip, in the first line of threads.
  void meet();

  GpuKernel &gpu;
  KernelBuilder &k;
  MutableArrayRef<train::ReduceOp> ops;
  ColumnShape shape;
  int64_t lanes = 1, width = 1, lines = 1; ///< of the strip, of threads
  /// The position of a row, and of a result.
  SmallVector<Digit> at(Digit row) const {
    SmallVector<Digit> position = {row, column};
    if (shape.groups > 1)
      position.insert(position.begin(), group);
    return position;
  }
  SmallVector<Digit> at() const {
    return shape.groups > 1 ? SmallVector<Digit>{group, column}
                            : SmallVector<Digit>{column};
  }

  Value x, y;
  Digit group{}, column{};
  Carried sums;
};
} // namespace

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

/// Wide strips read whole lines of memory, narrow ones occupy more of the GPU.
void ColumnKernel::chooseStrip() {
  lanes = std::min<int64_t>(4, gpu.lanesFor(shape.columns));
  width = kWarp * lanes;
  while (width > kNarrowest &&
         shape.groups * shape.columns / width < kWantedBlocks)
    width /= 2;
  while (width > lanes && width / 2 >= shape.columns)
    width /= 2;
  lanes = std::min(lanes, std::max<int64_t>(1, width / kNarrowest));
  // What static shared memory holds of all sums.
  int64_t held = kMaxSharedBytes / (4 * kThreads * int64_t(ops.size()));
  for (; lanes > std::max<int64_t>(held, 1); lanes /= 2)
    width /= 2;
  lines = kThreads / (width / lanes);
  while (lines > 1 && 4 * lines * width * int64_t(ops.size()) > kMaxSharedBytes)
    lines /= 2;
  while (lines > 1 && lines / 2 >= shape.rows)
    lines /= 2;
}

LogicalResult ColumnKernel::accumulate(int64_t from, int64_t to,
                                       int64_t count) {
  FailureOr<Carried> next =
      buildLoop(k, k.add(y, from), k.constant(to), lines * count, sums,
                [&](Value row, ValueRange carried) -> FailureOr<Carried> {
                  SmallVector<Value> terms;
                  for (int64_t i = 0; i < count; ++i)
                    for (train::ReduceOp op : ops) {
                      Digit digit{shape.rows, k.add(row, i * lines)};
                      terms.push_back(gpu.emitter.emitTerm(op, at(digit)));
                      if (!terms.back())
                        return failure();
                    }
                  Carried next(carried);
                  for (auto [i, term] : llvm::enumerate(terms)) {
                    Value &sum = next[i % ops.size()];
                    sum = combine(k.here(), k.loc(),
                                  ops[i % ops.size()].getKind(), sum, term);
                  }
                  return next;
                });
  if (failed(next))
    return failure();
  sums = *next;
  return success();
}

void ColumnKernel::meet() {
  if (lines == 1)
    return;
  SmallVector<Value> arrays;
  Value slot = k.add(k.mul(y, width), k.mul(x, lanes));
  for (Value sum : sums) {
    arrays.push_back(
        gpu.allocateShared(getElementTypeOrSelf(sum.getType()), lines * width));
    gpu.storeShared(arrays.back(), sum, slot);
  }
  for (int64_t half = lines / 2; half >= 1; half /= 2) {
    gpu.barrier();
    (void)buildIf(k, k.lessThan(y, half), [&]() {
      for (auto [op, array, sum] : llvm::zip(ops, arrays, sums)) {
        Value low = gpu.loadShared(array, sum.getType(), slot);
        Value high =
            gpu.loadShared(array, sum.getType(), k.add(slot, half * width));
        gpu.storeShared(
            array, combine(k.here(), k.loc(), op.getKind(), low, high), slot);
      }
      return success();
    });
  }
  // The first line wrote the last sums itself.
  for (auto [array, sum] : llvm::zip(arrays, sums))
    sum = gpu.loadShared(array, sum.getType(), slot);
}

FailureOr<GpuLaunch> ColumnKernel::build() {
  x = gpu.threadId(0);
  y = gpu.threadId(1);
  int64_t strips = llvm::divideCeil(shape.columns, width);
  Value strip = gpu.blockId();
  if (shape.groups > 1) {
    group = {shape.groups, k.div(strip, strips)};
    strip = k.rem(strip, strips);
  }
  Value first = k.add(k.mul(strip, width), k.mul(x, lanes));
  Value inside;
  if (shape.columns % width) {
    inside = k.lessThan(first, shape.columns);
    first = k.min(first, shape.columns - lanes);
  }
  column = {shape.columns, first, lanes, lanes};
  for (train::ReduceOp op : ops) {
    Type type = accumulatorType(elementOf(op.getInput()));
    if (lanes > 1)
      type = VectorType::get(lanes, type);
    sums.push_back(neutralElement(k.here(), k.loc(), op.getKind(), type));
  }
  // Unrolled over whole rounds, then what is left.
  int64_t round = lines * kUnrolled, whole = shape.rows / round * round;
  if ((whole && failed(accumulate(0, whole, kUnrolled))) ||
      (whole != shape.rows && failed(accumulate(whole, shape.rows, 1))))
    return failure();
  meet();
  Value writes = k.lessThan(y, 1);
  if (inside)
    writes = arith::AndIOp::create(k.here(), k.loc(), writes, inside);
  if (failed(buildIf(k, writes, [&]() {
        for (auto [op, sum] : llvm::zip(ops, sums))
          gpu.emitter.bindReduction(op, at(), sum);
        return gpu.emitter.emitResults(gpu.allResults(), at());
      })))
    return failure();
  return GpuLaunch{shape.groups * strips, {width / lanes, lines, 1}};
}

FailureOr<GpuLaunch> prec::buildGpuColumn(GpuKernel &gpu) {
  ReductionLevels reductions = findReductions(gpu.dispatch());
  FailureOr<ColumnShape> shape = columnsOf(gpu.dispatch(), reductions);
  if (failed(shape))
    return failure();
  return ColumnKernel(gpu, reductions, *shape).build();
}
