//===- GpuRow.cpp - row kernels on NVIDIA GPUs ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that reduce rows and compute values from the results. A row of up to
// 1024 elements is computed by one warp, a longer one by a block. Rows that fit
// into registers are read once: in every pass a thread takes the same elements,
// in straight-line code, so that a pass finds in registers what the one before
// it has computed. Longer rows are held in shared memory (LongLines.h). First
// each level of reductions is a pass, such as the largest element, then the sum
// of the exponentials (in one pass of a longer row, RowExponentials.h); then
// the results are stored. A kernel whose results need no reduction stores them
// in its only pass. Where columns of groups of rows are reduced as well, a
// block walks over the rows of a group (GroupedColumns.h, and of longer rows
// LongColumns.h). Where many short
// rows are looked up in tables, a block walks over some, too, so that it copies
// the tables into shared memory once (SharedTables.h). Rows that fit are
// read from memory once, and this bounds the time. Where a dispatch has an
// order of its rows, the rows that are computed at the same time follow each
// other in that.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/LongColumns.h"
#include "Codegen/Gpu/RowExponentials.h"
#include "Codegen/Gpu/SharedTables.h"

#include "Codegen/Emitter/PickedElement.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace prec;

namespace {

constexpr int64_t kWarpRow = 1024; ///< longest row of a single warp
constexpr int64_t kLongRowThreads = 256;
/// Longest row that registers hold beside the sums of its columns.
constexpr int64_t kGroupedRow = 8192;

class RowKernel {
public:
  explicit RowKernel(GpuKernel &gpu)
      : gpu(gpu), k(gpu.kernel()), frame(gpu), lines(frame) {}
  FailureOr<GpuLaunch> build();

private:
  LogicalResult buildRow(ArrayRef<unsigned> scalars);
  /// Takes the next row of the dispatch's order, if it has one.
  LogicalResult takeOrder();
  FailureOr<GpuLaunch> buildGroups(int64_t longest, ArrayRef<unsigned> scalars);
  FailureOr<GpuLaunch> buildLongGroups(int64_t longest,
                                       ArrayRef<unsigned> scalars);
  /// How many rows each warp of a block computes one after the other, with
  /// tables in shared memory; 0: it does not.
  int64_t countWalked(int64_t rowsPerBlock);
  FailureOr<GpuLaunch> walkRows(int64_t rowsPerBlock, int64_t walked,
                                ArrayRef<unsigned> scalars);
  void findStreamed();
  /// Reads the elements that sums pick of the row, instead of summing.
  LogicalResult pickElements();
  LogicalResult reduce(MutableArrayRef<train::ReduceOp> ops);
  LogicalResult askForAll(MutableArrayRef<train::ReduceOp> ops,
                          ArrayRef<Chunk> chunks);
  /// Thread-local partial results over a line of `extent`.
  FailureOr<Carried> accumulate(MutableArrayRef<train::ReduceOp> ops,
                                int64_t extent);
  LogicalResult storeLine(int64_t extent, ArrayRef<unsigned> results);

  /// Results of more than one element a row that no reduction's pass stores.
  llvm::MapVector<int64_t, SmallVector<unsigned>> lineResults();
  /// What each pass over the lines of `extent` computes at their elements, in
  /// the order in which they are built.
  SmallVector<SmallVector<Value>> passesOver(int64_t extent);
  /// Decides what is held of lines that are too long for registers.
  void holdLines(int64_t extent);

  GpuKernel &gpu;
  KernelBuilder &k;
  RowFrame frame;
  LongLines lines;
  ReductionLevels reductions;
  RowShape shape;
  std::optional<GroupedColumns> columns;
  std::optional<LongColumns> longColumns;
  /// Results that need no reduction: the pass that reduces stores them.
  SmallVector<unsigned> streamed;
};

} // namespace

/// Reads all chunks of a row before the first result of the pass is stored,
/// which loads could not pass where it replaces an input.
LogicalResult RowKernel::askForAll(MutableArrayRef<train::ReduceOp> ops,
                                   ArrayRef<Chunk> chunks) {
  if (streamed.empty())
    return success();
  Operation *yield = gpu.dispatch().getBody().front().getTerminator();
  for (const Chunk &chunk : chunks) {
    for (train::ReduceOp op : ops)
      if (!gpu.emitter.emitTerm(op, {frame.row, chunk.column}))
        return failure();
    for (unsigned result : streamed)
      for (Value value : shape.valuesOf(yield->getOperand(result)))
        if (!gpu.emitter.emit(value, {frame.row, chunk.column}))
          return failure();
  }
  return success();
}

