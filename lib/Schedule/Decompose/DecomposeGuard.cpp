//===- DecomposeGuard.cpp - finite guard and loss scale -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/Decompose.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;
using train::ReduceKind;

/// Sums that one kernel reads.
static constexpr size_t kMaxSums = 64;

static constexpr double kInfinity = std::numeric_limits<float>::infinity();

/// The largest loss scale whose inverse is normal.
static constexpr double kLargestScale = 0x1p126;

/// Steps that overflow without any scaling, overflow with a smaller scale, too;
/// in the meantime gradients would become zeros.
static constexpr double kSmallestScale = 1;

static Value compare(arith::CmpFPredicate predicate, Value lhs, Value rhs,
                     PrimitiveBuilder &b) {
  return b.create<arith::CmpFOp>(predicate, lhs, rhs);
}

/// The index of the first of `sums` that is not finite; `none` if all are.
static Value findFirst(ArrayRef<Value> sums, double none, PrimitiveBuilder &b) {
  int64_t count = sums.size();
  auto type = RankedTensorType::get({1}, tensorType(sums[0]).getElementType());
  SmallVector<Value> entries;
  for (Value sum : sums)
    entries.push_back(b.create<tensor::ExpandShapeOp>(
        type, sum, ArrayRef<ReassociationIndices>()));
  Value all = entries.front();
  if (count > 1)
    all = b.create<tensor::ConcatOp>(type.clone({count}), /*dim=*/int64_t(0),
                                     entries);
  // False for NaN too.
  Value isFinite =
      compare(arith::CmpFPredicate::OLT, all, b.splat(kInfinity, {count}), b);
  Value index = b.create<train::IotaOp>(type.clone({count}), /*dim=*/0,
                                        ArrayAttr(), ArrayAttr());
  return b.reduceAll(ReduceKind::Min,
                     b.select(isFinite, b.splat(none, {count}), index));
}

/// A scalar that is finite if all elements are, else not.
static Value markNotFinite(Value input, PrimitiveBuilder &b) {
  Value magnitude = b.create<math::AbsFOp>(b.toF32(input));
  if (tensorType(input).getRank() == 0)
    return magnitude;
  // A maximum of magnitudes would skip NaN.
  Value infinity = b.splatLike(kInfinity, magnitude);
  Value isFinite = compare(arith::CmpFPredicate::OLT, magnitude, infinity, b);
  return b.reduceAll(ReduceKind::Max,
                     b.select(isFinite, b.splatLike(0, magnitude), infinity));
}

Values SquareSums::decompose(FiniteGuardOp op, PrimitiveBuilder &b) {
  SmallVector<Value> all =
      llvm::map_to_vector(op.getInputs(), [&](Value input) -> Value {
        // What is finite where its square is not is sound for whoever does not
        // square it: a loss, the gradient of an SGD.
        if (sums.contains(input) || train::isSquared(input))
          return get(input, b);
        return markNotFinite(input, b);
      });
  size_t last = (all.size() - 1) / kMaxSums * kMaxSums;
  ArrayRef<Value> rest = all;
  Value first = findFirst(rest.drop_front(last), rest.size() - last, b);
  // From the last to the first, so that where sums stand is no part of their
  // kernels: what is behind them counts on from them.
  for (rest = rest.take_front(last); !rest.empty();
       rest = rest.drop_back(kMaxSums))
    first = b.create<arith::MinimumFOp>(
        findFirst(rest.take_back(kMaxSums), kInfinity, b),
        b.add(first, b.splat(kMaxSums, {})));
  return {compare(arith::CmpFPredicate::OEQ, first, b.splat(all.size(), {}), b),
          first};
}

Values prec::decompose(UpdateLossScaleOp op, PrimitiveBuilder &b) {
  auto scaled = [&](const llvm::APFloat &factor) {
    return b.mul(op.getScale(), b.splat(factor.convertToFloat(), {}));
  };
  Value larger = b.create<arith::MinimumFOp>(scaled(op.getGrowth()),
                                             b.splat(kLargestScale, {}));
  // One that began below the smallest stays as it is.
  Value smallest =
      b.create<arith::MinimumFOp>(op.getScale(), b.splat(kSmallestScale, {}));
  Value smaller =
      b.create<arith::MaximumFOp>(scaled(op.getBackoff()), smallest);
  Value zero = b.splat(0, {});
  Value count = b.add(op.getGoodSteps(), b.splat(1, {}));
  Value isDue = compare(arith::CmpFPredicate::OGE, count,
                        b.splat(op.getInterval(), {}), b);
  Value scale =
      b.select(op.getFinite(), b.select(isDue, larger, op.getScale()), smaller);
  Value good = b.select(op.getFinite(), b.select(isDue, zero, count), zero);
  return {scale, good};
}
