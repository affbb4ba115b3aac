//===- DecomposeMicroscaling.cpp - scales of few bits, and packed FP4 -----===//
#include "Decompose.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::prec;

static Value getNan(ArrayRef<int64_t> shape, PrimitiveBuilder &b) {
  return b.splat(std::numeric_limits<float>::quiet_NaN(), shape);
}

/// An i32 constant of the shape of `like`.
static Value splatIntLike(int64_t value, Value like, PrimitiveBuilder &b) {
  return b.splatInt(value, shapeOf(like));
}

// The exponent field of an amax, 127 more than its logarithm rounded down, is
// the exponent field of its power of two in e8m0, too. That of a subnormal is
// 0, and less is clamped to it anyway.
static Values getMxScales(BlockScaleOp op, PrimitiveBuilder &b) {
  Value amax = op.getAmax();
  RankedTensorType type = tensorType(amax);
  auto withElement = [&](Type element) { return type.clone(element); };
  MLIRContext *context = op.getContext();
  Value field = b.create<arith::ShRUIOp>(
      b.create<arith::BitcastOp>(withElement(IntegerType::get(context, 32)),
                                 amax),
      splatIntLike(23, amax, b));
  Value isInfinite = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, field,
                                             splatIntLike(255, amax, b));
  int64_t largest = std::ilogb(getMaxFinite(op.getFormat()));
  Value code = b.create<arith::MaxSIOp>(
      b.create<arith::SubIOp>(field, splatIntLike(largest, amax, b)),
      splatIntLike(0, amax, b));
  // Never subnormal: the largest code is 254 - emax.
  Value inverse = b.create<arith::ShLIOp>(
      b.create<arith::SubIOp>(splatIntLike(254, amax, b), code),
      splatIntLike(23, amax, b));
  Value scale = b.select(isInfinite, getNan(type.getShape(), b),
                         b.create<arith::BitcastOp>(type, inverse));
  Value stored = b.create<arith::TruncIOp>(
      withElement(IntegerType::get(context, 8)),
      b.select(isInfinite, splatIntLike(255, amax, b), code));
  return {scale,
          b.create<arith::BitcastOp>(op.getDequantisation().getType(), stored)};
}

static Values getNvfp4Scales(BlockScaleOp op, PrimitiveBuilder &b) {
  Value amax = op.getAmax();
  ArrayRef<int64_t> shape = shapeOf(amax);
  Value ofTensor = b.broadcastRows(op.getTensorScale(), shape);
  Value exact = b.mul(b.div(amax, b.splat(getMaxFinite(op.getFormat()), shape)),
                      ofTensor);
  Value isInfinite = b.create<arith::CmpFOp>(
      arith::CmpFPredicate::OEQ, amax,
      b.splat(std::numeric_limits<float>::infinity(), shape));
  Value factor = b.roundTo(b.select(isInfinite, getNan(shape, b), exact),
                           op.getDequantisation());
  Value wide = b.toF32(factor);
  Value zero = b.splat(0, shape);
  Value isZero = b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, wide, zero);
  return {b.select(isZero, zero, b.div(ofTensor, wide)), factor};
}

Values prec::decompose(BlockScaleOp op, PrimitiveBuilder &b) {
  return op.getTensorScale() ? getNvfp4Scales(op, b) : getMxScales(op, b);
}

Type prec::getPackedType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isa<Float4E2M1FNType>(tensor.getElementType()))
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  shape.back() /= 2;
  return RankedTensorType::get(shape, IntegerType::get(type.getContext(), 8));
}

Value prec::packFp4(Value values, PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(values);
  MLIRContext *context = type.getContext();
  Type i32 = IntegerType::get(context, 32);
  Value bits = b.create<arith::ExtUIOp>(
      type.clone(i32), b.create<arith::BitcastOp>(
                           type.clone(IntegerType::get(context, 4)), values));
  auto packed = cast<RankedTensorType>(getPackedType(type));
  int64_t rank = type.getRank();
  SmallVector<int64_t> shape(packed.getShape());
  shape.push_back(2);
  SmallVector<ReassociationIndices> join;
  for (int64_t dim = 0; dim < rank; ++dim)
    join.push_back({dim});
  join.back().push_back(rank);
  Value pairs = b.create<tensor::ExpandShapeOp>(
      RankedTensorType::get(shape, i32), bits, join);
  auto getHalf = [&](int64_t half) {
    SmallVector<int64_t> offsets(rank + 1, 0), strides(rank + 1, 1),
        sizes(shape);
    offsets.back() = half;
    sizes.back() = 1;
    Value slice = b.create<tensor::ExtractSliceOp>(
        RankedTensorType::get(sizes, i32), pairs, ValueRange(), ValueRange(),
        ValueRange(), offsets, sizes, strides);
    return b.create<tensor::CollapseShapeOp>(packed.clone(i32), slice, join);
  };
  Value low = getHalf(0);
  Value high =
      b.create<arith::ShLIOp>(getHalf(1), b.splatInt(4, packed.getShape()));
  return b.create<arith::TruncIOp>(packed, b.create<arith::OrIOp>(low, high));
}
