//===- CpuReductions.cpp - row and column kernels on the CPU --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row and column kernels on the CPU. A row is reduced into a vector of partial
// results, whose lanes are folded in halves, and the elements that fill no
// vector are added behind. One thread computes a row, so the bits do not depend
// on how many threads there are. Columns are reduced in strips of four vectors,
// whose sums stay in registers while the rows pass: each row is read by a cache
// line or more. Where a row kernel also reduces the columns of groups of rows,
// an index is a group, and the sums of its columns are kept in the result
// itself: cleared, then added to row by row.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Cpu/CpuKernels.h"
#include "Codegen/DispatchShape.h"
#include "Codegen/Emitter/Loops.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace prec;

/// One more element of every reduction.
static FailureOr<Carried> step(PointEmitter &emitter,
                               MutableArrayRef<train::ReduceOp> ops,
                               ArrayRef<Digit> at, ValueRange carried) {
  KernelBuilder &k = emitter.getKernel();
  Carried next;
  for (auto [op, accumulator] : llvm::zip(ops, carried)) {
    Value value = emitter.emitTerm(op, at);
    if (!value)
      return failure();
    next.push_back(
        combine(k.here(), k.loc(), op.getKind(), accumulator, value));
  }
  return next;
}

/// Reduces one row; a vector of partial results, then a fixed tree, then the
/// elements that fill no vector.
static LogicalResult
reduceRow(CpuKernel &cpu, MutableArrayRef<train::ReduceOp> ops, Digit row) {
  KernelBuilder &k = cpu.kernel();
  PointEmitter &emitter = cpu.emitter;
  int64_t extent = ReductionLevels::reducedOf(ops.front());
  int64_t lanes =
      std::min<int64_t>(cpu.plan.lanes, llvm::bit_floor(uint64_t(extent)));
  int64_t whole = extent / lanes * lanes;
  auto start = [&](train::ReduceOp op, int64_t lanes) {
    Type type = accumulatorType(getElementTypeOrSelf(op.getInput()));
    if (lanes > 1)
      type = VectorType::get(lanes, type);
    return neutralElement(k.here(), k.loc(), op.getKind(), type);
  };
  auto pass = [&](int64_t from, int64_t to, int64_t lanes, Carried carried) {
    return buildLoop(k, k.constant(from), k.constant(to), lanes, carried,
                     [&](Value column, ValueRange carried) {
                       Digit digit{extent, column, lanes, lanes};
                       return step(emitter, ops, {row, digit}, carried);
                     });
  };
  Carried carried;
  for (train::ReduceOp op : ops)
    carried.push_back(start(op, lanes));
  FailureOr<Carried> sums = pass(0, whole, lanes, carried);
  if (failed(sums))
    return failure();
  for (auto [op, sum] : llvm::zip(ops, *sums))
    sum = foldLanes(k.here(), k.loc(), op.getKind(), sum);
  if (whole != extent) {
    sums = pass(whole, extent, 1, *sums);
    if (failed(sums))
      return failure();
  }
  for (auto [op, sum] : llvm::zip(ops, *sums))
    emitter.bindReduction(op, row, sum);
  return success();
}

namespace {

/// A loop over rows, or over groups of them whose columns are reduced as well:
/// in memory, where their result will be.
class CpuRow {
public:
  CpuRow(CpuKernel &cpu, ReductionLevels &reductions, const RowShape &shape)
      : cpu(cpu), k(cpu.kernel()), reductions(reductions), shape(shape) {}
  LogicalResult buildRow(Digit row);
  LogicalResult buildGroup(Digit group);

private:
  LogicalResult line(int64_t extent, function_ref<LogicalResult(Digit)> body) {
    return cpu.line(extent, k.constant(0), k.constant(extent), body);
  }
  LogicalResult clearColumns();
  /// One more row of every column.
  LogicalResult addColumns(Digit row, Digit column);

  CpuKernel &cpu;
  KernelBuilder &k;
  ReductionLevels &reductions;
  RowShape shape;
  Digit group{};
};

} // namespace

LogicalResult CpuRow::clearColumns() {
  return line(shape.groups.columns, [&](Digit column) {
    for (auto [op, result] :
         llvm::zip(shape.columnReductions, shape.columnResults)) {
      Type type = accumulatorType(getElementTypeOrSelf(op.getInput()));
      Value none = neutralElement(k.here(), k.loc(), op.getKind(), type);
      if (failed(cpu.emitter.store(result, {group, column}, none)))
        return failure();
    }
    return success();
  });
}

LogicalResult CpuRow::addColumns(Digit row, Digit column) {
  for (auto [op, result] :
       llvm::zip(shape.columnReductions, shape.columnResults)) {
    Value term = cpu.emitter.emitTerm(op, {row, column});
    if (!term)
      return failure();
    Value sum = cpu.emitter.loadFrom(cpu.emitter.getResultPointer(result),
                                     getElementTypeOrSelf(op.getResult()),
                                     {group, column});
    sum = combine(k.here(), k.loc(), op.getKind(), sum, term);
    if (failed(cpu.emitter.store(result, {group, column}, sum)))
      return failure();
  }
  return success();
}

