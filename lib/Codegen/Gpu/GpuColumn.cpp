//===- GpuColumn.cpp - column kernels on NVIDIA GPUs ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums (or maxima) of columns. The matrix is divided into strips of columns,
// and each strip of each group of rows is the work of one block, or of the
// blocks of a cluster. The threads of a block are lines: a line has a thread
// for each vector of columns in the strip, and the lines take turns at the
// rows. In the end the lines add their sums as a binary tree in shared memory,
// then the blocks of a cluster in the order of their ranks, and the first line
// stores. The order is fixed when the kernel is compiled, so the bits are the
// same in every run.
//
// Time is that of reading the matrix once. To get there, every multiprocessor
// must have work: chooseBlocks looks for the width of the strips, and the
// number of blocks that share one, which keep most of them busy. Narrow strips
// read only a part of each line of memory, and clusters start slowly, so either
// has to gain.
//
// Where groups of a few rows abound, such as the rows that experts computed for
// a token, a thread adds up all rows of its columns itself, in their order:
// lines of threads would read one element each before they meet. The thread
// asks for all rows before it adds, so that enough of them are under way.
//
//===----------------------------------------------------------------------===//
#include "Codegen/DispatchShape.h"
#include "Codegen/Gpu/GpuCluster.h"
#include "Codegen/Emitter/Loops.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace prec;

namespace {
constexpr int64_t kThreads = 1024;
/// A cluster starts in one of these groups of at least so many multiprocessors,
/// as an H100 has.
constexpr int64_t kProcessorGroups = 8, kProcessors = 16;
constexpr int64_t kUnrolled = 8;  ///< rows read before they are added
constexpr int64_t kNarrowest = 8; ///< columns of a strip: one sector
/// Columns of a strip, from which on wider ones are read no faster.
constexpr int64_t kWide = 32;
/// What more of the multiprocessors must be busy for more blocks or narrower
/// strips, and for such as are not wide.
constexpr double kGain = 1.08, kNarrowGain = 1.3;
/// Rows of a block, below which starting a cluster takes longer than they do.
constexpr int64_t kFewestRows = 512;
/// Most rows of a group that one thread adds up, and threads of a block then.
constexpr int64_t kRowsAlone = 16, kThreadsAlone = 256;

class ColumnKernel {
public:
  ColumnKernel(GpuKernel &gpu, ReductionLevels &reductions, ColumnShape shape)
      : gpu(gpu), k(gpu.kernel()), ops(reductions.levels.front()),
        shape(shape) {}
  FailureOr<GpuLaunch> build();

private:
  void chooseStrip();
  void chooseBlocks();
  bool readsAlone();
  FailureOr<GpuLaunch> buildAlone();
  /// Adds up this thread's rows of all of them.
  LogicalResult accumulateAll();
  /// Of this thread's columns, before the first row.
  void startSums();
  LogicalResult store();
  int64_t countBlocks(int64_t width, int64_t shares) const {
    return shape.groups * llvm::divideCeil(shape.columns, width) * shares;
  }
  /// Blocks that run at once, each on its own multiprocessor.
  static int64_t countResident(int64_t shares) {
    return kProcessorGroups * (kProcessors / shares) * shares;
  }
  /// This thread's rows from `from` on, `count` at a time.
  LogicalResult accumulate(int64_t from, int64_t to, int64_t count);
  /// Sums of all of a block's rows, in the first line of threads.
  void meet();
  /// Sums of the whole strip, in the first line of the first block.
  void meetBlocks();

  GpuKernel &gpu;
  KernelBuilder &k;
  MutableArrayRef<train::ReduceOp> ops;
  ColumnShape shape;
  int64_t lanes = 1, width = 1, lines = 1; ///< of the strip, of threads
  int64_t shares = 1; ///< blocks that have the strip's rows
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
  Value line; ///< of all blocks that share the rows
  std::optional<GpuCluster> cluster;
  Digit group{}, column{};
  Carried sums;
};
} // namespace

