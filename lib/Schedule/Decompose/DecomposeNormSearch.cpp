//===- DecomposeNormSearch.cpp - updates that keep their norm -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/DecomposeUpdate.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace prec;

namespace {

/// What a search for alpha reads and knows; all scalars but parameter and
/// update.
class NormSearch {
public:
  NormSearch(PrecisionAwareUpdateOp op, PrimitiveBuilder &b)
      : op(op), b(b), parameter(b.toF32(op.getParameter())),
        meant(getNorm(op.getUpdate())) {}

  Value run();

private:
  Value getNorm(Value tensor) {
    return b.create<math::SqrtOp>(
        b.reduceAll(train::ReduceKind::Sum, b.mul(tensor, tensor)));
  }
  Value isBelow(Value lhs, Value rhs) {
    return b.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, lhs, rhs);
  }
  /// parameter + alpha * update
  Value move(Value alpha) {
    Value scaled =
        b.mul(b.broadcastRows(alpha, shapeOf(op.getUpdate())), op.getUpdate());
    return b.add(parameter, scaled);
  }
  Value round(Value moved) { return b.roundTo(moved, op.getResult()); }
  /// An alpha with which no less lands than was meant.
  Value getUpperBound();

  PrecisionAwareUpdateOp op;
  PrimitiveBuilder &b;
  Value parameter, meant;
};

} // namespace

Value NormSearch::getUpperBound() {
  RankedTensorType type = tensorType(op.getParameter());
  const llvm::fltSemantics &format =
      cast<FloatType>(type.getElementType()).getFloatSemantics();
  double roundoff =
      std::ldexp(1.0, -int(llvm::APFloat::semanticsPrecision(format)));
  double halfSmallest =
      llvm::APFloat::getSmallest(format).convertToDouble() / 2;
  double small = halfSmallest * std::sqrt(double(type.getNumElements()));
  Value lost = b.mul(getNorm(parameter), b.splat(roundoff, {}));
  lost = b.add(lost, b.splat(small, {}));
  Value kept = b.mul(meant, b.splat(1 - roundoff, {}));
  return b.div(b.add(meant, lost), kept);
}

Value NormSearch::run() {
  Value low = b.splat(0.5, {}), high = getUpperBound(), alpha = b.splat(1, {});
  Value goodEnough =
      b.mul(meant, b.splat(op.getTolerance().convertToFloat(), {}));
  Value best = alpha;
  Value error = b.splat(std::numeric_limits<float>::infinity(), {});
  int64_t iterations = static_cast<int64_t>(op.getIterations());
  for (int64_t i = 0; i < iterations; ++i) {
    Value landed = getNorm(b.sub(b.toF32(round(move(alpha))), parameter));
    Value distance = b.create<math::AbsFOp>(b.sub(landed, meant));
    // Nothing is nearer than what is good enough.
    Value toBeat = b.select(isBelow(goodEnough, error), error, b.splat(0, {}));
    Value isBetter = isBelow(distance, toBeat);
    best = b.select(isBetter, alpha, best);
    error = b.select(isBetter, distance, error);
    Value isTooLittle = isBelow(landed, meant);
    low = b.select(isTooLittle, alpha, low);
    high = b.select(isTooLittle, high, alpha);
    alpha = b.create<math::SqrtOp>(b.mul(low, high));
  }
  Value moved = move(best);
  Value isGood = isWritable(b.create<math::AbsFOp>(moved), op.getResult(), b);
  return round(b.select(isGood, moved, parameter));
}

Values prec::decompose(PrecisionAwareUpdateOp op, PrimitiveBuilder &b) {
  return {NormSearch(op, b).run()};
}
