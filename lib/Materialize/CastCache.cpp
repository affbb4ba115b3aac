//===- CastCache.cpp - one cast a value and format ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes each cast, amax, scale, quantization and transposed copy once, at its
// first use, and gives it to all later readers. The key is the origin of a
// value, which is what it is a reshape of, and the format or scaling. Uses must
// come in block order; then the first use is in front of all others. What was
// widened from a format is narrowed to it by taking the value itself, so there
// are no round trips. F16 and BF16 are converted by way of f32. A transposed
// operand with one scale for the tensor is the transpose of the quantized
// matrix, with the same bits; one with scales of rows or blocks is quantized by
// itself, since its blocks are others.
//
//===----------------------------------------------------------------------===//
#include "Materialize/CastCache.h"

#include "prec/Dialect/Prec/Describe.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace prec;

bool prec::isOtherHalf(Type from, Type to) {
  return from != to && from.getIntOrFloatBitWidth() == 16 &&
         to.getIntOrFloatBitWidth() == 16;
}

/// Rounds a constant at compile time; null if its elements are not at hand.
static DenseElementsAttr convertConstant(Attribute value,
                                         RankedTensorType type) {
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
    if (DenseElementsAttr rounded =
            convertConstant(constant.getValue(), type)) {
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

/// The reshape `view` of its source in another format.
Value CastCache::createView(Operation *view, Type elementType,
                            Operation *user) {
  Value source = convert(view->getOperand(0), elementType, user);
  builder.setInsertionPoint(user);
  Operation *copy = builder.clone(*view);
  copy->setOperand(0, source);
  Value result = copy->getResult(0);
  result.setType(cast<RankedTensorType>(result.getType()).clone(elementType));
  return result;
}

Value CastCache::convert(Value value, Type elementType, Operation *user) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == elementType)
    return value;
  // f16 and bf16 hold nothing of each other's range: by way of f32.
  if (isOtherHalf(type.getElementType(), elementType))
    return convert(convert(value, builder.getF32Type(), user), elementType,
                   user);
  RankedTensorType wanted = type.clone(elementType);
  std::pair<Value, Type> key(getOrigin(value), wanted);
  if (Value known = conversions.lookup(key))
    return known;
  Value converted;
  // Narrowing what was widened gives the value itself: no round trip.
  auto extension = key.first.getDefiningOp<arith::ExtFOp>();
  if (!extension ||
      getElementTypeOrSelf(extension.getIn().getType()) != elementType)
    converted = createConversion(value, wanted, user);
  else if (value == key.first)
    converted = extension.getIn();
  else
    converted = createView(value.getDefiningOp(), elementType, user);
  conversions[key] = converted;
  return converted;
}

Value CastCache::getOrigin(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isReshape(op))
    return value;
  Value source = op->getOperand(0);
  Value known = origins.lookup(value);
  if (!known)
    known = origins[value] = getOrigin(source);
  return known;
}

/// What a history is called: where the tensor is first read, and as what.
static std::string getHistoryName(Operation *user, StringRef kind) {
  auto location = dyn_cast<NameLoc>(user->getLoc());
  return ((location ? location.getName().getValue() : "") + "/" + kind).str();
}

/// Gradients are what the backward computes.
static bool isGradient(Value origin) {
  Operation *producer = origin.getDefiningOp();
  return producer && train::getPhase(producer) == train::Phase::Backward;
}

ScaleRule CastCache::getRule(Value origin, Scaling scaling, Operation *user) {
  AmaxAttr options = getAmaxOptions(user);
  bool ofGradient = isGradient(origin);
  ScaleRule rule{scaling, options,
                 ofGradient ? options.getGradient() : options.getActivation(),
                 StringAttr(), getMicroscaling(user)};
  if (scaling == Scaling::TensorDelayed) {
    std::string name =
        getHistoryName(user, ofGradient ? "gradient" : "activation");
    if (unsigned count = histories[name]++)
      name += "." + std::to_string(count);
    rule.history = builder.getStringAttr(name);
    if (ofGradient)
      rule.firstAmax = builder.getF32FloatAttr(kFirstGradientAmax);
  }
  return rule;
}

