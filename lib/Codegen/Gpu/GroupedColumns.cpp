//===- GroupedColumns.cpp - columns of groups of rows ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row kernels that also reduce the columns of groups of rows. The backward of a
// norm is one: the gradient of its input needs sums of rows, that of its weight
// sums of columns. A block takes a group. Its threads are teams; each team
// computes a row, then the row that is as many further on as there are teams,
// and every thread adds its columns in registers. At the end of the group the
// teams' sums meet in shared memory as a binary tree, and the first team stores
// one row of partial sums. A later kernel adds those of the groups. The order
// is fixed by the shapes.
//
// The matrix is read once for both reductions. chooseTeams picks as many
// threads for a row as keep its sums in registers; RowsAhead.cpp copies the
// next rows while one is computed, across the border to the next group.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Gpu/GroupedColumns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace prec;

/// Of a multiprocessor, so that each has 128 registers.
static constexpr int64_t kThreads = 512;
/// Of registers, for sums and for what is read of a row.
static constexpr int64_t kThreadBytes = 384;
/// Elements of a row that a thread takes, so that computing them has room.
static constexpr int64_t kMostElements = 16;
static constexpr int64_t kMostLanes = 8, kFewestLanes = 4;
/// From so many groups on, a multiprocessor has two blocks.
static constexpr int64_t kManyGroups = 256;
/// Where so many blocks are left, one walks over several groups: the rows of
/// the next one are under way while it finishes one.
static constexpr int64_t kWalkedBlocks = 512;

/// Of rows, under way to a multiprocessor. Half hides the memory's latency, and
/// more lets what else is read or written wait behind them.
static constexpr int64_t kBytesAhead = 64 << 10;
/// Bytes, more than the warps of all teams meet in.
static constexpr int64_t kWarpMemory = 8 << 10;

/// What a row's results and reductions are computed from.
static SmallVector<Value> findComputed(sched::DispatchOp dispatch) {
  SmallVector<Value> values;
  Block &body = dispatch.getBody().front();
  llvm::append_range(values, body.getTerminator()->getOperands());
  for (auto reduce : body.getOps<train::ReduceOp>())
    values.push_back(reduce.getInput());
  return values;
}

GroupedColumns::GroupedColumns(GpuKernel &gpu, const RowShape &shape,
                               int64_t longest)
    : gpu(gpu), k(gpu.kernel()), shape(shape) {
  chooseTeams(longest);
}

void GroupedColumns::chooseTeams(int64_t longest) {
  // Each column has its sums, and an element of what all rows share.
  int64_t bytes = 4 * (int64_t(shape.columnReductions.size()) + 1);
  for (BlockArgument input :
       findElementInputs(findComputed(gpu.dispatch()), shape.rows * longest))
    bytes +=
        storageType(getElementTypeOrSelf(input)).getIntOrFloatBitWidth() / 8;
  int64_t most = std::clamp<int64_t>(kThreadBytes / bytes, 1, kMostElements);
  auto countElements = [&](int64_t lanes) {
    gpu.maxLanes = lanes;
    int64_t own = gpu.lanesForRow(longest);
    return int64_t(llvm::divideCeil(longest, own * threads)) * own;
  };
  int64_t widest = std::min(
      {gpu.maxLanes, kMostLanes, int64_t(llvm::bit_floor(uint64_t(most)))});
  while (threads < kThreads && countElements(widest) > most)
    threads *= 2;
  // Narrower chunks where they leave fewer threads without one.
  int64_t best = widest;
  for (int64_t lanes = widest / 2; lanes >= kFewestLanes; lanes /= 2)
    if (countElements(lanes) < countElements(best))
      best = lanes;
  gpu.maxLanes = best;
  int64_t block = shape.groups.groups < kManyGroups ? kThreads : kThreads / 2;
  while (2 * teams * threads <= block && shape.groups.rows % (2 * teams) == 0)
    teams *= 2;
  while (shape.groups.groups % (2 * walked) == 0 &&
         shape.groups.groups / (2 * walked) >= kWalkedBlocks)
    walked *= 2;
}

int64_t GroupedColumns::residentBlocks() const {
  return kThreads / (threads * teams);
}

/// Of shared memory, for the copies of a block.
int64_t GroupedColumns::findRoom() {
  const GpuChip &chip = gpu.chip;
  int64_t block = threads * teams;
  int64_t own =
      std::min(chip.blockShared, chip.multiprocessorShared / residentBlocks() -
                                     chip.reservedShared);
  // Where teams meet, and the warps of one for all its reductions.
  int64_t elements = chunks().front().column.lanes * int64_t(chunks().size());
  return own - 4 * block / 2 * elements - kWarpMemory;
}

RowsAhead GroupedColumns::findReads(Value first) {
  RowsAhead ahead(gpu, shape.rows, first, teams, walked * shape.groups.rows);
  SmallVector<Value> computed = findComputed(gpu.dispatch());
  for (auto &[extent, chunks] : lines)
    for (const Chunk &chunk : chunks)
      for (BlockArgument input :
           findElementInputs(computed, shape.rows * extent))
        ahead.add(input, chunk.column);
  // Statistics: what is read at other positions is not used.
  for (BlockArgument input : gpu.dispatch().getBody().getArguments())
    if (elementsOf(input) == shape.rows && !input.use_empty())
      ahead.add(input);
  // A block whose warps are one team waits for each row as a whole: measured on
  // an H200, more than the next row under way only delays that.
  bool isOneTeam = teams == 1 && threads > kWarp;
  int64_t bytes = isOneTeam ? 0 : kBytesAhead / residentBlocks();
  ahead.allocate(threads * teams, bytes, findRoom());
  return ahead;
}

