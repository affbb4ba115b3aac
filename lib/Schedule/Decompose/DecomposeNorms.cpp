//===- DecomposeNorms.cpp - rms_norm and layer_norm -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/Decompose.h"

using namespace mlir;
using namespace prec;
using train::ReduceKind;

Values prec::decompose(train::RmsNormOp op, PrimitiveBuilder &b) {
  Value x = b.toF32(op.getInput());
  Value meanSquare = b.meanRows(b.mul(x, x));
  Value eps = b.splatLike(op.getEps().convertToFloat(), meanSquare);
  Value rstd = b.create<math::RsqrtOp>(b.add(meanSquare, eps));
  Value normalized = b.mul(x, b.broadcastRows(rstd, shapeOf(x)));
  Value gamma = b.broadcastColumns(b.toF32(op.getGamma()), shapeOf(x));
  Value result = b.mul(normalized, gamma);
  return {b.roundTo(result, op.getResult()), b.roundTo(rstd, op.getRstd())};
}

Values prec::decompose(train::RmsNormGradOp op, PrimitiveBuilder &b) {
  Value grad = b.toF32(op.getGrad());
  Value x = b.toF32(op.getInput());
  ArrayRef<int64_t> shape = shapeOf(x);
  Value gamma = b.broadcastColumns(b.toF32(op.getGamma()), shape);
  Value rstd = b.broadcastRows(b.toF32(op.getRstd()), shape);
  Value h = b.mul(grad, gamma);
  Value n = b.mul(x, rstd);
  Value mean = b.broadcastRows(b.meanRows(b.mul(h, n)), shape);
  Value gradInput = b.mul(rstd, b.sub(h, b.mul(n, mean)));
  Value gradGamma = b.reduceColumns(ReduceKind::Sum, b.mul(grad, n));
  return {b.roundTo(gradInput, op.getGradInput()),
          b.roundTo(gradGamma, op.getGradGamma())};
}

Values prec::decompose(train::LayerNormOp op, PrimitiveBuilder &b) {
  Value x = b.toF32(op.getInput());
  ArrayRef<int64_t> shape = shapeOf(x);
  Value mean = b.meanRows(x);
  Value centered = b.sub(x, b.broadcastRows(mean, shape));
  Value variance = b.meanRows(b.mul(centered, centered));
  Value eps = b.splatLike(op.getEps().convertToFloat(), variance);
  Value rstd = b.create<math::RsqrtOp>(b.add(variance, eps));
  Value normalized = b.mul(centered, b.broadcastRows(rstd, shape));
  Value gamma = b.broadcastColumns(b.toF32(op.getGamma()), shape);
  Value beta = b.broadcastColumns(b.toF32(op.getBeta()), shape);
  Value result = b.add(b.mul(normalized, gamma), beta);
  return {b.roundTo(result, op.getResult()), b.roundTo(mean, op.getMean()),
          b.roundTo(rstd, op.getRstd())};
}

Values prec::decompose(train::LayerNormGradOp op, PrimitiveBuilder &b) {
  Value grad = b.toF32(op.getGrad());
  Value x = b.toF32(op.getInput());
  ArrayRef<int64_t> shape = shapeOf(x);
  Value gamma = b.broadcastColumns(b.toF32(op.getGamma()), shape);
  Value mean = b.broadcastRows(b.toF32(op.getMean()), shape);
  Value rstd = b.broadcastRows(b.toF32(op.getRstd()), shape);
  Value h = b.mul(grad, gamma);
  Value n = b.mul(b.sub(x, mean), rstd);
  Value meanH = b.broadcastRows(b.meanRows(h), shape);
  Value meanHn = b.broadcastRows(b.meanRows(b.mul(h, n)), shape);
  Value centered = b.sub(h, meanH);
  Value gradInput = b.mul(rstd, b.sub(centered, b.mul(n, meanHn)));
  Value gradGamma = b.reduceColumns(ReduceKind::Sum, b.mul(grad, n));
  Value gradBeta = b.reduceColumns(ReduceKind::Sum, grad);
  return {b.roundTo(gradInput, op.getGradInput()),
          b.roundTo(gradGamma, op.getGradGamma()),
          b.roundTo(gradBeta, op.getGradBeta())};
}
