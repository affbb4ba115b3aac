//===- DecomposeRounding.cpp - rounding at random -------------------------===//
#include "Decompose.h"

using namespace mlir;
using namespace mlir::prec;

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

Value StochasticRounder::getMixedSeed(Value seed, PrimitiveBuilder &b) {
  Value &mixed = mixedSeeds[seed];
  if (!mixed)
    mixed = Bits{b, {}}.mix(seed);
  return mixed;
}

// The bits of a float count its values in order: adding less than a grain to
// those that are cut off moves the rest up by one with the right probability.
Values StochasticRounder::decompose(StochasticRoundOp op, PrimitiveBuilder &b) {
  Bits bits{b, SmallVector<int64_t>(shapeOf(op.getInput()))};
  auto intType =
      RankedTensorType::get(bits.shape, IntegerType::get(op.getContext(), 32));
  Value stream = bits.constant(
      static_cast<int32_t>(mix(static_cast<uint32_t>(op.getStream()))));
  Value random = bits.mix(bits.exclusiveOr(getIndex(bits), stream));
  Value seed = b.broadcastRows(getMixedSeed(op.getSeed(), b), bits.shape);
  random = bits.mix(bits.exclusiveOr(random, seed));
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