FailureOr<Carried> RowKernel::accumulate(MutableArrayRef<train::ReduceOp> ops,
                                         int64_t extent) {
  Carried sums = frame.neutralElements(ops, frame.lanesOfLong(extent));
  auto step = [&](Digit column, Value inside,
                  ValueRange carried) -> FailureOr<Carried> {
    Carried next;
    for (auto [op, sum] : llvm::zip(ops, carried)) {
      Value value = gpu.emitter.emitTerm(op, {frame.row, column});
      if (!value)
        return failure();
      if (inside) {
        Value none =
            neutralElement(k.here(), k.loc(), op.getKind(), value.getType());
        value = arith::SelectOp::create(k.here(), k.loc(), inside, value, none);
      }
      next.push_back(combine(k.here(), k.loc(), op.getKind(), sum, value));
    }
    if (streamed.empty())
      return next;
    auto store = [&]() {
      return gpu.emitter.emitResults(streamed, {frame.row, column});
    };
    if (failed(inside ? buildIf(k, inside, store) : store()))
      return failure();
    return next;
  };
  if (frame.heldChunks(extent)) {
    SmallVector<Chunk> chunks = frame.chunksOf(extent);
    if (failed(askForAll(ops, chunks)))
      return failure();
    for (auto &[column, inside] : chunks) {
      FailureOr<Carried> next = step(column, inside, sums);
      if (failed(next))
        return failure();
      sums = *next;
    }
    return sums;
  }
  return lines.build(
      extent, sums,
      [&](ArrayRef<Digit> columns, ValueRange carried) -> FailureOr<Carried> {
        // All are asked for before the first is added.
        for (const Digit &column : columns)
          for (train::ReduceOp op : ops)
            if (!gpu.emitter.emitTerm(op, {frame.row, column}))
              return failure();
        FailureOr<Carried> next = Carried(carried);
        for (const Digit &column : columns) {
          next = step(column, {}, *next);
          if (failed(next))
            return failure();
        }
        return next;
      });
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
  frame.finish(all, sums);
  for (auto [op, sum] : llvm::zip(all, sums))
    gpu.emitter.bindReduction(op, frame.row, sum);
  return success();
}

LogicalResult RowKernel::pickElements() {
  // What others reduce lets the threads wait for each other before an element
  // is replaced that another has picked.
  if (reductions.levels.empty() || !streamed.empty() || frame.warps == 1)
    return success();
  auto &level = reductions.levels.front();
  if (llvm::all_of(level, findPicked))
    return success();
  for (train::ReduceOp op : level)
    if (std::optional<PickedElement> found = findPicked(op))
      if (failed(bindPicked(gpu, op, *found, frame.row)))
        return failure();
  llvm::erase_if(level, findPicked);
  return success();
}

LogicalResult RowKernel::storeLine(int64_t extent, ArrayRef<unsigned> results) {
  // Loads of all chunks before the first store, which they could not pass.
  Operation *yield = gpu.dispatch().getBody().front().getTerminator();
  auto compute = [&](const Digit &column) {
    for (unsigned result : results)
      for (Value value : shape.valuesOf(yield->getOperand(result)))
        if (!gpu.emitter.emit(value, {frame.row, column}))
          return failure();
    return success();
  };
  auto store = [&](const Digit &column) {
    return gpu.emitter.emitResults(results, {frame.row, column});
  };
  if (frame.heldChunks(extent)) {
    SmallVector<Chunk> chunks = frame.chunksOf(extent);
    for (const Chunk &part : chunks)
      if (failed(compute(part.column)))
        return failure();
    for (auto &[column, inside] : chunks) {
      auto body = [&, &column = column]() { return store(column); };
      if (failed(inside ? buildIf(k, inside, body) : body()))
        return failure();
    }
    return success();
  }
  auto body = [&](ArrayRef<Digit> columns, ValueRange) -> FailureOr<Carried> {
    for (const Digit &column : columns)
      if (failed(compute(column)))
        return failure();
    if (longColumns && extent == longColumns->getExtent())
      for (const Digit &column : columns)
        if (failed(longColumns->add(column)))
          return failure();
    for (const Digit &column : columns)
      if (failed(store(column)))
        return failure();
    return Carried();
  };
  return success(succeeded(lines.build(extent, {}, body)));
}

static bool needsReduction(Value value) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> work;
  auto visit = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && seen.insert(op).second)
      work.push_back(op);
  };
  visit(value);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (isa<train::ReduceOp>(op))
      return true;
    llvm::for_each(op->getOperands(), visit);
  }
  return false;
}