Value CastCache::getAmax(Value matrix, Scaling scaling, Operation *user,
                         bool ofAll) {
  auto type = cast<RankedTensorType>(matrix.getType());
  // Reshapes have the amax of a tensor in common.
  Value &amax = amaxes[{getOrigin(matrix), isFine(scaling) ? type : Type(),
                        static_cast<unsigned>(getGranularity(scaling))}];
  if (!amax) {
    amax = ofAll ? createTensorAmax(builder, user->getLoc(), matrix)
                 : createAmax(builder, user->getLoc(), matrix, scaling);
    train::copyProvenance(user, amax.getDefiningOp());
  }
  return amax;
}

Scale CastCache::getTensorScale(Value whole, Value origin, Format format,
                                Scaling scaling, Operation *user) {
  Scale &scale = tensorScales[{whole, format}];
  if (!scale.scale) {
    // Around blocks, which groups do not have.
    Value amax = getAmax(whole, Scaling::TensorCurrent, user, /*ofAll=*/true);
    scale = createTensorScale(builder, user->getLoc(), amax, format,
                              getRule(origin, scaling, user));
    train::copyProvenance(user, scale.scale.getDefiningOp());
  }
  return scale;
}

ScaledOperand CastCache::quantizeDirectly(Value matrix, Value whole,
                                          Value origin, TagAttr tag,
                                          Operation *user, Operation *place) {
  auto type = cast<RankedTensorType>(matrix.getType());
  Format format = tag.getFormat();
  Scaling scaling = tag.getScaling();
  Type elementType = getElementType(type.getContext(), format);
  builder.setInsertionPoint(place ? place : user);

  Value amax = getAmax(matrix, scaling, user);
  Scale ofTensor;
  if (hasTensorScale(scaling))
    ofTensor = getTensorScale(whole, origin, format, scaling, user);
  Scale &scale = scales[{amax, elementType, static_cast<unsigned>(scaling)}];
  if (!scale.scale) {
    scale = createScale(builder, user->getLoc(), amax, format,
                        getRule(origin, scaling, user), ofTensor.scale);
    train::copyProvenance(user, scale.scale.getDefiningOp());
  }
  Value &data = quantized[{scale.scale, type.clone(elementType)}];
  if (!data) {
    data = createQuantize(builder, user->getLoc(), matrix, scale.scale, format,
                          scaling, getRandomness(origin, tag, user));
    train::copyProvenance(user, data.getDefiningOp());
  }
  return {data, {scale.scaleInv, ofTensor.scaleInv}};
}

Value CastCache::getTransposed(Value matrix, Operation *user) {
  Value &copy = transposes[{getOrigin(matrix), matrix.getType()}];
  if (!copy) {
    copy = createTranspose(builder, user->getLoc(), matrix);
    train::copyProvenance(user, copy.getDefiningOp());
  }
  return copy;
}

Value CastCache::transpose(Value data, Operation *user) {
  builder.setInsertionPoint(user);
  return getTransposed(data, user);
}

Randomness CastCache::getRandomness(Value origin, TagAttr tag,
                                    Operation *user) {
  if (!isOfFp4(tag.getScaling()) || !isGradient(origin) ||
      !getMicroscaling(user).getStochasticGradients())
    return {};
  return {seed, nextStream++};
}

Value CastCache::getTransformed(Value matrix, Operation *user) {
  Value &result = transformed[matrix];
  if (!result) {
    result =
        HadamardOp::create(builder, user->getLoc(), matrix.getType(), matrix);
    train::copyProvenance(user, result.getDefiningOp());
  }
  return result;
}

ScaledOperand CastCache::quantize(Value matrix, TagAttr tag, bool transposed,
                                  bool hadamard, Operation *user) {
  Value origin = getOrigin(matrix);
  if (hadamard || (transposed && isFine(tag.getScaling()))) {
    builder.setInsertionPoint(user);
    if (transposed)
      matrix = getTransposed(matrix, user);
    if (!hadamard)
      return quantizeDirectly(matrix, origin, origin, tag, user);
    matrix = getTransformed(matrix, user);
    return quantizeDirectly(matrix, matrix, origin, tag, user);
  }
  ScaledOperand operand = quantizeDirectly(matrix, origin, origin, tag, user);
  if (transposed) {
    // Beside the quantization, whoever asks first: both layouts come from one
    // read, and the direct copy need not outlive its own uses.
    builder.setInsertionPointAfterValue(operand.data);
    operand.data = getTransposed(operand.data, operand.data.getDefiningOp());
  }
  return operand;
}
