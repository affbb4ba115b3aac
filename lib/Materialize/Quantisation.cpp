//===- Quantisation.cpp - scaling to FP8, the one way ---------------------===//
#include "Quantisation.h"

using namespace mlir;
using namespace mlir::prec;

FloatType prec::getElementType(MLIRContext *context, Format format) {
  Scaling scaling = isFp8(format) ? Scaling::TensorCurrent : Scaling::None;
  return TagAttr::get(context, format, scaling, Accumulator::Full, "type")
      .getElementType();
}

Value prec::createAmax(OpBuilder &builder, Location loc, Value value,
                       Scaling scaling) {
  auto type = cast<RankedTensorType>(value.getType());
  return AmaxOp::create(builder, loc, getScaleType(type, scaling), value);
}

Scale prec::createScale(OpBuilder &builder, Location loc, Value amax,
                        Format format, const ScaleRule &rule) {
  auto type = cast<RankedTensorType>(amax.getType());
  APFloat epsilon(static_cast<float>(rule.epsilon.getValueAsDouble()));
  int64_t margin = rule.options.getMargin();
  bool powerOfTwo = rule.options.getPowerOfTwo();
  if (rule.history) {
    auto op =
        DelayedScaleOp::create(builder, loc, type, type, amax, rule.history,
                               format, epsilon, margin, powerOfTwo);
    return {op.getScale(), op.getDequantisation()};
  }
  auto op = UpdateScaleOp::create(builder, loc, type,
                                  getFactorType(type, rule.scaling), amax,
                                  format, epsilon, margin, powerOfTwo);
  return {op.getScale(), op.getDequantisation()};
}

Value prec::createQuantize(OpBuilder &builder, Location loc, Value value,
                           Value scale, Format format) {
  auto type = cast<RankedTensorType>(value.getType());
  return QuantizeOp::create(
      builder, loc, type.clone(getElementType(type.getContext(), format)),
      value, scale);
}

Value prec::createTranspose(OpBuilder &builder, Location loc, Value matrix) {
  auto type = cast<RankedTensorType>(matrix.getType());
  auto transposed = RankedTensorType::get(
      {type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  return train::TransposeOp::create(builder, loc, transposed, matrix,
                                    ArrayRef<int64_t>{1, 0},
                                    /*result_tags=*/ArrayAttr(),
                                    /*operand_tags=*/ArrayAttr());
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