/// One pass over the row is enough where all reductions and all results walk
/// the same elements and no result needs a reduction.
void RowKernel::findStreamed() {
  if (reductions.levels.size() != 1)
    return;
  int64_t extent =
      ReductionLevels::reducedOf(reductions.levels.front().front());
  for (train::ReduceOp op : reductions.levels.front())
    if (ReductionLevels::reducedOf(op) != extent)
      return;
  Operation *yield = gpu.dispatch().getBody().front().getTerminator();
  SmallVector<unsigned> found;
  for (auto [index, value] : llvm::enumerate(yield->getOperands())) {
    int64_t length = shape.lineOf(value);
    if (length == 1)
      continue;
    if (length != extent || needsReduction(value))
      return;
    found.push_back(index);
  }
  streamed = found;
}

llvm::MapVector<int64_t, SmallVector<unsigned>> RowKernel::lineResults() {
  llvm::MapVector<int64_t, SmallVector<unsigned>> found;
  Operation *yield = gpu.dispatch().getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(yield->getOperands()))
    if (int64_t extent = shape.lineOf(value);
        extent > 1 && !llvm::is_contained(streamed, index) &&
        !llvm::is_contained(shape.columnResults, index))
      found[extent].push_back(index);
  // The pass that adds its columns.
  if (longColumns)
    found[longColumns->getExtent()];
  return found;
}

LogicalResult RowKernel::buildRow(ArrayRef<unsigned> scalars) {
  if (failed(pickElements()))
    return failure();
  if (std::optional<Exponentials> exponentials =
          findExponentials(frame, reductions)) {
    if (failed(reduceExponentials(frame, lines, *exponentials)))
      return failure();
  } else {
    for (auto &level : reductions.levels)
      if (failed(reduce(level)))
        return failure();
  }
  if (columns && failed(columns->add(frame.row)))
    return failure();
  bool first = true;
  // Where results replace inputs, nobody may still read what is replaced.
  auto separate = [&](ArrayRef<unsigned> results) {
    bool replaces = llvm::any_of(results, [&](unsigned result) {
      ArrayRef<int64_t> inPlace = gpu.dispatch().getInplace();
      return !inPlace.empty() && inPlace[result] >= 0;
    });
    if (!first && replaces && frame.cluster)
      frame.cluster->barrier();
    else if (!first && replaces && frame.warps > 1)
      gpu.barrier(frame.team);
    first = false;
  };
  for (auto &[extent, results] : lineResults()) {
    separate(results);
    if (failed(storeLine(extent, results)))
      return failure();
  }
  if (scalars.empty())
    return success();
  separate(scalars);
  return buildIf(k, k.lessThan(frame.threadOfRow(), 1),
                 [&]() { return gpu.emitter.emitResults(scalars, frame.row); });
}

/// A block for each group: teams of threads take turns at its rows.
FailureOr<GpuLaunch> RowKernel::buildGroups(int64_t longest,
                                            ArrayRef<unsigned> scalars) {
  columns.emplace(gpu, shape, longest);
  frame.threads = columns->getThreads();
  frame.warps = frame.threads / kWarp;
  Value inBlock = gpu.threadId();
  frame.thread = k.rem(inBlock, frame.threads);
  frame.team = {k.div(inBlock, frame.threads), columns->getTeams(),
                frame.threads};
  llvm::SetVector<int64_t> extents;
  extents.insert(shape.groups.columns);
  for (auto &level : reductions.levels)
    for (train::ReduceOp op : level)
      extents.insert(ReductionLevels::reducedOf(op));
  for (auto &[extent, results] : lineResults())
    extents.insert(extent);
  for (int64_t extent : extents)
    columns->addLine(extent, frame.chunksOf(extent));
  // Where warps meet once for a row, some may still read what the others
  // replace for the next one.
  bool takesTurns = frame.warps > 1 && reductions.levels.size() == 1;
  return columns->build(frame.team, frame.thread, [&](Digit next, Value turn) {
    frame.row = next;
    if (takesTurns)
      frame.team.turn = turn;
    return buildRow(scalars);
  });
}

