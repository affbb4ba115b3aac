//===- FloatConversion.cpp - rounding in integer arithmetic ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between f32 and narrow formats in integer arithmetic (F16 has an
// instruction), the same on every target; NVIDIA GPUs use instructions with the
// same results (FloatConversionNvptx.cpp). To round to nearest, ties to even,
// half an ulp minus one and the last kept bit are added to the bits before they
// are shifted. Subnormal results are rounded by an addition in f32: a power of
// two is added whose ulp is the spacing of the subnormals. Values beyond the
// largest finite one saturate in FP8 and FP4; NaN stays NaN where the format
// has one.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/FloatConversion.h"
#include "prec-rt/floats.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace prec;

namespace {
/// An FP8 format against f32.
struct Fp8 {
  int mantissa;         // bits
  int bias;             // of the exponent
  int64_t maxFinite;    // as f32 bits
  int64_t firstSpecial; // smallest magnitude that is no finite number
  int shift() const { return 23 - mantissa; }
  int64_t rebias() const { return int64_t(127 - bias) << mantissa; }
  /// Log2 of the spacing of subnormals.
  int ulpExponent() const { return 1 - bias - mantissa; }
};
} // namespace

static Fp8 formatOf(FloatType type) {
  const rt::FloatLayout &layout =
      isa<Float8E4M3FNType>(type) ? rt::kE4M3 : rt::kE5M2;
  // Where there is no infinity the last code is NaN.
  int64_t exponents = (int64_t(1) << layout.exponentBits) - 1;
  int64_t infinity = exponents << layout.mantissaBits;
  return {layout.mantissaBits, layout.bias(),
          llvm::bit_cast<int32_t>(float(layout.largest)),
          layout.hasInfinity ? infinity : 0x7F};
}

Type prec::registerType(Type element) {
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    return IntegerType::get(element.getContext(),
                            element.getIntOrFloatBitWidth());
  return element;
}

static Expr extendFp8(Expr bits, Fp8 format) {
  OpBuilder &b = bits.getBuilder();
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Expr wide = bits.convert(i32);
  Expr magnitude = wide & 0x7F;
  Expr normal = (magnitude.shl(format.shift()) +
                 magnitude.integer(int64_t(127 - format.bias) << 23));
  Expr subnormal =
      (magnitude.convert(f32) * std::ldexp(1.0, format.ulpExponent()))
          .bitcast(i32);
  Expr result = (magnitude < magnitude.integer(int64_t(1) << format.mantissa))
                    .select(subnormal, normal);
  // Exponent of all ones: E4M3 has one NaN there, E5M2 infinity and NaNs.
  if (format.mantissa == 3)
    result = (magnitude == magnitude.integer(0x7F))
                 .select(result.integer(0x7FC00000), result);
  else
    result = (magnitude < magnitude.integer(format.firstSpecial))
                 .select(result, magnitude.shl(format.shift()) | 0x7F800000);
  Expr sign = (wide & 0x80).shl(24);
  return (result | sign).bitcast(f32);
}

static Expr truncateToFp8(Expr value, Fp8 format) {
  OpBuilder &b = value.getBuilder();
  Type i8 = b.getI8Type(), i32 = b.getI32Type(), f32 = b.getF32Type();
  Expr bits = value.bitcast(i32);
  Expr magnitude = bits & 0x7FFFFFFF;
  Expr clamped = minUnsigned(magnitude, magnitude.integer(format.maxFinite));
  int shift = format.shift();
  Expr odd = clamped.shr(shift) & 1;
  Expr normal =
      (clamped + odd + clamped.integer((int64_t(1) << (shift - 1)) - 1))
          .shr(shift) -
      clamped.integer(format.rebias());
  // Adding a power of two whose last place is the spacing of subnormals rounds
  // to them.
  double magic = std::ldexp(1.0, 23 + format.ulpExponent());
  Expr sum = clamped.bitcast(f32) + magic;
  Expr subnormal = sum.bitcast(i32) - sum.constant(magic).bitcast(i32);
  Expr smallestNormal = clamped.integer(int64_t(128 - format.bias) << 23);
  Expr result = (clamped < smallestNormal).select(subnormal, normal);
  result = result | (bits.shr(24) & 0x80);
  result = (magnitude > magnitude.integer(0x7F800000))
               .select(result.integer(0x7F), result);
  return result.convert(i8);
}

