//===- GpuRow.cpp - row kernels on NVIDIA GPUs ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that reduce rows and compute values from the results. A row of up to
// 1024 elements is computed by one warp, a longer one by a block. Rows that fit
// into registers are read once: in every pass a thread takes the same elements,
// in straight-line code, so that a pass finds in registers what the one before
// it has computed. Longer rows are held in shared memory (GpuLongRow.cpp).
// First each level of reductions is a pass, such as the largest element, then
// the sum of the exponentials; then the results are stored. A kernel whose
// results need no reduction stores them in its only pass. Where columns of
// groups of rows are reduced as well, a block walks over the rows of a group
// (GroupedColumns.cpp). Rows that fit are read from memory once, and this
// bounds the time.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/GpuRow.h"

#include "Codegen/Emitter/PickedElement.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace prec;

namespace {
constexpr int64_t kWarpRow = 1024;    ///< longest row of a single warp
constexpr int64_t kHeldElements = 32; ///< of a row, by one thread
constexpr int64_t kLongRowThreads = 256;
} // namespace

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

int64_t RowKernel::heldChunks(int64_t extent) const {
  int64_t lanes = gpu.lanesForRow(extent);
  int64_t chunks = llvm::divideCeil(extent, lanes * threads);
  int64_t held = threads > 512 ? kHeldElements / 2 : kHeldElements;
  return chunks * lanes <= held ? chunks : 0;
}

Digit RowKernel::chunk(int64_t extent, int64_t i, Value &inside) {
  int64_t lanes = gpu.lanesForRow(extent);
  Value first = k.mul(k.add(thread, i * threads), lanes);
  inside = {};
  if ((i + 1) * threads * lanes > extent) {
    inside = k.lessThan(first, extent);
    // Outside, the last chunk is read again and not used.
    first = k.min(first, extent - lanes);
  }
  return {extent, first, lanes, lanes};
}

SmallVector<Chunk> RowKernel::chunksOf(int64_t extent) {
  SmallVector<Chunk> chunks(heldChunks(extent));
  for (auto [i, part] : llvm::enumerate(chunks))
    part.column = chunk(extent, i, part.inside);
  return chunks;
}

Carried RowKernel::neutralElements(ArrayRef<train::ReduceOp> ops,
                                   int64_t lanes) {
  Carried result;
  for (train::ReduceOp op : ops) {
    Type type = accumulatorType(elementOf(op.getInput()));
    if (lanes > 1)
      type = VectorType::get(lanes, type);
    result.push_back(neutralElement(k.here(), k.loc(), op.getKind(), type));
  }
  return result;
}

