//===- DecomposeQuantization.cpp - amax and scales ------------------------===//
#include "Decompose.h"

using namespace mlir;
using namespace mlir::prec;

/// Smallest amax that a scale is made for, so that zeros get a finite scale.
static constexpr double kAmaxEpsilon = 1e-12;

Values prec::decompose(AmaxOp op, PrimitiveBuilder &b) {
  Value magnitude = b.create<math::AbsFOp>(b.toF32(op.getInput()));
  Value largest = b.reduceAll(train::ReduceKind::Max, magnitude);
  // Also where there is nothing but NaN.
  return {b.create<arith::MaxNumFOp>(largest, b.splat(0, {}))};
}

Values prec::decompose(UpdateScaleOp op, PrimitiveBuilder &b) {
  Value bounded =
      b.create<arith::MaximumFOp>(op.getAmax(), b.splat(kAmaxEpsilon, {}));
  Value scale = b.div(b.splat(getMaxFinite(op.getFormat()), {}), bounded);
  return {scale, b.div(b.splat(1, {}), scale)};
}