// Both halves of the table of e2m1 by magnitude: steps of 1/2 below 1, and one
// bit of mantissa from there on.
static Expr truncateToFp4(Expr value) {
  OpBuilder &b = value.getBuilder();
  Type i32 = b.getI32Type();
  Expr bits = value.bitcast(i32);
  Expr magnitude = bits & 0x7FFFFFFF;
  Expr clamped = minUnsigned(magnitude, magnitude.integer(0x40C00000)); // 6
  Expr odd = clamped.shr(22) & 1;
  Expr normal = (clamped + odd + clamped.integer(0x1FFFFF)).shr(22) -
                clamped.integer(int64_t(126) << 1);
  double magic = 0x1p22;
  Expr sum = clamped.bitcast(b.getF32Type()) + magic;
  Expr subnormal = sum.bitcast(i32) - sum.constant(magic).bitcast(i32);
  Expr result =
      (clamped < clamped.integer(0x3F800000)).select(subnormal, normal);
  result = result | (bits.shr(28) & 8);
  result = (magnitude > magnitude.integer(0x7F800000))
               .select(result.integer(7), result);
  return result.convert(b.getIntegerType(4));
}

static Expr extendFp4(Expr bits) {
  OpBuilder &b = bits.getBuilder();
  Expr wide = bits.convert(b.getI32Type());
  Expr magnitude = wide & 7;
  Expr normal = magnitude.shl(22) + magnitude.integer(int64_t(126) << 23);
  Expr subnormal =
      (magnitude.convert(b.getF32Type()) * 0.5).bitcast(b.getI32Type());
  Expr result = (magnitude < magnitude.integer(2)).select(subnormal, normal);
  return (result | (wide & 8).shl(28)).bitcast(b.getF32Type());
}

static Expr extendBf16(Expr bits) {
  OpBuilder &b = bits.getBuilder();
  return bits.convert(b.getI32Type()).shl(16).bitcast(b.getF32Type());
}

static Expr truncateToBf16(Expr value) {
  OpBuilder &b = value.getBuilder();
  Expr bits = value.bitcast(b.getI32Type());
  Expr odd = bits.shr(16) & 1;
  Expr rounded = (bits + odd + bits.integer(0x7FFF)).shr(16);
  return value.isNaN()
      .select(rounded.integer(0x7FFF), rounded)
      .convert(b.getI16Type());
}

static Expr truncateToF16(Expr value) {
  OpBuilder &b = value.getBuilder();
  Expr bits = value.convert(b.getF16Type()).bitcast(b.getI16Type());
  return value.isNaN().select(bits.integer(0x7FFF), bits);
}

Expr prec::extendToF32(Expr bits, FloatType from, KernelTarget target) {
  OpBuilder &b = bits.getBuilder();
  if (from.isF32())
    return bits;
  if (from.isBF16())
    return target == KernelTarget::Nvptx ? nvptx::extendBf16(bits)
                                         : extendBf16(bits);
  if (from.isF16())
    return bits.bitcast(b.getF16Type()).convert(b.getF32Type());
  if (isa<Float4E2M1FNType>(from))
    return extendFp4(bits);
  return target == KernelTarget::Nvptx ? nvptx::extendF8(bits, from)
                                       : extendFp8(bits, formatOf(from));
}

Expr prec::truncateFromF32(Expr value, FloatType to, KernelTarget target) {
  if (to.isF32())
    return value;
  if (isa<Float4E2M1FNType>(to))
    return truncateToFp4(value);
  bool half = to.isBF16() || to.isF16();
  if (target == KernelTarget::Nvptx)
    return half ? nvptx::truncateToHalf(value, to)
                : nvptx::truncateToF8(value, to);
  if (half)
    return to.isBF16() ? truncateToBf16(value) : truncateToF16(value);
  return truncateToFp8(value, formatOf(to));
}
