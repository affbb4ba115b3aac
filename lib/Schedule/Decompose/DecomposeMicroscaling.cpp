//===- DecomposeMicroscaling.cpp - scales of few bits, and packed FP4 -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/Decompose.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;

static Value getNan(ArrayRef<int64_t> shape, PrimitiveBuilder &b) {
  return b.splat(std::numeric_limits<float>::quiet_NaN(), shape);
}

/// An i32 constant of the shape of `like`.
static Value splatIntLike(int64_t value, Value like, PrimitiveBuilder &b) {
  return b.splatInt(value, shapeOf(like));
}

/// Inverse scales row by row, as the operation's result has them. They are
/// moved as bytes, for e8m0 has no zero to fill a tile with.
static Value tileBytes(BlockScaleOp op, Value bytes, PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(op.getScaleInv());
  RankedTensorType tiles = type.clone(tensorType(bytes).getElementType());
  return b.create<arith::BitcastOp>(
      type, layOutScaleInvs(bytes, traitsOf(op.getScaling()).layout, tiles, b));
}

// The exponent field of an amax, 127 more than its logarithm rounded down, is
// the exponent field of its power of two in e8m0, too. That of a subnormal is
// 0, and less is clamped to it anyway. An amax whose fraction is above that of
// the largest finite value, 1.75 times a power of two in both formats, needs
// the next one where nothing may saturate.
static Values getMxScales(BlockScaleOp op, PrimitiveBuilder &b) {
  Value amax = op.getAmax();
  RankedTensorType type = tensorType(amax);
  auto withElement = [&](Type element) { return type.clone(element); };
  MLIRContext *context = op.getContext();
  Value bits = b.create<arith::BitcastOp>(
      withElement(IntegerType::get(context, 32)), amax);
  Value isInfinite = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, bits,
                                             splatIntLike(0x7f800000, amax, b));
  constexpr int64_t aboveLargestFraction = 0x800000 - 0x600001;
  if (op.getRoundUp())
    bits = b.create<arith::AddIOp>(bits,
                                   splatIntLike(aboveLargestFraction, amax, b));
  Value field = b.create<arith::ShRUIOp>(bits, splatIntLike(23, amax, b));
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
  return {scale, tileBytes(op, stored, b)};
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
  Value scaleInv = b.roundTo(b.select(isInfinite, getNan(shape, b), exact),
                             op.getScaleInv());
  Value bytes = b.create<arith::BitcastOp>(
      tensorType(amax).clone(IntegerType::get(op.getContext(), 8)), scaleInv);
  Value wide = b.toF32(scaleInv);
  Value zero = b.splat(0, shape);
  Value isZero = b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, wide, zero);
  return {b.select(isZero, zero, b.div(ofTensor, wide)),
          tileBytes(op, bytes, b)};
}

/// `shape` with its last dimension in groups of the transform, and `inner`.
static SmallVector<int64_t> inGroups(ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> inner) {
  SmallVector<int64_t> result(shape);
  result.back() /= kHadamardGroup;
  llvm::append_range(result, inner);
  return result;
}

/// The sign bits of the transform: of `s[i] * (-1)^popcount(i & j)`, with j and
/// i the last two dimensions of `shape`.
static Value getHadamardSigns(ArrayRef<int64_t> shape, PrimitiveBuilder &b) {
  // Bit i is set where Transformer Engine's sign i is negative.
  constexpr int64_t negative = 0b1101'0111'1110'1000;
  auto constant = [&](int64_t value) { return b.splatInt(value, shape); };
  auto shift = [&](Value value, int64_t bits) {
    return b.create<arith::ShRUIOp>(value, constant(bits));
  };
  int64_t rank = static_cast<int64_t>(shape.size());
  Value i = b.iota(rank - 1, shape), j = b.iota(rank - 2, shape);
  Value parity = b.create<arith::AndIOp>(i, j);
  for (int64_t bits : {2, 1})
    parity = b.create<arith::XOrIOp>(parity, shift(parity, bits));
  Value drawn = b.create<arith::ShRUIOp>(constant(negative), i);
  Value sign = b.create<arith::XOrIOp>(parity, drawn);
  return b.create<arith::ShLIOp>(sign, constant(31));
}

Values prec::decompose(HadamardOp op, PrimitiveBuilder &b) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  int64_t rank = static_cast<int64_t>(shape.size());
  SmallVector<ReassociationIndices> join;
  for (int64_t dim = 0; dim < rank; ++dim)
    join.push_back({dim});
  join.back().push_back(rank);
  Value x = b.toF32(op.getInput());
  RankedTensorType type = tensorType(x);
  RankedTensorType groups = type.clone(inGroups(shape, {kHadamardGroup}));
  x = b.create<tensor::ExpandShapeOp>(groups, x, join);
  SmallVector<int64_t> pairs =
      inGroups(shape, {kHadamardGroup, kHadamardGroup});
  SmallVector<int64_t> kept = llvm::to_vector(llvm::seq<int64_t>(0, rank + 2));
  kept.erase(kept.begin() + rank);
  x = b.broadcast(x, kept, pairs);
  Type i32 = IntegerType::get(op.getContext(), 32);
  RankedTensorType wide = tensorType(x);
  Value bits = b.create<arith::BitcastOp>(wide.clone(i32), x);
  bits = b.create<arith::XOrIOp>(bits, getHadamardSigns(pairs, b));
  Value sums = b.reduceRows(train::ReduceKind::Sum,
                            b.create<arith::BitcastOp>(wide, bits));
  Value y = b.mul(sums, b.splat(0.25, groups.getShape()));
  y = b.create<tensor::CollapseShapeOp>(type, y, join);
  return {b.roundTo(y, op.getResult())};
}

Values prec::decompose(BlockScaleOp op, PrimitiveBuilder &b) {
  switch (traitsOf(op.getScaling()).format) {
  case ScaleFormat::F8E8M0FNU:
    return getMxScales(op, b);
  case ScaleFormat::F8E4M3FN:
    return getNvfp4Scales(op, b);
  case ScaleFormat::F32:
    break;
  }
  llvm_unreachable("verified");
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