LogicalResult CpuRow::buildRow(Digit row) {
  for (auto &level : reductions.levels) {
    // Those over equally many elements share a pass.
    llvm::MapVector<int64_t, SmallVector<train::ReduceOp>> passes;
    for (train::ReduceOp op : level)
      passes[ReductionLevels::reducedOf(op)].push_back(op);
    for (auto &[extent, ops] : passes)
      if (failed(reduceRow(cpu, ops, row)))
        return failure();
  }
  llvm::MapVector<int64_t, SmallVector<unsigned>> lines;
  // What is reduced is read before a result takes its place.
  if (!shape.columnReductions.empty())
    lines[shape.groups.columns];
  for (auto [result, value] : llvm::enumerate(cpu.dispatch().getResults()))
    if (!llvm::is_contained(shape.columnResults, result))
      lines[shape.lineOf(value)].push_back(result);
  for (auto &[extent, results] : lines) {
    auto body = [&, extent = extent, &results = results](Digit column) {
      if (!shape.columnReductions.empty() && extent == shape.groups.columns &&
          failed(addColumns(row, column)))
        return failure();
      return cpu.emitter.emitResults(results, {row, column});
    };
    if (failed(extent == 1 ? cpu.emitter.emitResults(results, row)
                           : line(extent, body)))
      return failure();
  }
  return success();
}

LogicalResult CpuRow::buildGroup(Digit own) {
  group = own;
  if (failed(clearColumns()))
    return failure();
  Value first = k.mul(group.value, shape.groups.rows);
  return buildLoop(
      k, k.constant(0), k.constant(shape.groups.rows), 1,
      [&](Value index) { return buildRow({shape.rows, k.add(first, index)}); });
}

FailureOr<int64_t> prec::buildCpuRow(CpuKernel &cpu) {
  KernelBuilder &k = cpu.kernel();
  ReductionLevels reductions = findReductions(cpu.dispatch());
  FailureOr<RowShape> shape = rowsOf(cpu.dispatch(), reductions);
  if (failed(shape))
    return failure();
  bool hasGroups = !shape->columnReductions.empty();
  int64_t extent = hasGroups ? shape->groups.groups : shape->rows;
  CpuRow row(cpu, reductions, *shape);
  if (failed(buildLoop(k, cpu.begin, cpu.end, 1, [&](Value index) {
        Digit own{extent, index};
        return hasGroups ? row.buildGroup(own) : row.buildRow(own);
      })))
    return failure();
  return extent;
}

FailureOr<int64_t> prec::buildCpuColumn(CpuKernel &cpu) {
  KernelBuilder &k = cpu.kernel();
  sched::DispatchOp dispatch = cpu.dispatch();
  ReductionLevels reductions = findReductions(dispatch);
  FailureOr<ColumnShape> shape = columnsOf(dispatch, reductions);
  if (failed(shape))
    return failure();
  MutableArrayRef<train::ReduceOp> ops = reductions.levels.front();
  int64_t lanes = std::min<int64_t>(cpu.plan.lanes,
                                    llvm::bit_floor(uint64_t(shape->columns)));

  auto all = llvm::to_vector(llvm::seq<unsigned>(0, dispatch.getNumResults()));
  // `count` neighboring vectors of `lanes` columns from `first` on, of the
  // rows of one group.
  auto reduceGroup = [&](std::optional<Digit> group, Value first, int64_t lanes,
                         int64_t count) -> LogicalResult {
    auto inGroup = [&](SmallVector<Digit> position) {
      if (group)
        position.insert(position.begin(), *group);
      return position;
    };
    SmallVector<Digit> columns;
    Carried carried;
    for (int64_t i = 0; i < count; ++i) {
      columns.push_back(
          {shape->columns, k.add(first, i * lanes), lanes, lanes});
      for (train::ReduceOp op : ops) {
        Type type = accumulatorType(getElementTypeOrSelf(op.getInput()));
        if (lanes > 1)
          type = VectorType::get(lanes, type);
        carried.push_back(
            neutralElement(k.here(), k.loc(), op.getKind(), type));
      }
    }
    FailureOr<Carried> sums =
        buildLoop(k, k.constant(0), k.constant(shape->rows), 1, carried,
                  [&](Value row, ValueRange carried) -> FailureOr<Carried> {
                    Carried next;
                    for (auto [i, column] : llvm::enumerate(columns)) {
                      FailureOr<Carried> part =
                          step(cpu.emitter, ops,
                               inGroup({Digit{shape->rows, row}, column}),
                               carried.slice(i * ops.size(), ops.size()));
                      if (failed(part))
                        return failure();
                      next.append(*part);
                    }
                    return next;
                  });
    if (failed(sums))
      return failure();
    for (auto [i, column] : llvm::enumerate(columns)) {
      for (auto [j, op] : llvm::enumerate(ops))
        cpu.emitter.bindReduction(op, inGroup({column}),
                                  (*sums)[i * ops.size() + j]);
      if (failed(cpu.emitter.emitResults(all, inGroup({column}))))
        return failure();
    }
    return success();
  };
  auto strip = [&](Value first, int64_t lanes, int64_t count) -> LogicalResult {
    if (shape->groups == 1)
      return reduceGroup(std::nullopt, first, lanes, count);
    return buildLoop(
        k, k.constant(0), k.constant(shape->groups), 1, [&](Value group) {
          return reduceGroup(Digit{shape->groups, group}, first, lanes, count);
        });
  };

  // A cache line or more of each row at a time.
  const int64_t width = 4 * lanes;
  Value lower = k.mul(cpu.begin, width);
  Value upper = k.min(k.mul(cpu.end, width), shape->columns);
  auto roundDown = [&](Value value, int64_t multiple) -> Value {
    return k.mul(k.div(value, multiple), multiple);
  };
  Value wide = roundDown(upper, width), middle = roundDown(upper, lanes);
  if (failed(buildLoop(k, lower, wide, width,
                       [&](Value c) { return strip(c, lanes, 4); })) ||
      (shape->columns % width >= lanes &&
       failed(buildLoop(k, wide, middle, lanes,
                        [&](Value c) { return strip(c, lanes, 1); }))) ||
      (shape->columns % lanes &&
       failed(buildLoop(k, middle, upper, 1,
                        [&](Value c) { return strip(c, 1, 1); }))))
    return failure();
  return llvm::divideCeil(shape->columns, width);
}