/// Keeps the most multiprocessors busy, from the first wave of blocks to the
/// last one. Wide strips read whole lines of memory. Without clusters where
/// they are not needed for that.
void ColumnKernel::chooseBlocks() {
  int64_t widest = width;
  for (int64_t tried = widest; tried >= std::min(widest, kWide); tried /= 2) {
    int64_t blocks = countBlocks(tried, 1);
    if (blocks * kGain < llvm::alignTo(blocks, countResident(1)))
      continue;
    width = tried;
    return;
  }
  int64_t most =
      std::clamp<int64_t>(shape.rows / kFewestRows, 1, gpu.chip.clusterBlocks);
  double best = 0;
  for (int64_t tried = widest; tried >= std::min(widest, kNarrowest);
       tried /= 2)
    for (int64_t by = 1; by <= most; ++by) {
      int64_t blocks = countBlocks(tried, by), resident = countResident(by);
      int64_t slots = llvm::alignTo(blocks, resident);
      // Clusters start slowly: there is one wave of them.
      if (by > 1 && slots > resident)
        continue;
      double used = double(shape.groups * shape.columns * by) / tried;
      double busy = used / std::max(slots, countResident(1));
      if (busy <= best * (tried < kWide ? kNarrowGain : kGain))
        continue;
      best = busy;
      width = tried;
      shares = by;
    }
}

/// Whether there are threads enough for the machine if each has all rows of its
/// columns; as many columns as vectors allow.
bool ColumnKernel::readsAlone() {
  if (shape.groups == 1 || shape.rows > kRowsAlone)
    return false;
  int64_t most =
      std::min({gpu.maxLanes, kLaneBytes / widestElement(gpu.dispatch()),
                kVectorBytes / widestResult(gpu.dispatch())});
  while (shape.columns % most)
    most /= 2;
  if (shape.groups * (shape.columns / most) < gpu.chip.manyRows * kThreadsAlone)
    return false;
  lanes = most;
  return true;
}

void ColumnKernel::chooseStrip() {
  lanes = std::min<int64_t>(4, gpu.lanesFor(shape.columns));
  width = kWarp * lanes;
  while (width > lanes && width / 2 >= shape.columns)
    width /= 2;
  chooseBlocks();
  lanes = std::min(lanes, std::max<int64_t>(1, width / kNarrowest));
  // What static shared memory holds of all sums.
  int64_t bytes = 0; // of one column's
  for (train::ReduceOp op : ops)
    bytes +=
        llvm::divideCeil(accumulatorType(getElementTypeOrSelf(op.getInput()))
                             .getIntOrFloatBitWidth(),
                         8);
  int64_t held = kMaxSharedBytes / (bytes * kThreads);
  for (; lanes > std::max<int64_t>(held, 1); lanes /= 2)
    width /= 2;
  lines = kThreads / (width / lanes);
  int64_t met = shares > 1 ? shares : 0;
  while (lines > 1 && bytes * (lines + met) * width > kMaxSharedBytes)
    lines /= 2;
  while (lines > 1 && lines / 2 >= shape.rows)
    lines /= 2;
}