/// The blocks that share a row walk over those of a group.
FailureOr<GpuLaunch> RowKernel::buildLongGroups(int64_t longest,
                                                ArrayRef<unsigned> scalars) {
  frame.areLong = true;
  frame.threads = kLongRowThreads;
  // Columns are the same threads' in every row: vectors begin where rows do.
  gpu.maxLanes =
      std::min(gpu.lanesFor(longest), gpu.lanesFor(shape.groups.columns));
  longColumns.emplace(frame, lines, shape);
  holdLines(longest);
  frame.warps = frame.threads / kWarp;
  frame.thread = gpu.threadId();
  Value group = gpu.blockId();
  if (frame.blocks.count > 1) {
    frame.blocks.rank = k.rem(group, frame.blocks.count);
    group = k.div(group, frame.blocks.count);
    frame.cluster.emplace(gpu, frame.blocks.count, frame.blocks.rank);
  }
  auto row = [&](Value index) {
    longColumns->startRow(group, index);
    return buildRow(scalars);
  };
  if (failed(lines.walkRows(k.mul(group, shape.groups.rows), row)) ||
      failed(longColumns->store(group)))
    return failure();
  GpuLaunch launch{shape.groups.groups * frame.blocks.count,
                   {frame.threads, 1, 1},
                   int32_t(lines.getResident())};
  launch.clusterBlocks = frame.blocks.count;
  return launch;
}

SmallVector<SmallVector<Value>> RowKernel::passesOver(int64_t extent) {
  SmallVector<SmallVector<Value>> passes;
  Operation *yield = gpu.dispatch().getBody().front().getTerminator();
  auto add = [&](ArrayRef<train::ReduceOp> ops, ArrayRef<unsigned> results) {
    SmallVector<Value> values;
    for (train::ReduceOp op : ops)
      if (ReductionLevels::reducedOf(op) == extent)
        values.push_back(op.getInput());
    for (unsigned result : results)
      llvm::append_range(values, shape.valuesOf(yield->getOperand(result)));
    if (longColumns && ops.empty() && extent == longColumns->getExtent())
      for (train::ReduceOp op : shape.columnReductions)
        values.push_back(op.getInput());
    if (!values.empty())
      passes.push_back(values);
  };
  if (std::optional<Exponentials> exponentials =
          findExponentials(frame, reductions)) {
    exponentials->sums.push_back(exponentials->largest);
    add(exponentials->sums, {});
  } else {
    for (auto &level : reductions.levels)
      add(level, streamed);
  }
  add({}, lineResults().lookup(extent));
  return passes;
}

void RowKernel::holdLines(int64_t extent) {
  int64_t sums = 0;
  // Blocks that share a row share all that is read or reduced of it.
  bool isOnlyLine = true;
  for (auto &level : reductions.levels) {
    for (train::ReduceOp op : level) {
      isOnlyLine &= ReductionLevels::reducedOf(op) == extent;
      sums +=
          llvm::divideCeil(accumulatorType(getElementTypeOrSelf(op.getInput()))
                               .getIntOrFloatBitWidth(),
                           8);
    }
  }
  for (auto &[length, results] : lineResults())
    isOnlyLine &= length == extent;
  int64_t mostBlocks = isOnlyLine ? gpu.chip.clusterBlocks : 1;
  lines.hold(extent, passesOver(extent), sums, mostBlocks,
             longColumns ? longColumns->countSums() : 0,
             longColumns ? shape.groups.rows : 1);
}

int64_t RowKernel::countWalked(int64_t rowsPerBlock) {
  constexpr int64_t least = 8, most = 32;
  if (findGatheredTables(gpu.dispatch()).empty())
    return 0;
  // Enough blocks to occupy the machine, as many rows are enough of others.
  for (int64_t walked = most; walked >= least; walked /= 2)
    if (frame.rows % (rowsPerBlock * walked) == 0 &&
        frame.rows / (rowsPerBlock * walked) >= gpu.chip.manyRows)
      return walked;
  return 0;
}

FailureOr<GpuLaunch> RowKernel::walkRows(int64_t rowsPerBlock, int64_t walked,
                                         ArrayRef<unsigned> scalars) {
  const int64_t threads = frame.threads * rowsPerBlock;
  if (failed(shareTables(gpu, findGatheredTables(gpu.dispatch()), frame.thread,
                         threads)))
    return failure();
  // The rows that the warps of a block have at once lie beside each other.
  Value first = k.add(k.mul(gpu.blockId(), rowsPerBlock * walked),
                      k.div(frame.thread, kWarp));
  frame.thread = k.rem(frame.thread, kWarp);
  if (failed(
          buildLoop(k, k.constant(0), k.constant(walked), 1, [&](Value index) {
            frame.row = {frame.rows, k.add(first, k.mul(index, rowsPerBlock))};
            return buildRow(scalars);
          })))
    return failure();
  return GpuLaunch{frame.rows / (rowsPerBlock * walked), {threads, 1, 1}};
}

