//===- MathFunctions64.cpp - functions that need f64 inside ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reduction by multiples of pi/2 loses as many bits as the angle has, and
// x^y multiplies the error of a logarithm by y: both are done in f64 and
// rounded once.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/MathFunctions.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace prec;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
static constexpr double kMagic = 6755399441055744.0; // 1.5 * 2^52

/// sin(x + shift * pi/2).
static Expr sine(Expr x, int64_t shift) {
  OpBuilder &b = x.getBuilder();
  Type i32 = b.getI32Type(), i64 = b.getI64Type(), f32 = b.getF32Type();
  Expr wide = x.convert(b.getF64Type());
  Expr shifted = wide.fma(wide.constant(0.63661977236758134308), kMagic);
  Expr n = shifted - kMagic;
  Expr rest = n.fma(n.constant(-1.57079632679489655800), wide);
  rest = n.fma(n.constant(-6.12323399573676603587e-17), rest);
  Expr quadrant = shifted.bitcast(i64).convert(i32);
  quadrant = quadrant + quadrant.integer(shift);

  Expr r = rest.convert(f32);
  Expr square = r * r;
  Expr s =
      square.polynomial({-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
  s = (s * square).fma(r, r);
  Expr c = square.polynomial(
      {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
  c = (c * square).fma(square, square.constant(-0.5).fma(square, 1.0));

  Expr odd = (quadrant & 1) == quadrant.integer(1);
  Expr result = odd.select(c, s);
  Expr flip = (quadrant & 2).shl(30);
  result = (result.bitcast(i32) ^ flip).bitcast(f32);
  if (shift == 0) // keeps the sign of a zero
    result = (x == 0.0).select(x, result);
  return (x.abs() < std::ldexp(1.0, 30) + 64).select(result, x.constant(kNaN));
}

Expr expand::sin(Expr x) { return sine(x, 0); }
Expr expand::cos(Expr x) { return sine(x, 1); }

/// Natural logarithm of a positive, normal f64: 2 atanh((m - 1) / (m + 1)) of
/// the mantissa.
static Expr log64(Expr x) {
  OpBuilder &b = x.getBuilder();
  Expr bits = x.bitcast(b.getI64Type());
  Expr exponent = (bits - bits.integer(0x3FE6A09E667F3BCD)).sar(52);
  Expr m = (bits - exponent.shl(52)).bitcast(b.getF64Type());
  Expr f = (m - 1.0) / (m + 1.0);
  Expr square = f * f;
  Expr p = square.polynomial({2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9,
                              2.0 / 7, 2.0 / 5, 2.0 / 3});
  Expr series = (p * square).fma(f, f + f);
  return exponent.convert(b.getI32Type())
      .convert(b.getF64Type())
      .fma(x.constant(0.69314718055994530942), series);
}

static Expr exp64(Expr x) {
  OpBuilder &b = x.getBuilder();
  Type i64 = b.getI64Type();
  Expr shifted = x.fma(x.constant(1.44269504088896340736), kMagic);
  Expr n = shifted - kMagic;
  Expr r = n.fma(n.constant(-6.93147180369123816490e-1), x);
  r = n.fma(n.constant(-1.90821492927058770002e-10), r);
  Expr p = r.polynomial({1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                         1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120,
                         1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0});
  Expr exponent = shifted.bitcast(i64) - x.constant(kMagic).bitcast(i64);
  return p *
         (exponent + exponent.integer(1023)).shl(52).bitcast(b.getF64Type());
}

/// x^y in f64 of a base that is not negative, to about y log(x) 2^-52; for the
/// powers of a decay rate, which f32 is too short for.
static Expr pow64(Expr x, Expr y) {
  Expr zero = x.constant(0.0);
  Expr product = log64(x) * y;
  // exp64 makes neither subnormals nor infinity.
  Expr result = (product < -708.0).select(zero, exp64(product));
  result = (product > 709.0).select(x.constant(kInfinity), result);
  result = (x > 0.0).select(result, x.constant(kNaN));
  return (x == 0.0).select((y > 0.0).select(zero, x.constant(1.0)), result);
}

Expr expand::pow(Expr x, Expr y) {
  OpBuilder &b = x.getBuilder();
  if (x.getElementType().isF64())
    return pow64(x, y);
  Type f32 = b.getF32Type(), f64 = b.getF64Type();
  Expr magnitude = x.abs();
  Expr product = log64(magnitude.convert(f64)) * y.convert(f64);
  // Beyond these f32 has only 0 and infinity; NaN passes.
  product = (product > 100.0).select(product.constant(100.0), product);
  product = (product < -110.0).select(product.constant(-110.0), product);
  Expr result = exp64(product).convert(f32);

  Expr zero = x.constant(0.0), infinity = x.constant(kInfinity);
  Expr growing = y > 0.0;
  result = (magnitude == 0.0).select(growing.select(zero, infinity), result);
  result =
      (magnitude == kInfinity).select(growing.select(infinity, zero), result);
  Expr integral = y.floor() == y;
  Expr halved = y * 0.5;
  Expr even = halved.floor() == halved;
  Expr negative = even.select(result, -result);
  // An odd power keeps the sign, that of a zero too.
  Expr one = x.constant(1.0);
  Expr below = one.copySign(x) < 0.0;
  Expr isFinite = (x < 0.0) & (x > -kInfinity);
  Expr ofNegative =
      integral.select(negative, isFinite.select(x.constant(kNaN), result));
  result = below.select(ofNegative, result);
  result = (magnitude == 1.0)
               .select(below.select(integral.select(even.select(one, -one),
                                                    x.constant(kNaN)),
                                    one),
                       result);
  result = x.isNaN().select(x, result);
  result = y.isNaN().select(y, result);
  result = (x == 1.0).select(one, result);
  return (y == 0.0).select(one, result);
}
