//===- MathFunctions.cpp - exponentials, logarithms, angles, erf ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Emitter/MathFunctions.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace prec;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// NaN passes.
static Expr clamp(Expr x, double low, double high) {
  auto flags = arith::FastMathFlags::nsz; // Neither bound is a zero.
  x = x.make<arith::MinimumFOp>(x, x.constant(high), flags);
  return x.make<arith::MaximumFOp>(x, x.constant(low), flags);
}

namespace {
/// x = n * ln2 + rest: the integer n in the low bits of `shifted`, and
/// exp(rest) - 1.
struct Reduced {
  Expr shifted, expm1;
};
} // namespace

/// exp(r) - 1 for |r| <= ln2 / 2: r + r^2 P(r), coefficients of Cephes' expf.
static Expr expm1Small(Expr r) {
  Expr p = r.polynomial({1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                         4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
  return p.fma(r * r, r);
}

/// Rounds to the nearest integer by an addition whose last place is 1; the
/// integer is then in the low bits. NaN passes without a conversion.
static constexpr double kMagic = 12582912.0; // 1.5 * 2^23

static Reduced reduceExp(Expr x) {
  Expr shifted = x.fma(x.constant(1.44269504088896341), kMagic);
  Expr n = shifted - kMagic;
  Expr r = n.fma(x.constant(-0.693359375), x);
  r = n.fma(x.constant(2.12194440e-4), r);
  return {shifted, expm1Small(r)};
}

/// 2^(n + offset) in [2^-126, 2^127], n in the low bits of `shifted`.
static Expr powerOfTwo(Expr shifted, Expr offset) {
  // What kMagic has in its upper bits is shifted out.
  Expr n = shifted.bitcast(shifted.getBuilder().getI32Type()).shl(23);
  return (n + offset).bitcast(shifted.getElementType());
}

static Expr exponentBits(Expr shifted, int64_t exponent) {
  return shifted.integer(shifted.getBuilder().getI32Type(), (exponent + 127)
                                                                << 23);
}

/// Powers of two are applied in two steps, of which this is one.
constexpr int64_t kShift = 26;

/// y * 2^n for n in [-151, 129], where 2^n need not be a number; x has the sign
/// of n.
static Expr scale(Expr y, Expr x, Expr shifted) {
  Expr isSmall = x < 0.0;
  Expr offset = isSmall.select(exponentBits(shifted, kShift),
                               exponentBits(shifted, -kShift));
  Expr rest = isSmall.select(y.constant(std::ldexp(1.0, -kShift)),
                             y.constant(std::ldexp(1.0, kShift)));
  return y * powerOfTwo(shifted, offset) * rest;
}

Expr expand::exp(Expr x) {
  x = clamp(x, -104.0, 89.0);
  Reduced reduced = reduceExp(x);
  return scale(reduced.expm1 + 1.0, x, reduced.shifted);
}

Expr expand::expOfNonPositive(Expr x) {
  x = x.make<arith::MaximumFOp>(x, x.constant(-104.0),
                                arith::FastMathFlags::nsz);
  Reduced reduced = reduceExp(x);
  Expr power = powerOfTwo(reduced.shifted, exponentBits(x, kShift));
  return (reduced.expm1 + 1.0) * power * std::ldexp(1.0, -kShift);
}

Expr expand::exp2(Expr x) {
  x = clamp(x, -151.0, 129.0);
  Expr shifted = x + kMagic;
  Expr r = (x - (shifted - kMagic)) * 0.693147180559945309;
  return scale(expm1Small(r) + 1.0, x, shifted);
}

Expr expand::expm1(Expr x) {
  x = clamp(x, -20.0, 89.0);
  Reduced reduced = reduceExp(x);
  // Halved, since 2^128 is no number.
  Expr power = powerOfTwo(reduced.shifted, exponentBits(x, -1));
  Expr half = power.fma(reduced.expm1, power - 0.5);
  Expr result = half + half;
  return (x == 0.0).select(x, result);
}

Expr expand::log(Expr x) {
  Type i32 = x.getBuilder().getI32Type(), f32 = x.getBuilder().getF32Type();
  Expr tiny = x < std::ldexp(1.0, -126);
  Expr normal = tiny.select(x * std::ldexp(1.0, 23), x);
  // The mantissa in [sqrt(1/2), sqrt(2)).
  Expr bits = normal.bitcast(i32);
  Expr offset = bits - bits.integer(0x3F3504F3);
  Expr exponent = offset.sar(23);
  Expr f = (bits - exponent.shl(23)).bitcast(f32) - 1.0;
  Expr e =
      exponent.convert(f32) + tiny.select(x.constant(-23.0), x.constant(0.0));
  Expr p = f.polynomial({7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1,
                         -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
                         2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  Expr square = f * f;
  Expr y = (p * f) * square;
  y = e.fma(e.constant(-2.12194440e-4), y);
  y = square.fma(square.constant(-0.5), y);
  Expr result = e.fma(e.constant(0.693359375), f + y);
  result = (x == 0.0).select(x.constant(-kInfinity), result);
  result = (x < 0.0).select(x.constant(kNaN), result);
  // Infinity and NaN stay what they are.
  return (x < kInfinity).select(result, x);
}

Expr expand::log2(Expr x) { return log(x) * 1.44269504088896341; }

Expr expand::log1p(Expr x) {
  Expr sum = x + 1.0;
  // The rounding of 1 + x divides out (Kahan).
  Expr result = log(sum) * (x / (sum - 1.0));
  result = (sum == 1.0).select(x, result);
  result = (x == -1.0).select(x.constant(-kInfinity), result);
  return (x == kInfinity).select(x, result);
}

Expr expand::tanh(Expr x) {
  Expr square = x * x;
  Expr p =
      square.polynomial({-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                         1.33314422036e-1, -3.33332819422e-1});
  Expr small = (p * square).fma(x, x);
  Expr magnitude = x.abs();
  Expr e = exp(clamp(magnitude + magnitude, 0.0, 40.0));
  Expr large = (1.0 - 2.0 / (e + 1.0)).copySign(x);
  return (magnitude < 0.625).select(small, large);
}

/// After N. Juffa: 1 - exp(-P(|x|)) where erf is curved, odd around zero.
Expr expand::erf(Expr x) {
  Expr t = x.abs();
  Expr square = x * x;
  Expr high = t.constant(-1.72853470e-5).fma(t, 3.83197126e-4);
  Expr low = t.constant(-3.88396438e-3).fma(t, 2.42546219e-2);
  Expr r = high.fma(square, low);
  r = r.fma(t, -1.06777877e-1);
  r = r.fma(t, -6.34846687e-1);
  r = r.fma(t, -1.28717512e-1);
  r = r.fma(t, -t);
  // Beyond 4 the result is one, and the polynomial would turn around.
  Expr large = 1.0 - exp(r);
  large = (t > 4.0).select(t.constant(1.0), large).copySign(x);
  Expr small =
      square.polynomial({-5.96761703e-4, 4.99119423e-3, -2.67681349e-2,
                         1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
  small = small.fma(x, x);
  // NaN compares false and takes the side that keeps it.
  return (t > 0.927734375).select(large, small);
}

/// The arc tangent of t for |t| <= tan(pi / 8), coefficients of Cephes' atanf.
static Expr atanSmall(Expr t) {
  Expr square = t * t;
  Expr p = square.polynomial({8.05374449538e-2, -1.38776856032e-1,
                              1.99777106478e-1, -3.33329491539e-1});
  return (p * square).fma(t, t);
}

/// `high + low - x`, of a constant in two parts.
static Expr minusFrom(double high, double low, Expr x) {
  return (high - x) + low;
}

/// The angle of the lesser of |x| and |y| above the greater, which is at most
/// pi / 4; above pi / 8 it is taken from pi / 4 on. Of equal ones, two
/// infinities among them, the tangent is one, and of two zeros zero.
Expr expand::atan2(Expr y, Expr x) {
  Expr a = x.abs(), b = y.abs();
  Expr high = a.make<arith::MaximumFOp>(a, b);
  Expr low = a.make<arith::MinimumFOp>(a, b);
  Expr isEqual = low == high;
  Expr tangent = isEqual.select(a.constant(1.0), low / high);
  tangent = (high == 0.0).select(high, tangent);
  // Quartered where the sum would be infinite.
  Expr share = (high > 1e38).select(a.constant(0.25), a.constant(1.0));
  Expr scaledLow = low * share, scaledHigh = high * share;
  Expr beyond = (scaledLow - scaledHigh) / (scaledLow + scaledHigh);
  beyond = isEqual.select(a.constant(0.0), beyond);
  Expr isFar = tangent > 0.41421356237309503;
  Expr r = atanSmall(isFar.select(beyond, tangent));
  r = isFar.select((r + 0.785398185253143310546875) - 2.185569414336896e-8, r);
  r = (b > a).select(
      minusFrom(1.57079637050628662109375, -4.371138828673793e-8, r), r);
  Expr isLeft = x.constant(1.0).copySign(x) < 0.0;
  r = isLeft.select(
      minusFrom(3.1415927410125732421875, -8.742277657347586e-8, r), r);
  return r.copySign(y);
}

Expr expand::rsqrt(Expr x) { return 1.0 / x.sqrt(); }
