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

/// The scaling of what `getGroupedView` makes of rank 3.
static Scaling getViewScaling(RankedTensorType type, Scaling scaling) {
  return type.getRank() == 3 && isTensorScaling(scaling)
             ? Scaling::Row
             : getGranularity(scaling);
}

static SmallVector<ReassociationIndices> getViewReassociation(Scaling scaling) {
  if (isTensorScaling(scaling))
    return {{0}, {1, 2}};
  return {{0, 1}, {2}};
}

/// Matrices of experts as one of which scales are rows or blocks; any other
/// value as it is.
static Value getView(OpBuilder &builder, Location loc, Value value,
                     Scaling scaling) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() != 3)
    return value;
  return tensor::CollapseShapeOp::create(builder, loc,
                                         getGroupedView(type, scaling), value,
                                         getViewReassociation(scaling));
}

Value prec::createAmax(OpBuilder &builder, Location loc, Value value,
                       Scaling scaling) {
  Scaling own =
      getViewScaling(cast<RankedTensorType>(value.getType()), scaling);
  value = getView(builder, loc, value, scaling);
  auto type = cast<RankedTensorType>(value.getType());
  return AmaxOp::create(builder, loc, getScaleType(type, own), value,
                        /*nan_is_infinite=*/isMicro(own), own);
}

Value prec::createTensorAmax(OpBuilder &builder, Location loc, Value value) {
  auto type = RankedTensorType::get({}, builder.getF32Type());
  return AmaxOp::create(builder, loc, type, value, /*nan_is_infinite=*/false,
                        Scaling::TensorCurrent);
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
  // One of each expert.
  Scaling scaling = isTensorScaling(rule.scaling) && type.getRank() == 1
                        ? Scaling::Row
                        : getGranularity(rule.scaling);
  auto op = UpdateScaleOp::create(builder, loc, type, scaleInvs, amax, scaling,
                                  format, epsilon, margin, powerOfTwo);
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
  auto whole = cast<RankedTensorType>(value.getType());
  if (whole.getRank() == 3) {
    value = getView(builder, loc, value, scaling);
    Value data = createQuantize(builder, loc, value, scale, format,
                                getViewScaling(whole, scaling), randomness);
    return tensor::ExpandShapeOp::create(
        builder, loc, whole.clone(getElementType(whole.getContext(), format)),
        data, getViewReassociation(scaling));
  }
  auto type = cast<RankedTensorType>(value.getType());
  return QuantizeOp::create(
      builder, loc, type.clone(getElementType(type.getContext(), format)),
      value, scale, randomness.seed,
      builder.getI32IntegerAttr(randomness.stream),
      ScalingAttr::get(builder.getContext(), scaling));
}

Value prec::createTranspose(OpBuilder &builder, Location loc, Value matrix) {
  auto type = cast<RankedTensorType>(matrix.getType());
  SmallVector<int64_t> shape(type.getShape()),
      order = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::swap(shape.end()[-2], shape.end()[-1]);
  std::swap(order.end()[-2], order.end()[-1]);
  return train::TransposeOp::create(builder, loc, type.clone(shape), matrix,
                                    order);
}

bool prec::isContractedLast(train::MatmulOp op, unsigned index) {
  return index == 0 ? !op.getTransposeA() : op.getTransposeB();
}

void prec::flipTranspose(Operation *user, unsigned index) {
  if (auto grouped = dyn_cast<train::GroupedMatmulOp>(user))
    return grouped.setTransposeB(!grouped.getTransposeB());
  auto op = cast<train::MatmulOp>(user);
  if (index == 0)
    op.setTransposeA(!op.getTransposeA());
  else
    op.setTransposeB(!op.getTransposeB());
}
