//===- CastCache.cpp - one cast a value and format ------------------------===//
#include "CastCache.h"

#include "Quantisation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::prec;

/// Rounds a constant at compile time; null if its elements are not at hand.
static DenseElementsAttr convertConstant(Attribute value, RankedTensorType type) {
  auto dense = dyn_cast<DenseFPElementsAttr>(value);
  if (!dense)
    return {};
  auto elementType = cast<FloatType>(type.getElementType());
  return dense.mapValues(elementType, [&](const APFloat &element) {
    APFloat rounded = element;
    bool losesInfo = false;
    rounded.convert(elementType.getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &losesInfo);
    return rounded.bitcastToAPInt();
  });
}

Value CastCache::createConversion(Value value, RankedTensorType type,
                                  Operation *user) {
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    if (DenseElementsAttr rounded = convertConstant(constant.getValue(), type)) {
      builder.setInsertionPointAfter(constant);
      return arith::ConstantOp::create(builder, constant.getLoc(), rounded);
    }
  builder.setInsertionPoint(user);
  Operation *cast;
  if (type.getElementTypeBitWidth() >
      getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth())
    cast = arith::ExtFOp::create(builder, user->getLoc(), type, value);
  else
    cast = arith::TruncFOp::create(builder, user->getLoc(), type, value);
  train::copyProvenance(user, cast);
  return cast->getResult(0);
}

Value CastCache::convert(Value value, Type elementType, Operation *user) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == elementType)
    return value;
  RankedTensorType wanted = type.clone(elementType);
  Value &known = conversions[{getOrigin(value), wanted}];
  if (known)
    return known;
  // Narrowing what was widened gives the value itself: no round trip.
  if (auto extension = value.getDefiningOp<arith::ExtFOp>())
    if (getElementTypeOrSelf(extension.getIn().getType()) == elementType)
      return known = extension.getIn();
  return known = createConversion(value, wanted, user);
}

Value CastCache::getOrigin(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    return value;
  Value source = op->getOperand(0);
  Value known = origins.lookup(value);
  if (!known)
    known = origins[value] = getOrigin(source);
  return known;
}

ScaledOperand CastCache::quantize(Value matrix, Format format, bool transposed,
                                  Operation *user) {
  auto type = cast<RankedTensorType>(matrix.getType());
  Type elementType = getElementType(type.getContext(), format);
  Value origin = getOrigin(matrix);
  builder.setInsertionPoint(user);

  Value &amax = amaxes[origin];
  if (!amax) {
    amax = createAmax(builder, user->getLoc(), matrix);
    train::copyProvenance(user, amax.getDefiningOp());
  }
  Scale &scale = scales[{amax, elementType}];
  if (!scale.scale) {
    UpdateScaleOp update = createScale(builder, user->getLoc(), amax, format);
    train::copyProvenance(user, update);
    scale = {update.getScale(), update.getDequantisation()};
  }
  Value &data = quantized[{origin, type.clone(elementType)}];
  if (!data) {
    data = createQuantize(builder, user->getLoc(), matrix, scale.scale, format);
    train::copyProvenance(user, data.getDefiningOp());
  }
  if (!transposed)
    return {data, scale.factor};

  Value &copy = transposes[data];
  if (!copy) {
    // Beside the quantisation, whoever asks first: both layouts come from one
    // read, and the direct copy need not outlive its own uses.
    builder.setInsertionPointAfterValue(data);
    copy = createTranspose(builder, data.getLoc(), data);
    train::copyProvenance(data.getDefiningOp(), copy.getDefiningOp());
  }
  return {copy, scale.factor};
}