LogicalResult GroupedColumns::add(const Digit &row) {
  auto *sum = sums.begin();
  for (train::ReduceOp op : shape.columnReductions)
    for (const Chunk &chunk : chunks()) {
      // Outside of the row a thread sums what it does not store.
      Value term = gpu.emitter.emitTerm(op, {row, chunk.column});
      if (!term)
        return failure();
      *sum = combine(k.here(), k.loc(), op.getKind(), *sum, term);
      ++sum;
    }
  return success();
}

void GroupedColumns::meet(const Team &team, Value thread) {
  if (teams == 1)
    return;
  int64_t lanes = chunks().front().column.lanes, count = chunks().size();
  unsigned alignment = 4 * std::min<int64_t>(lanes, 4);
  Value array = gpu.allocateShared(k.here()->getF32Type(),
                                   teams / 2 * threads * count * lanes);
  auto slot = [&](Value team, int64_t i) {
    Value line = k.add(k.mul(team, count), i);
    return k.mul(k.add(k.mul(line, threads), thread), lanes);
  };
  for (int64_t half = teams / 2; half >= 1; half /= 2)
    for (auto [i, op] : llvm::enumerate(shape.columnReductions)) {
      auto own = MutableArrayRef(sums).slice(i * count, count);
      Value other = k.rem(team.index, half);
      Value isUpper =
          arith::CmpIOp::create(k.here(), k.loc(), arith::CmpIPredicate::eq,
                                k.div(team.index, half), k.constant(1));
      buildIfAlways(k, isUpper, [&]() {
        for (auto [j, sum] : llvm::enumerate(own))
          gpu.storeShared(array, sum, slot(other, j), alignment);
      });
      gpu.barrier();
      for (auto [j, sum] : llvm::enumerate(own))
        sum = combine(
            k.here(), k.loc(), op.getKind(), sum,
            gpu.loadShared(array, sum.getType(), slot(other, j), alignment));
      gpu.barrier();
    }
}

LogicalResult GroupedColumns::store(Value index) {
  Digit group{shape.groups.groups, k.add(k.mul(gpu.blockId(), walked), index)};
  int64_t count = chunks().size();
  for (auto [i, chunk] : llvm::enumerate(chunks())) {
    auto body = [&, i = i, &chunk = chunk]() {
      for (auto [j, op] : llvm::enumerate(shape.columnReductions))
        gpu.emitter.bindReduction(op, {group, chunk.column},
                                  sums[j * count + i]);
      return gpu.emitter.emitResults(shape.columnResults,
                                     {group, chunk.column});
    };
    if (failed(chunk.inside ? buildIf(k, chunk.inside, body) : body()))
      return failure();
  }
  return success();
}

void GroupedColumns::startSums() {
  int64_t lanes = chunks().front().column.lanes;
  sums.clear();
  for (train::ReduceOp op : shape.columnReductions) {
    Type type = accumulatorType(getElementTypeOrSelf(op.getInput()));
    if (lanes > 1)
      type = VectorType::get(lanes, type);
    sums.append(chunks().size(),
                neutralElement(k.here(), k.loc(), op.getKind(), type));
  }
}

FailureOr<GpuLaunch> GroupedColumns::build(
    const Team &team, Value thread,
    function_ref<LogicalResult(Digit row, Value turn)> buildRow) {
  int64_t rows = shape.groups.rows;
  Value first = k.add(k.mul(gpu.blockId(), walked * rows), team.index);
  RowsAhead ahead = findReads(first);
  FailureOr<Carried> words = ahead.start();
  if (failed(words))
    return failure();
  auto rowBody = [&](Value index, ValueRange carried) -> FailureOr<Carried> {
    FailureOr<Carried> next =
        ahead.advance(index, carried.take_front(words->size()));
    sums = Carried(carried.drop_front(words->size()));
    Value turn = k.rem(k.div(index, teams), 2);
    if (failed(next) ||
        failed(buildRow({shape.rows, k.add(first, index)}, turn)))
      return failure();
    next->append(sums);
    return next;
  };
  auto groupBody = [&](Value group, ValueRange carried) -> FailureOr<Carried> {
    startSums();
    Carried next(carried);
    next.append(sums);
    // Teams divide the rows: all threads meet at every barrier.
    Value begin = k.mul(group, rows);
    FailureOr<Carried> last =
        buildLoop(k, begin, k.add(begin, rows), teams, next, rowBody);
    if (failed(last))
      return failure();
    sums = Carried(llvm::drop_begin(*last, words->size()));
    meet(team, thread);
    if (failed(buildIf(k, k.lessThan(team.index, 1),
                       [&]() { return store(group); })))
      return failure();
    last->truncate(words->size());
    return last;
  };
  Value none = k.constant(0);
  if (failed(walked == 1 ? groupBody(none, *words)
                         : buildLoop(k, none, k.constant(walked), 1, *words,
                                     groupBody)))
    return failure();
  return GpuLaunch{shape.groups.groups / walked,
                   {threads * teams, 1, 1},
                   int32_t(residentBlocks())};
}
