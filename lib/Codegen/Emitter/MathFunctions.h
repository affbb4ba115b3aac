//===- MathFunctions.h - expansions of math functions -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same sequence of correctly rounded operations on every target, so that
// results have the same bits everywhere, but for what has instructions of its
// own. Errors are bounds that the tests check against float64, in units in the
// last place of f32.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_EMITTER_MATHFUNCTIONS_H
#define PREC_LIB_CODEGEN_EMITTER_MATHFUNCTIONS_H

#include "Codegen/Emitter/Expr.h"

namespace prec::expand {

Expr exp(Expr x); ///< 1 ulp
/// The bits of exp, with less work, for x <= 0 or NaN.
Expr expOfNonPositive(Expr x);
Expr exp2(Expr x);  ///< 2 ulp
Expr expm1(Expr x); ///< 2 ulp
Expr log(Expr x);   ///< 1 ulp
Expr log2(Expr x);  ///< 3 ulp
Expr log1p(Expr x); ///< 3 ulp
Expr tanh(Expr x);  ///< 2 ulp
Expr erf(Expr x);   ///< 2 ulp
/// The angle of the point (x, y), with the signs of zeros: 3 ulp.
Expr atan2(Expr y, Expr x);
Expr rsqrt(Expr x); ///< 1 / sqrt, each correctly rounded: 1.5 ulp
/// 2 ulp for angles up to 2^30, NaN beyond.
Expr sin(Expr x);
Expr cos(Expr x);
/// 1 ulp; negative bases take integral exponents, others give NaN.
Expr pow(Expr x, Expr y);

} // namespace prec::expand

/// By special instructions of NVIDIA's GPUs, which flush subnormal numbers.
namespace prec::nvptx {

Expr exp(Expr x);              ///< 6 ulp; 3 for |x| < 40
Expr expOfNonPositive(Expr x); ///< as exp, for x <= 0 or NaN
Expr exp2(Expr x);             ///< 2 ulp
Expr coarseExp(Expr x);        ///< within (4 + 1.3 |x|) 2^-24 of it
Expr quotient(Expr x, Expr y); ///< x / y for |y| < 2^126 or y infinite: 2 ulp
/// x / y for 0 <= x <= 1 <= y <= 2^32 or NaN, given 1 / y: the bits of the
/// division, but for subnormal results.
Expr quotient(Expr x, Expr y, Expr reciprocal);

} // namespace prec::nvptx

#endif // PREC_LIB_CODEGEN_EMITTER_MATHFUNCTIONS_H
