//===- GpuLongRow.cpp - rows that no registers hold -----------------------===//
#include "GpuRow.h"

#include "MathFunctions.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;
using namespace mlir::prec;

static constexpr int64_t kUnrolled = 4; ///< chunks read at once

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

FailureOr<Carried> RowKernel::buildSpan(
    int64_t extent, int64_t from, int64_t to, Carried carried,
    function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)> body) {
  int64_t lanes = gpu.lanesForRow(extent), round = threads * lanes;
  auto walk = [&](int64_t end, int64_t count) {
    if (from == end)
      return success();
    FailureOr<Carried> next = buildLoop(
        k, k.add(k.mul(thread, lanes), from), k.constant(end), round * count,
        carried, [&](Value first, ValueRange carried) {
          SmallVector<Digit> columns;
          for (int64_t i = 0; i < count; ++i)
            columns.push_back({extent, k.add(first, i * round), lanes, lanes});
          return body(columns, carried);
        });
    if (failed(next))
      return failure();
    carried = *next;
    from = end;
    return success();
  };
  // Several chunks are on their way at once in whole rounds.
  int64_t rounds = (to - from) / round, rest = rounds % kUnrolled;
  int64_t whole = from + rounds * round;
  if (failed(walk(whole - rest * round, kUnrolled)) ||
      failed(walk(whole, rest)) || failed(walk(to, 1)))
    return failure();
  return carried;
}

FailureOr<Carried> RowKernel::buildLongLine(
    int64_t extent, Carried carried,
    function_ref<FailureOr<Carried>(ArrayRef<Digit>, ValueRange)> body) {
  if (!held || extent != held->getExtent())
    return buildSpan(extent, 0, extent, carried, body);
  int64_t border = held->getElements();
  bool again = held->startPass();
  auto buildRest = [&]() {
    FailureOr<Carried> next = buildSpan(extent, border, extent, carried, body);
    if (succeeded(next))
      carried = *next;
    return LogicalResult(next);
  };
  auto meet = [&](ArrayRef<Digit> columns,
                  ValueRange carried) -> FailureOr<Carried> {
    if (failed(held->meet(row, columns)))
      return failure();
    return body(columns, carried);
  };
  if (again && failed(buildRest()))
    return failure();
  FailureOr<Carried> next = buildSpan(extent, 0, border, carried, meet);
  if (failed(next))
    return failure();
  carried = *next;
  if (!again && failed(buildRest()))
    return failure();
  return carried;
}

static Value multiply(KernelBuilder &k, Value sum, Value factor) {
  if (auto type = dyn_cast<VectorType>(sum.getType()))
    factor = vector::BroadcastOp::create(k.here(), k.loc(), type, factor);
  return arith::MulFOp::create(k.here(), k.loc(), sum, factor);
}

std::optional<Exponentials> RowKernel::findExponentials() {
  if (reductions.levels.size() != 2 || reductions.levels[1].size() != 1)
    return std::nullopt;
  train::ReduceOp sum = reductions.levels[1].front();
  auto exp = sum.getInput().getDefiningOp<math::ExpOp>();
  train::ReduceOp largest = exp ? findLargestOf(exp) : train::ReduceOp();
  int64_t extent = ReductionLevels::reducedOf(sum);
  if (!largest || sum.getKind() != train::ReduceKind::Sum ||
      !elementOf(largest.getInput()).isF32() || heldChunks(extent))
    return std::nullopt;
  Exponentials result{largest, {sum}};
  for (train::ReduceOp op : reductions.levels[0]) {
    if (ReductionLevels::reducedOf(op) != extent)
      return std::nullopt;
    if (op != largest)
      result.sums.push_back(op);
  }
  return result;
}

LogicalResult RowKernel::reduceExponentials(Exponentials exponentials) {
  train::ReduceOp largest = exponentials.largest;
  MutableArrayRef<train::ReduceOp> sums = exponentials.sums;
  int64_t extent = ReductionLevels::reducedOf(largest);
  auto f32 = [&](Value value) { return Expr(k.here(), k.loc(), value); };
  // Finite, so that rows may begin with infinities.
  FloatType type = k.here().getF32Type();
  APFloat lowest = APFloat::getLargest(type.getFloatSemantics(), true);
  Value none = arith::ConstantFloatOp::create(k.here(), k.loc(), type, lowest);
  Carried start{none};
  start.append(neutralElements(sums, gpu.lanesForRow(extent)));
  auto body = [&](ArrayRef<Digit> columns,
                  ValueRange carried) -> FailureOr<Carried> {
    Value most;
    for (const Digit &column : columns) {
      Value x = gpu.emitter.emitTerm(largest, {row, column});
      if (!x)
        return failure();
      most = most ? combine(k.here(), k.loc(), largest.getKind(), most, x) : x;
    }
    most = foldLanes(k.here(), k.loc(), largest.getKind(), most);
    most = combine(k.here(), k.loc(), largest.getKind(), carried[0], most);
    Value factor = nvptx::expOfNonPositive(f32(carried[0]) - f32(most));
    Carried next{most};
    next.push_back(multiply(k, carried[1], factor));
    next.append(carried.begin() + 2, carried.end());
    gpu.emitter.bindReduction(largest, row, most);
    for (const Digit &column : columns)
      for (auto [op, total] : llvm::zip(sums, llvm::drop_begin(next))) {
        Value term = gpu.emitter.emitTerm(op, {row, column});
        if (!term)
          return failure();
        total = combine(k.here(), k.loc(), op.getKind(), total, term);
      }
    return next;
  };
  FailureOr<Carried> partial = buildLongLine(extent, start, body);
  if (failed(partial))
    return failure();
  Value own = partial->front();
  Carried most{own};
  finish(largest, most);
  Carried rest(llvm::drop_begin(*partial));
  rest[0] =
      multiply(k, rest[0], nvptx::expOfNonPositive(f32(own) - f32(most[0])));
  finish(sums, rest);
  Expr found = f32(most[0]);
  double infinity = std::numeric_limits<double>::infinity();
  Value exact = (found == f32(none)).select(found.constant(-infinity), found);
  gpu.emitter.bindReduction(largest, row, exact);
  for (auto [op, value] : llvm::zip(sums, rest))
    gpu.emitter.bindReduction(op, row, value);
  return success();
}

SmallVector<SmallVector<Value>> RowKernel::passesOver(int64_t extent) {
  SmallVector<SmallVector<Value>> passes;
  Operation *yield = gpu.dispatch().getBody().front().getTerminator();
  auto add = [&](ArrayRef<train::ReduceOp> ops, ArrayRef<unsigned> results) {
    SmallVector<Value> values;
    for (train::ReduceOp op : ops)
      if (ReductionLevels::reducedOf(op) == extent)
        values.push_back(op.getInput());
    if (values.empty() && results.empty())
      return;
    for (unsigned result : results)
      values.push_back(yield->getOperand(result));
    passes.push_back(values);
  };
  if (std::optional<Exponentials> exponentials = findExponentials()) {
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
  for (auto &level : reductions.levels)
    sums += level.size();
  // Where warps meet.
  int64_t otherShared = sums * kWarp * int64_t(sizeof(int64_t));
  held.emplace(gpu, rows, extent, gpu.lanesForRow(extent), passesOver(extent),
               otherShared);
  if (held->getElements()) {
    threads = held->getThreads();
    held->allocate();
  } else {
    held.reset();
  }
}