FailureOr<Carried> RowKernel::accumulate(MutableArrayRef<train::ReduceOp> ops,
                                         int64_t extent) {
  Carried sums = neutralElements(ops, lanesOfLong(extent));
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
    if (streamed.empty())
      return next;
    auto store = [&]() {
      return gpu.emitter.emitResults(streamed, {row, column});
    };
    if (failed(inside ? buildIf(k, inside, store) : store()))
      return failure();
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
  return buildLongLine(
      extent, sums,
      [&](ArrayRef<Digit> columns, ValueRange carried) -> FailureOr<Carried> {
        // All are asked for before the first is added.
        for (const Digit &column : columns)
          for (train::ReduceOp op : ops)
            if (!gpu.emitter.emitTerm(op, {row, column}))
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
  finish(all, sums);
  for (auto [op, sum] : llvm::zip(all, sums))
    gpu.emitter.bindReduction(op, row, sum);
  return success();
}

LogicalResult RowKernel::pickElements() {
  // What others reduce lets the threads wait for each other before an element
  // is replaced that another has picked.
  if (reductions.levels.empty() || !streamed.empty() || warps == 1)
    return success();
  auto &level = reductions.levels.front();
  if (llvm::all_of(level, findPicked))
    return success();
  for (train::ReduceOp op : level)
    if (std::optional<PickedElement> found = findPicked(op))
      if (failed(bindPicked(gpu, op, *found, row)))
        return failure();
  llvm::erase_if(level, findPicked);
  return success();
}

LogicalResult RowKernel::storeLine(int64_t extent, ArrayRef<unsigned> results) {
  // Loads of all chunks before the first store, which they could not pass.
  Operation *yield = gpu.dispatch().getBody().front().getTerminator();
  auto compute = [&](const Digit &column) {
    return success(llvm::all_of(results, [&](unsigned result) {
      return bool(gpu.emitter.emit(yield->getOperand(result), {row, column}));
    }));
  };
  auto store = [&](const Digit &column) {
    return gpu.emitter.emitResults(results, {row, column});
  };
  if (heldChunks(extent)) {
    SmallVector<Chunk> chunks = chunksOf(extent);
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
    for (const Digit &column : columns)
      if (failed(store(column)))
        return failure();
    return Carried();
  };
  return success(succeeded(buildLongLine(extent, {}, body)));
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
    int64_t length = elementsOf(value) / rows;
    if (length == 1)
      continue;
    if (length != extent || needsReduction(value))
      return;
    found.push_back(index);
  }
  streamed = found;
}

llvm::MapVector<int64_t, SmallVector<unsigned>> RowKernel::lineResults() {
  llvm::MapVector<int64_t, SmallVector<unsigned>> lines;
  for (auto [index, result] : llvm::enumerate(gpu.dispatch().getResults()))
    if (int64_t extent = elementsOf(result) / rows;
        extent > 1 && !llvm::is_contained(streamed, index) &&
        !llvm::is_contained(shape.columnResults, index))
      lines[extent].push_back(index);
  return lines;
}

LogicalResult RowKernel::buildRow(ArrayRef<unsigned> scalars) {
  if (failed(pickElements()))
    return failure();
  if (std::optional<Exponentials> exponentials = findExponentials()) {
    if (failed(reduceExponentials(*exponentials)))
      return failure();
  } else {
    for (auto &level : reductions.levels)
      if (failed(reduce(level)))
        return failure();
  }
  if (columns && failed(columns->add(row)))
    return failure();
  bool first = true;
  // Where results replace inputs, nobody may still read what is replaced.
  auto separate = [&](ArrayRef<unsigned> results) {
    bool replaces = llvm::any_of(results, [&](unsigned result) {
      ArrayRef<int64_t> inPlace = gpu.dispatch().getInplace();
      return !inPlace.empty() && inPlace[result] >= 0;
    });
    if (!first && replaces && cluster)
      cluster->barrier();
    else if (!first && replaces && warps > 1)
      gpu.barrier(team);
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
  return buildIf(k, k.lessThan(threadOfRow(), 1),
                 [&]() { return gpu.emitter.emitResults(scalars, row); });
}

/// A block for each group: teams of threads take turns at its rows.
FailureOr<GpuLaunch> RowKernel::buildGroups(int64_t longest,
                                            ArrayRef<unsigned> scalars) {
  columns.emplace(gpu, shape, longest);
  threads = columns->getThreads();
  warps = threads / kWarp;
  Value inBlock = gpu.threadId();
  thread = k.rem(inBlock, threads);
  team = {k.div(inBlock, threads), columns->getTeams(), threads};
  llvm::SetVector<int64_t> extents;
  extents.insert(shape.groups.columns);
  for (auto &level : reductions.levels)
    for (train::ReduceOp op : level)
      extents.insert(ReductionLevels::reducedOf(op));
  for (auto &[extent, results] : lineResults())
    extents.insert(extent);
  for (int64_t extent : extents) {
    if (!heldChunks(extent))
      return gpu.dispatch().emitOpError(
                 "rows whose columns are reduced fit the registers of a block, "
                 "but got one of ")
             << extent << " elements";
    columns->addLine(extent, chunksOf(extent));
  }
  // Where warps meet once for a row, some may still read what the others
  // replace for the next one.
  bool takesTurns = warps > 1 && reductions.levels.size() == 1;
  return columns->build(team, thread, [&](Digit next, Value turn) {
    row = next;
    if (takesTurns)
      team.turn = turn;
    return buildRow(scalars);
  });
}

LogicalResult RowKernel::walkRows(Value first, ArrayRef<unsigned> scalars) {
  int64_t extent = held->getExtent();
  row = {rows, first};
  if (failed(startCopies(partOf(extent), /*all=*/true)))
    return failure();
  cluster->start();
  return buildLoop(k, k.constant(0), k.constant(walked), 1, [&](Value index) {
    parts.clear();
    row = {rows, k.add(first, index)};
    hasNext = k.lessThan(index, walked - 1);
    team.turn = k.rem(index, 2);
    return buildRow(scalars);
  });
}

FailureOr<GpuLaunch> RowKernel::build() {
  sched::DispatchOp dispatch = gpu.dispatch();
  reductions = findReductions(dispatch);
  FailureOr<RowShape> found = rowsOf(dispatch, reductions);
  if (failed(found))
    return failure();
  shape = *found;
  rows = shape.rows;
  int64_t longest = 1;
  for (auto &level : reductions.levels)
    for (train::ReduceOp op : level)
      longest = std::max(longest, ReductionLevels::reducedOf(op));
  SmallVector<unsigned> scalars;
  for (auto [index, result] : llvm::enumerate(dispatch.getResults())) {
    if (llvm::is_contained(shape.columnResults, index))
      continue;
    longest = std::max(longest, elementsOf(result) / rows);
    if (elementsOf(result) == rows)
      scalars.push_back(index);
  }

  gpu.maxLanes = std::min({gpu.maxLanes, kLaneBytes / widestElement(dispatch),
                           kVectorBytes / widestResult(dispatch)});
  if (!shape.columnReductions.empty())
    return buildGroups(std::max(longest, shape.groups.columns), scalars);
  findStreamed();
  int64_t rowsPerBlock = 1;
  threads = kWarp;
  if (longest <= kWarpRow) {
    rowsPerBlock = std::min<int64_t>(4, rows);
  } else {
    int64_t chunks = longest / gpu.lanesForRow(longest);
    // A thread takes several chunks before a row gets more threads.
    while (threads < 1024 && threads * 4 < chunks)
      threads *= 2;
    while (threads < 1024 && !heldChunks(longest))
      threads *= 2;
    // Where rows abound, several blocks share a multiprocessor, and one starts
    // while another ends.
    if (!heldChunks(longest) && rows >= gpu.chip.manyRows)
      threads = kLongRowThreads;
    if (!heldChunks(longest))
      holdLines(longest);
  }
  warps = threads / kWarp;
  thread = gpu.threadId();
  Value rowIndex = gpu.blockId();
  if (blocks.count > 1) {
    blocks.rank = k.rem(rowIndex, blocks.count);
    rowIndex = k.div(rowIndex, blocks.count);
    cluster.emplace(gpu, blocks.count, blocks.rank);
  }
  if (rowsPerBlock > 1) {
    rowIndex = k.add(k.mul(rowIndex, rowsPerBlock), k.div(thread, kWarp));
    thread = k.rem(thread, kWarp);
  }
  // A whole warp is inside or outside. Loads may be placed in front of that
  // condition: they are of the last row there.
  bool fits = rows % rowsPerBlock == 0;
  row = Digit{rows, fits ? rowIndex : k.min(rowIndex, rows - 1)};
  auto body = [&]() {
    return walked > 1 ? walkRows(k.mul(rowIndex, walked), scalars)
                      : buildRow(scalars);
  };
  if (failed(fits ? body() : buildIf(k, k.lessThan(rowIndex, rows), body)))
    return failure();
  int64_t groups = llvm::divideCeil(rows, rowsPerBlock * walked);
  GpuLaunch launch{groups * blocks.count,
                   {threads * rowsPerBlock, 1, 1},
                   held ? int32_t(held->getResident()) : 0};
  launch.clusterBlocks = blocks.count;
  return launch;
}

FailureOr<GpuLaunch> prec::buildGpuRow(GpuKernel &gpu) {
  return RowKernel(gpu).build();
}