LogicalResult ColumnKernel::accumulate(int64_t from, int64_t to,
                                       int64_t count) {
  FailureOr<Carried> next =
      buildLoop(k, k.add(line, from), k.constant(to), lines * shares * count,
                sums, [&](Value row, ValueRange carried) -> FailureOr<Carried> {
                  SmallVector<Value> terms;
                  for (int64_t i = 0; i < count; ++i)
                    for (train::ReduceOp op : ops) {
                      Digit digit{shape.rows, k.add(row, i * lines * shares)};
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
    buildIfAlways(k, k.lessThan(y, half), [&]() {
      for (auto [op, array, sum] : llvm::zip(ops, arrays, sums)) {
        Value low = gpu.loadShared(array, sum.getType(), slot);
        Value high =
            gpu.loadShared(array, sum.getType(), k.add(slot, half * width));
        gpu.storeShared(
            array, combine(k.here(), k.loc(), op.getKind(), low, high), slot);
      }
    });
  }
  // The first line wrote the last sums itself.
  for (auto [array, sum] : llvm::zip(arrays, sums))
    sum = gpu.loadShared(array, sum.getType(), slot);
}

void ColumnKernel::meetBlocks() {
  if (!cluster)
    return;
  SmallVector<Value> arrays;
  for (Value sum : sums)
    arrays.push_back(gpu.allocateShared(getElementTypeOrSelf(sum.getType()),
                                        shares * width));
  cluster->start();
  buildIfAlways(k, k.lessThan(y, 1), [&]() {
    Value place = k.add(k.mul(cluster->getRank(), width / lanes), x);
    cluster->write(arrays, sums, k.constant(0), place);
  });
  cluster->barrier();
  Value slot = k.mul(x, lanes);
  for (auto [op, array, sum] : llvm::zip(ops, arrays, sums)) {
    Type type = sum.getType();
    auto load = [&, array = array](int64_t share) {
      return gpu.loadShared(array, type, k.add(slot, share * width), 4 * lanes);
    };
    sum = load(0);
    for (int64_t share = 1; share < shares; ++share)
      sum = combine(k.here(), k.loc(), op.getKind(), sum, load(share));
  }
}

void ColumnKernel::startSums() {
  for (train::ReduceOp op : ops) {
    Type type = accumulatorType(getElementTypeOrSelf(op.getInput()));
    if (lanes > 1)
      type = VectorType::get(lanes, type);
    sums.push_back(neutralElement(k.here(), k.loc(), op.getKind(), type));
  }
}

LogicalResult ColumnKernel::accumulateAll() {
  startSums();
  // As many rows at once as are left for every line, then one for some.
  int64_t from = 0;
  for (int64_t count = kUnrolled; count; count /= 2) {
    int64_t round = lines * shares * count;
    int64_t to = shape.rows - (shape.rows - from) % round;
    if (to > from && failed(accumulate(from, to, count)))
      return failure();
    from = to;
  }
  return success(from == shape.rows ||
                 succeeded(accumulate(from, shape.rows, 1)));
}

LogicalResult ColumnKernel::store() {
  for (auto [op, sum] : llvm::zip(ops, sums))
    gpu.emitter.bindReduction(op, at(), sum);
  return gpu.emitter.emitResults(gpu.allResults(), at());
}

FailureOr<GpuLaunch> ColumnKernel::buildAlone() {
  int64_t vectors = shape.columns / lanes, threads = shape.groups * vectors;
  Value thread = k.add(k.mul(gpu.blockId(), kThreadsAlone), gpu.threadId());
  // As for elementwise kernels: loads may come in front of the condition.
  bool fits = threads % kThreadsAlone == 0;
  Value own = fits ? thread : k.min(thread, threads - 1);
  group = {shape.groups, k.div(own, vectors)};
  column = {shape.columns, k.mul(k.rem(own, vectors), lanes), lanes, lanes};
  line = k.constant(0);
  if (failed(accumulateAll()) ||
      failed(fits ? store() : buildIf(k, k.lessThan(thread, threads), [&]() {
        return store();
      })))
    return failure();
  return GpuLaunch{int64_t(llvm::divideCeil(threads, kThreadsAlone)),
                   {kThreadsAlone, 1, 1}};
}

FailureOr<GpuLaunch> ColumnKernel::build() {
  if (readsAlone())
    return buildAlone();
  chooseStrip();
  x = gpu.threadId(0);
  y = gpu.threadId(1);
  int64_t strips = llvm::divideCeil(shape.columns, width);
  Value strip = gpu.blockId();
  line = y;
  if (shares > 1) {
    cluster.emplace(gpu, shares, k.rem(strip, shares));
    strip = k.div(strip, shares);
    line = k.add(k.mul(cluster->getRank(), lines), y);
  }
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
  if (failed(accumulateAll()))
    return failure();
  meet();
  meetBlocks();
  Value writes = k.lessThan(line, 1);
  if (inside)
    writes = arith::AndIOp::create(k.here(), k.loc(), writes, inside);
  if (failed(buildIf(k, writes, [&]() { return store(); })))
    return failure();
  GpuLaunch launch{countBlocks(width, shares), {width / lanes, lines, 1}};
  launch.clusterBlocks = shares;
  return launch;
}

FailureOr<GpuLaunch> prec::buildGpuColumn(GpuKernel &gpu) {
  ReductionLevels reductions = findReductions(gpu.dispatch());
  FailureOr<ColumnShape> shape = columnsOf(gpu.dispatch(), reductions);
  if (failed(shape))
    return failure();
  return ColumnKernel(gpu, reductions, *shape).build();
}