LogicalResult RowKernel::takeOrder() {
  std::optional<uint64_t> order = gpu.dispatch().getOrder();
  if (!order)
    return success();
  BlockArgument rows = gpu.dispatch().getBody().getArgument(*order);
  Value row = gpu.emitter.emit(rows, frame.row);
  if (!row)
    return failure();
  frame.row.value = gpu.emitter.expr(row).convert(k.indexType);
  return success();
}

FailureOr<GpuLaunch> RowKernel::build() {
  sched::DispatchOp dispatch = gpu.dispatch();
  reductions = findReductions(dispatch);
  FailureOr<RowShape> found = rowsOf(dispatch, reductions);
  if (failed(found))
    return failure();
  shape = *found;
  frame.rows = shape.rows;
  int64_t longest = 1;
  for (auto &level : reductions.levels)
    for (train::ReduceOp op : level)
      longest = std::max(longest, ReductionLevels::reducedOf(op));
  SmallVector<unsigned> scalars;
  Operation *yield = dispatch.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(yield->getOperands())) {
    if (llvm::is_contained(shape.columnResults, index))
      continue;
    longest = std::max(longest, shape.lineOf(value));
    if (elementsOf(value) == frame.rows)
      scalars.push_back(index);
  }

  gpu.maxLanes = std::min({gpu.maxLanes, kLaneBytes / widestElement(dispatch),
                           kVectorBytes / widestResult(dispatch)});
  if (!shape.columnReductions.empty()) {
    longest = std::max(longest, shape.groups.columns);
    return longest <= kGroupedRow ? buildGroups(longest, scalars)
                                  : buildLongGroups(longest, scalars);
  }
  findStreamed();
  int64_t rowsPerBlock = 1;
  frame.threads = kWarp;
  if (longest <= kWarpRow) {
    rowsPerBlock = std::min<int64_t>(4, frame.rows);
  } else {
    int64_t chunks = longest / gpu.lanesForRow(longest);
    // A thread takes several chunks before a row gets more threads.
    while (frame.threads < 1024 && frame.threads * 4 < chunks)
      frame.threads *= 2;
    while (frame.threads < 1024 && !frame.heldChunks(longest))
      frame.threads *= 2;
    // Where rows abound, several blocks share a multiprocessor, and one starts
    // while another ends.
    if (!frame.heldChunks(longest) && frame.rows >= gpu.chip.manyRows)
      frame.threads = kLongRowThreads;
    if (!frame.heldChunks(longest))
      holdLines(longest);
  }
  frame.warps = frame.threads / kWarp;
  frame.thread = gpu.threadId();
  Value rowIndex = gpu.blockId();
  if (longest <= kWarpRow)
    if (int64_t walked = countWalked(rowsPerBlock))
      return walkRows(rowsPerBlock, walked, scalars);
  if (frame.blocks.count > 1) {
    frame.blocks.rank = k.rem(rowIndex, frame.blocks.count);
    rowIndex = k.div(rowIndex, frame.blocks.count);
    frame.cluster.emplace(gpu, frame.blocks.count, frame.blocks.rank);
  }
  if (rowsPerBlock > 1) {
    rowIndex = k.add(k.mul(rowIndex, rowsPerBlock), k.div(frame.thread, kWarp));
    frame.thread = k.rem(frame.thread, kWarp);
  }
  // A whole warp is inside or outside. Loads may be placed in front of that
  // condition: they are of the last row there.
  bool fits = frame.rows % rowsPerBlock == 0;
  frame.row =
      Digit{frame.rows, fits ? rowIndex : k.min(rowIndex, frame.rows - 1)};
  if (lines.getWalked() == 1 && failed(takeOrder()))
    return failure();
  auto body = [&]() {
    const int64_t walked = lines.getWalked();
    return walked > 1 ? lines.walkRows(k.mul(rowIndex, walked),
                                       [&](Value) { return buildRow(scalars); })
                      : buildRow(scalars);
  };
  if (failed(fits ? body()
                  : buildIf(k, k.lessThan(rowIndex, frame.rows), body)))
    return failure();
  int64_t groups =
      llvm::divideCeil(frame.rows, rowsPerBlock * lines.getWalked());
  GpuLaunch launch{groups * frame.blocks.count,
                   {frame.threads * rowsPerBlock, 1, 1},
                   int32_t(lines.getResident())};
  launch.clusterBlocks = frame.blocks.count;
  return launch;
}

FailureOr<GpuLaunch> prec::buildGpuRow(GpuKernel &gpu) {
  return RowKernel(gpu).build();
}
