//===- Expr.h - arithmetic written as formulas ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars or vectors alike, so that one formula serves every number of lanes.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_EMITTER_EXPR_H
#define PREC_LIB_CODEGEN_EMITTER_EXPR_H

#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace prec {

/// `element`, with the lanes that `like` has.
Type withLanesOf(Type element, Type like);

class Expr {
public:
  Expr(OpBuilder &builder, Location loc, Value value)
      : builder(&builder), loc(loc), value(value) {}

  operator Value() const { return value; }
  Type getType() const { return value.getType(); }
  Type getElementType() const { return getElementTypeOrSelf(value.getType()); }
  OpBuilder &getBuilder() const { return *builder; }
  Location getLoc() const { return loc; }

  /// A constant of this type.
  Expr constant(double c) const;
  Expr integer(int64_t c) const;
  /// A constant of another element type, with the same lanes.
  Expr constant(Type element, double c) const;
  Expr integer(Type element, int64_t c) const;

  Expr bitcast(Type element) const;
  Expr
  convert(Type element) const; ///< extend, truncate, int <-> float (signed)
  Expr select(Expr onTrue, Expr onFalse) const;
  Expr isNaN() const;

  Expr fma(Expr mul, Expr add) const; ///< this * mul + add, one rounding
  Expr fma(Expr mul, double add) const;
  Expr abs() const;
  Expr roundEven() const;
  Expr floor() const;
  Expr sqrt() const;
  Expr copySign(Expr sign) const;

  Expr shl(int64_t bits) const;
  Expr shr(int64_t bits) const; ///< unsigned
  Expr sar(int64_t bits) const; ///< signed

  /// Horner's scheme in fused steps; coefficients from the highest power.
  Expr polynomial(ArrayRef<double> coefficients) const;

  template <typename OpTy, typename... Args> Expr make(Args... args) const {
    return Expr(*builder, loc,
                OpTy::create(*builder, loc, args...).getResult());
  }

private:
  OpBuilder *builder;
  Location loc;
  Value value;
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator&(Expr a, Expr b);
Expr operator|(Expr a, Expr b);
Expr operator^(Expr a, Expr b);
Expr operator-(Expr a);
inline Expr operator+(Expr a, double b) { return a + a.constant(b); }
inline Expr operator-(Expr a, double b) { return a - a.constant(b); }
inline Expr operator-(double a, Expr b) { return b.constant(a) - b; }
inline Expr operator*(Expr a, double b) { return a * a.constant(b); }
inline Expr operator/(double a, Expr b) { return b.constant(a) / b; }
inline Expr operator&(Expr a, int64_t b) { return a & a.integer(b); }
inline Expr operator|(Expr a, int64_t b) { return a | a.integer(b); }

/// Ordered for floats, signed for integers.
Expr operator<(Expr a, Expr b);
Expr operator>(Expr a, Expr b);
Expr operator==(Expr a, Expr b);
inline Expr operator<(Expr a, double b) { return a < a.constant(b); }
inline Expr operator>(Expr a, double b) { return a > a.constant(b); }
inline Expr operator==(Expr a, double b) { return a == a.constant(b); }
Expr minUnsigned(Expr a, Expr b);

} // namespace prec

#endif // PREC_LIB_CODEGEN_EMITTER_EXPR_H
