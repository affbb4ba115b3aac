//===- Quantization.cpp - scaling to FP8 and FP4 --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Quantization.h"
#include "prec/Numerics/FloatFormat.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;

double prec::getSaturationRatio(Format format) {
  const FloatFormat *numbers = findFloatFormat(stringifyFormat(format));
  double largest = numbers->maxFinite;
  return (largest + numbers->getUlp(largest) / 2) / largest;
}

Value prec::createAmax(OpBuilder &builder, Location loc, Value value,
                       Scaling scaling) {
  auto type = cast<RankedTensorType>(value.getType());
  return AmaxOp::create(builder, loc, getScaleType(type, scaling), value,
                        /*nan_is_infinite=*/isMicro(scaling),
                        getGranularity(scaling));
}

Value prec::createWeightAmax(OpBuilder &builder, Location loc, Value matrix,
                             const ScaleRule &rule) {
  Value amax = createAmax(builder, loc, matrix, rule.scaling);
  if (!rule.hasSquareBlocks())
    return amax;
  auto type = cast<RankedTensorType>(amax.getType());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1),
          side = traitsOf(rule.scaling).columns;
  RankedTensorType blocks = type.clone({rows / side, side, columns});
  SmallVector<ReassociationIndices> split = {{0, 1}, {2}};
  amax = tensor::ExpandShapeOp::create(builder, loc, blocks, amax, split);
  amax = train::ReduceOp::create(
      builder, loc, type.clone({rows / side, columns}), train::ReduceKind::Max,
      amax, ArrayRef<int64_t>{1});
  amax = train::BroadcastOp::create(builder, loc, blocks, amax,
                                    ArrayRef<int64_t>{0, 2});
  return tensor::CollapseShapeOp::create(builder, loc, type, amax, split);
}

Scale prec::createScale(OpBuilder &builder, Location loc, Value amax,
                        Format format, const ScaleRule &rule,
                        Value tensorScale) {
  auto type = cast<RankedTensorType>(amax.getType());
  RankedTensorType scaleInvs = getScaleInvsOf(type, rule.scaling);
  if (isMicro(rule.scaling)) {
    auto op = BlockScaleOp::create(
        builder, loc, type, scaleInvs, amax, tensorScale, format,
        isFp8(format) && rule.microscaling.getRoundUp(), rule.scaling);
    return {op.getScale(), op.getScaleInv()};
  }
  APFloat epsilon(static_cast<float>(rule.epsilon.getValueAsDouble()));
  int64_t margin = rule.options.getMargin();
  bool powerOfTwo = rule.options.getPowerOfTwo();
  if (rule.history) {
    auto op = DelayedScaleOp::create(builder, loc, type, type, amax,
                                     rule.history, rule.firstAmax, format,
                                     epsilon, margin, powerOfTwo);
    return {op.getScale(), op.getScaleInv()};
  }
  auto op = UpdateScaleOp::create(builder, loc, type, scaleInvs, amax,
                                  getGranularity(rule.scaling), format, epsilon,
                                  margin, powerOfTwo);
  return {op.getScale(), op.getScaleInv()};
}

Scale prec::createTensorScale(OpBuilder &builder, Location loc, Value amax,
                              Format format, const ScaleRule &rule) {
  ScaleRule ofTensor = rule;
  ofTensor.scaling = Scaling::TensorCurrent;
  return createScale(builder, loc, amax, format, ofTensor);
}

Value prec::createQuantize(OpBuilder &builder, Location loc, Value value,
                           Value scale, Format format, Scaling scaling,
                           Randomness randomness) {
  auto type = cast<RankedTensorType>(value.getType());
  return QuantizeOp::create(
      builder, loc, type.clone(getElementType(type.getContext(), format)),
      value, scale, randomness.seed,
      builder.getI32IntegerAttr(randomness.stream),
      ScalingAttr::get(builder.getContext(), scaling));
}

Value prec::createTranspose(OpBuilder &builder, Location loc, Value matrix) {
  auto type = cast<RankedTensorType>(matrix.getType());
  auto transposed = RankedTensorType::get(
      {type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  return train::TransposeOp::create(builder, loc, transposed, matrix,
                                    ArrayRef<int64_t>{1, 0});
}

bool prec::isContractedLast(train::MatmulOp op, unsigned index) {
  return index == 0 ? !op.getTransposeA() : op.getTransposeB();
}

void prec::flipTranspose(train::MatmulOp op, unsigned index) {
  if (index == 0)
    op.setTransposeA(!op.getTransposeA());
  else
    op.setTransposeB(!op.getTransposeB());
}
