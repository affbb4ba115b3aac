//===- Expr.cpp - arithmetic written as formulas --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Codegen/Emitter/Expr.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace prec;

Type prec::withLanesOf(Type element, Type like) {
  if (auto vector = dyn_cast<VectorType>(like))
    return VectorType::get(vector.getShape(), element);
  return element;
}

static TypedAttr splat(Type type, Attribute element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return DenseElementsAttr::get(vector, element);
  return cast<TypedAttr>(element);
}

Expr Expr::constant(Type element, double c) const {
  Type type = withLanesOf(element, getType());
  Attribute attr = isa<FloatType>(element)
                       ? Attribute(FloatAttr::get(element, c))
                       : Attribute(IntegerAttr::get(element, int64_t(c)));
  return make<arith::ConstantOp>(splat(type, attr));
}

Expr Expr::integer(Type element, int64_t c) const {
  auto attr = IntegerAttr::get(
      element, APInt(element.getIntOrFloatBitWidth(), uint64_t(c),
                     /*isSigned=*/true, /*implicitTrunc=*/true));
  return make<arith::ConstantOp>(splat(withLanesOf(element, getType()), attr));
}

Expr Expr::constant(double c) const { return constant(getElementType(), c); }
Expr Expr::integer(int64_t c) const { return integer(getElementType(), c); }

Expr Expr::bitcast(Type element) const {
  return make<arith::BitcastOp>(withLanesOf(element, getType()), value);
}

Expr Expr::convert(Type element) const {
  Type from = getElementType(), to = withLanesOf(element, getType());
  if (from == element)
    return *this;
  bool wider = element.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
  if (isa<FloatType>(from) && isa<FloatType>(element))
    return wider ? make<arith::ExtFOp>(to, value)
                 : make<arith::TruncFOp>(to, value);
  if (isa<FloatType>(from))
    return make<arith::FPToSIOp>(to, value);
  if (isa<FloatType>(element))
    return make<arith::SIToFPOp>(to, value);
  if (!wider)
    return make<arith::TruncIOp>(to, value);
  return make<arith::ExtUIOp>(to, value);
}

Expr Expr::select(Expr onTrue, Expr onFalse) const {
  return make<arith::SelectOp>(value, Value(onTrue), Value(onFalse));
}

Expr Expr::isNaN() const {
  return make<arith::CmpFOp>(arith::CmpFPredicate::UNO, value, value);
}

Expr Expr::fma(Expr mul, Expr add) const {
  return make<math::FmaOp>(value, Value(mul), Value(add));
}
Expr Expr::fma(Expr mul, double add) const { return fma(mul, constant(add)); }
Expr Expr::abs() const { return make<math::AbsFOp>(value); }
Expr Expr::roundEven() const { return make<math::RoundEvenOp>(value); }
Expr Expr::floor() const { return make<math::FloorOp>(value); }
Expr Expr::sqrt() const { return make<math::SqrtOp>(value); }
Expr Expr::copySign(Expr sign) const {
  return make<math::CopySignOp>(value, Value(sign));
}

Expr Expr::shl(int64_t bits) const {
  return make<arith::ShLIOp>(value, Value(integer(bits)));
}
Expr Expr::shr(int64_t bits) const {
  return make<arith::ShRUIOp>(value, Value(integer(bits)));
}
Expr Expr::sar(int64_t bits) const {
  return make<arith::ShRSIOp>(value, Value(integer(bits)));
}

Expr Expr::polynomial(ArrayRef<double> coefficients) const {
  Expr result = constant(coefficients.front());
  for (double c : coefficients.drop_front())
    result = result.fma(*this, c);
  return result;
}

template <typename FloatOp, typename IntOp> static Expr either(Expr a, Expr b) {
  if (isa<FloatType>(a.getElementType()))
    return a.make<FloatOp>(Value(a), Value(b));
  return a.make<IntOp>(Value(a), Value(b));
}

Expr prec::operator+(Expr a, Expr b) {
  return either<arith::AddFOp, arith::AddIOp>(a, b);
}
Expr prec::operator-(Expr a, Expr b) {
  return either<arith::SubFOp, arith::SubIOp>(a, b);
}
Expr prec::operator*(Expr a, Expr b) {
  return either<arith::MulFOp, arith::MulIOp>(a, b);
}
Expr prec::operator/(Expr a, Expr b) {
  return a.make<arith::DivFOp>(Value(a), Value(b));
}
Expr prec::operator&(Expr a, Expr b) {
  return a.make<arith::AndIOp>(Value(a), Value(b));
}
Expr prec::operator|(Expr a, Expr b) {
  return a.make<arith::OrIOp>(Value(a), Value(b));
}
Expr prec::operator^(Expr a, Expr b) {
  return a.make<arith::XOrIOp>(Value(a), Value(b));
}
Expr prec::operator-(Expr a) { return a.make<arith::NegFOp>(Value(a)); }

static Expr compare(arith::CmpFPredicate f, arith::CmpIPredicate i, Expr a,
                    Expr b) {
  if (isa<FloatType>(a.getElementType()))
    return a.make<arith::CmpFOp>(f, Value(a), Value(b));
  return a.make<arith::CmpIOp>(i, Value(a), Value(b));
}
Expr prec::operator<(Expr a, Expr b) {
  return compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, a, b);
}
Expr prec::operator>(Expr a, Expr b) {
  return compare(arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt, a, b);
}
Expr prec::operator==(Expr a, Expr b) {
  return compare(arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq, a, b);
}
Expr prec::minUnsigned(Expr a, Expr b) {
  return a.make<arith::MinUIOp>(Value(a), Value(b));
}
