//===- RowExponentials.cpp - a largest element and sums -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Gpu/RowExponentials.h"

#include "Codegen/Emitter/MathFunctions.h"
#include "Codegen/Emitter/RowSoftmax.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;
using namespace prec;

static Value multiply(KernelBuilder &k, Value sum, Value factor) {
  if (auto type = dyn_cast<VectorType>(sum.getType()))
    factor = vector::BroadcastOp::create(k.here(), k.loc(), type, factor);
  return arith::MulFOp::create(k.here(), k.loc(), sum, factor);
}

std::optional<Exponentials>
prec::findExponentials(const RowFrame &frame,
                       const ReductionLevels &reductions) {
  if (reductions.levels.size() != 2 || reductions.levels[1].size() != 1)
    return std::nullopt;
  train::ReduceOp sum = reductions.levels[1].front();
  auto exp = sum.getInput().getDefiningOp<math::ExpOp>();
  train::ReduceOp largest = exp ? findLargestOf(exp) : train::ReduceOp();
  int64_t extent = ReductionLevels::reducedOf(sum);
  if (!largest || sum.getKind() != train::ReduceKind::Sum ||
      !getElementTypeOrSelf(largest.getInput()).isF32() ||
      frame.heldChunks(extent))
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

/// The whole row's from those of its threads: sums are joined with the largest
/// elements that they were taken from.
static void finishExponentials(RowFrame &frame,
                               const Exponentials &exponentials, Value none,
                               Carried &partial) {
  GpuKernel &gpu = frame.gpu;
  KernelBuilder &k = frame.k;
  SmallVector<train::ReduceOp> ops{exponentials.largest};
  ops.append(exponentials.sums);
  auto kindOf = [&](size_t i) { return ops[i].getKind(); };
  // What `own` is the largest element of counts less beside a larger one.
  auto join = [&](Value sum, Value own, Value most) {
    Expr lost =
        Expr(k.moveHere(), k.loc(), own) - Expr(k.moveHere(), k.loc(), most);
    return multiply(k, sum, nvptx::expOfNonPositive(lost));
  };
  auto joinWarp = [&]() {
    Value most = gpu.reduceWarp(kindOf(0), partial[0]);
    partial[1] = join(partial[1], partial[0], most);
    partial[0] = most;
    for (size_t i = 1; i < ops.size(); ++i)
      partial[i] = gpu.reduceWarp(kindOf(i), partial[i]);
  };
  Carried neutral{none};
  for (size_t i = 1; i < ops.size(); ++i) {
    partial[i] = foldLanes(k.here(), k.loc(), kindOf(i), partial[i]);
    neutral.push_back(
        neutralElement(k.here(), k.loc(), kindOf(i), partial[i].getType()));
  }
  joinWarp();
  SmallVector<Carried> parts =
      exchange(gpu, frame.rowWarps(), partial, neutral);
  partial = parts.front();
  for (const Carried &part : llvm::drop_begin(parts)) {
    Value most = combine(k.here(), k.loc(), kindOf(0), partial[0], part[0]);
    partial[1] = join(partial[1], partial[0], most);
    for (size_t i = 1; i < ops.size(); ++i) {
      Value theirs = i == 1 ? join(part[1], part[0], most) : part[i];
      partial[i] = combine(k.here(), k.loc(), kindOf(i), partial[i], theirs);
    }
    partial[0] = most;
  }
  joinWarp();
}

LogicalResult prec::reduceExponentials(RowFrame &frame, LongLines &lines,
                                       Exponentials exponentials) {
  GpuKernel &gpu = frame.gpu;
  KernelBuilder &k = frame.k;
  train::ReduceOp largest = exponentials.largest;
  MutableArrayRef<train::ReduceOp> sums = exponentials.sums;
  int64_t extent = ReductionLevels::reducedOf(largest);
  auto f32 = [&](Value value) { return Expr(k.moveHere(), k.loc(), value); };
  // Finite, so that rows may begin with infinities.
  FloatType type = k.here()->getF32Type();
  APFloat lowest = APFloat::getLargest(type.getFloatSemantics(), true);
  Value none = arith::ConstantFloatOp::create(k.here(), k.loc(), type, lowest);
  Carried start{none};
  start.append(frame.neutralElements(sums, frame.lanesOfLong(extent)));
  auto body = [&](ArrayRef<Digit> columns,
                  ValueRange carried) -> FailureOr<Carried> {
    Value most;
    for (const Digit &column : columns) {
      Value x = gpu.emitter.emitTerm(largest, {frame.row, column});
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
    gpu.emitter.bindReduction(largest, frame.row, most);
    for (const Digit &column : columns)
      for (auto [op, total] : llvm::zip(sums, llvm::drop_begin(next))) {
        Value term = gpu.emitter.emitTerm(op, {frame.row, column});
        if (!term)
          return failure();
        total = combine(k.here(), k.loc(), op.getKind(), total, term);
      }
    return next;
  };
  FailureOr<Carried> partial = lines.build(extent, start, body);
  if (failed(partial))
    return failure();
  finishExponentials(frame, exponentials, none, *partial);
  Expr found = f32(partial->front());
  double infinity = std::numeric_limits<double>::infinity();
  Value exact = (found == f32(none)).select(found.constant(-infinity), found);
  gpu.emitter.bindReduction(largest, frame.row, exact);
  for (auto [op, value] : llvm::zip(sums, llvm::drop_begin(*partial)))
    gpu.emitter.bindReduction(op, frame.row, value);
  return success();
}
