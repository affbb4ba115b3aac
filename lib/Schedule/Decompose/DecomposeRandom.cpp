//===- DecomposeRandom.cpp - random bits and what reads them --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Decompose/Decompose.h"

#include <cmath>

using namespace mlir;
using namespace prec;

namespace {

/// Arithmetic on i32 tensors of one shape.
struct Bits {
  PrimitiveBuilder &b;
  SmallVector<int64_t> shape;

  Value constant(int64_t value) { return b.splatInt(value, shape); }
  Value exclusiveOr(Value a, Value c) { return b.create<arith::XOrIOp>(a, c); }
  Value shiftRight(Value a, int64_t bits) {
    return b.create<arith::ShRUIOp>(a, constant(bits));
  }
  Value times(Value a, uint32_t factor) {
    return b.create<arith::MulIOp>(a, constant(static_cast<int32_t>(factor)));
  }
  Value mix(Value x) {
    x = exclusiveOr(x, shiftRight(x, 16));
    x = times(x, 0x21f0aaad);
    x = exclusiveOr(x, shiftRight(x, 15));
    x = times(x, 0xd35a2d97);
    return exclusiveOr(x, shiftRight(x, 15));
  }
};

} // namespace

static uint32_t mix(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x21f0aaad;
  x = (x ^ (x >> 15)) * 0xd35a2d97;
  return x ^ (x >> 15);
}

/// The number of an element in row-major order, modulo 2^32.
static Value getIndex(Bits &bits) {
  Value index;
  uint32_t stride = 1;
  for (size_t dim = bits.shape.size(); dim-- > 0;) {
    Value part =
        bits.times(bits.b.iota(static_cast<int64_t>(dim), bits.shape), stride);
    index = index ? bits.b.create<arith::AddIOp>(index, part) : part;
    stride *= static_cast<uint32_t>(bits.shape[dim]);
  }
  return index ? index : bits.constant(0);
}

Value RandomBits::getMixedSeed(Value seed, PrimitiveBuilder &b) {
  Value &mixed = mixedSeeds[seed];
  if (!mixed)
    mixed = Bits{b, {}}.mix(seed);
  return mixed;
}

Value RandomBits::get(Value seed, uint32_t stream, ArrayRef<int64_t> shape,
                      PrimitiveBuilder &b) {
  Bits bits{b, SmallVector<int64_t>(shape)};
  Value mixedStream = bits.constant(static_cast<int32_t>(mix(stream)));
  Value random = bits.mix(bits.exclusiveOr(getIndex(bits), mixedStream));
  Value mixedSeed = b.broadcastRows(getMixedSeed(seed, b), bits.shape);
  return bits.mix(bits.exclusiveOr(random, mixedSeed));
}

// The bits of a float count its values in order: adding less than an ulp to
// those that are cut off moves the rest up by one with the right probability.
Values RandomBits::decompose(StochasticRoundOp op, PrimitiveBuilder &b) {
  Bits bits{b, SmallVector<int64_t>(shapeOf(op.getInput()))};
  auto intType =
      RankedTensorType::get(bits.shape, IntegerType::get(op.getContext(), 32));
  Value random = get(op.getSeed(), op.getStream(), bits.shape, b);
  random = bits.shiftRight(random, 16);

  Value x = b.create<arith::BitcastOp>(intType, op.getInput());
  Value magnitude = b.create<arith::AndIOp>(x, bits.constant(0x7fffffff));
  Value sign = bits.exclusiveOr(x, magnitude);
  Value rounded = b.create<arith::AddIOp>(magnitude, random);
  rounded = b.create<arith::AndIOp>(rounded, bits.constant(0x7fff0000));
  // The largest finite value of bf16.
  rounded = b.create<arith::MinUIOp>(rounded, bits.constant(0x7f7f0000));
  rounded = b.create<arith::OrIOp>(rounded, sign);
  Value isFinite = b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, magnitude,
                                           bits.constant(0x7f800000));
  Value chosen = b.select(isFinite, rounded, x);
  Value exact = b.create<arith::BitcastOp>(op.getInput().getType(), chosen);
  return {b.roundTo(exact, op.getResult())};
}

// The ulp of e2m1 is 1/2 below 2, 1 below 4 and 2 below 6. A quotient and a
// part of it add up in f32 to within 2^-22.
Value RandomBits::roundToFp4(Value scaled, QuantizeOp op, PrimitiveBuilder &b) {
  ArrayRef<int64_t> shape = shapeOf(scaled);
  auto isBelow = [&](Value value, double bound) {
    return b.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, value,
                                   b.splat(bound, shape));
  };
  Value random = get(op.getSeed(), op.getStream(), shape, b);
  random = Bits{b, SmallVector<int64_t>(shape)}.shiftRight(random, 8);
  Value part = b.mul(b.create<arith::UIToFPOp>(scaled.getType(), random),
                     b.splat(0x1p-24, shape));
  Value magnitude =
      b.create<arith::MinNumFOp>(b.create<math::AbsFOp>(scaled),
                                 b.splat(getMaxFinite(Format::E2M1), shape));
  Value ulp = b.select(
      isBelow(magnitude, 2), b.splat(0.5, shape),
      b.select(isBelow(magnitude, 4), b.splat(1, shape), b.splat(2, shape)));
  Value count = b.create<math::FloorOp>(b.add(b.div(magnitude, ulp), part));
  Value rounded = b.create<math::CopySignOp>(b.mul(count, ulp), scaled);
  Value isNan =
      b.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, scaled, scaled);
  return b.select(isNan, scaled, rounded);
}

Values RandomBits::decompose(train::DropoutOp op, PrimitiveBuilder &b) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  double probability = op.getProbability().convertToFloat();
  Value random = get(op.getSeed(), op.getStream(), shape, b);
  auto threshold = static_cast<uint32_t>(std::ldexp(probability, 32));
  Value isKept = b.create<arith::CmpIOp>(
      arith::CmpIPredicate::uge, random,
      b.splatInt(static_cast<int32_t>(threshold), shape));
  Value isOff = b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, op.getSeed(),
                                        b.splatInt(0, {}));
  Value factor =
      b.select(isOff, b.splat(1, {}), b.splat(1 / (1 - probability), {}));
  isKept = b.create<arith::OrIOp>(isKept, b.broadcastRows(isOff, shape));
  Value scaled = b.mul(b.toF32(op.getInput()), b.broadcastRows(factor, shape));
  return {
      b.roundTo(b.select(isKept, scaled, b.splat(0, shape)), op.getResult())};
}
