//===- PrecPrecision.cpp - numeric structure of prec operations -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Prec/Prec.h"

using namespace mlir;
using namespace prec;

Structure QuantizeOp::getStructure() { return Structure::Elementwise; }

Structure DequantizeOp::getStructure() { return Structure::Elementwise; }

Structure ScaledMatmulOp::getStructure() { return Structure::Contraction; }
ContractionShape ScaledMatmulOp::getContractionShape() {
  auto lhs = getUnpackedType(cast<RankedTensorType>(getLhs().getType()));
  auto result = cast<RankedTensorType>(getResult().getType());
  return {result.getDimSize(0), result.getDimSize(1), lhs.getDimSize(1), 1};
}
int64_t ScaledMatmulOp::getAccumulationLength() {
  return getContractionShape().k;
}
double ScaledMatmulOp::getFlops() {
  ContractionShape shape = getContractionShape();
  return 2.0 * double(shape.m) * double(shape.n) * double(shape.k);
}
