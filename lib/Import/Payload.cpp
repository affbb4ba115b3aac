//===- Payload.cpp - what elementwise operations compute ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Import/Payload.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace prec;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool isFinite(const Poly &poly) {
  return llvm::all_of(
      poly, [](const Term &t) { return std::isfinite(t.coefficient); });
}

/// The larger of an expression and a constant.
Algebra::MaybePoly maximum(Algebra &algebra, const Poly &a, double bound) {
  if (bound == -kInfinity || (bound <= 0 && algebra.isNonnegative(a)))
    return a;
  // The count of rows that a mean divides by.
  if (bound != 1)
    return std::nullopt;
  return algebra.apply(arith::MaximumFOp::getOperationName(), a);
}

/// 1 where an integer is below 0.
Algebra::MaybePoly isNegative(Algebra &algebra, const Poly &a,
                              const Poly &bound) {
  if (!bound.empty())
    return std::nullopt;
  if (auto value = Algebra::asConstant(a))
    return Algebra::constant(*value < 0);
  return algebra.apply(kIsNegative, a);
}

/// What takes infinities: a lower bound, and whether a magnitude is below.
Algebra::MaybePoly applyToInfinity(Algebra &algebra, Operation *op,
                                   ArrayRef<Poly> operands) {
  if (operands.size() != 2)
    return std::nullopt;
  bool first = !isFinite(operands[0]);
  auto value = Algebra::asConstant(operands[!first]);
  const Poly &other = operands[first];
  if (!value || !isFinite(other))
    return std::nullopt;
  if (isa<arith::MaximumFOp>(op))
    return maximum(algebra, other, *value);
  auto cmp = dyn_cast<arith::CmpFOp>(op);
  if (!cmp || first || *value != kInfinity)
    return std::nullopt;
  // Of a magnitude, which is below infinity or is it.
  bool isMagnitude =
      isa_and_present<math::AbsFOp>(cmp.getLhs().getDefiningOp());
  if (cmp.getPredicate() != arith::CmpFPredicate::OLT &&
      !(cmp.getPredicate() == arith::CmpFPredicate::ONE && isMagnitude))
    return std::nullopt;
  if (Algebra::asConstant(other))
    return Algebra::constant(1);
  return algebra.apply(kIsFinite, other);
}

} // namespace

Algebra::MaybePoly prec::applyPayload(Algebra &algebra, Operation *op,
                                      ArrayRef<Poly> operands) {
  using MaybePoly = Algebra::MaybePoly;
  if (!llvm::all_of(operands, isFinite))
    return applyToInfinity(algebra, op, operands);
  const Poly &a = operands[0];
  auto compare = [&](bool equal, bool unequal) -> MaybePoly {
    MaybePoly difference = algebra.subtract(a, operands[1]);
    if (!difference || (!equal && !unequal))
      return std::nullopt;
    MaybePoly same = algebra.isZero(*difference);
    return equal ? same : algebra.subtract(Algebra::constant(1), *same);
  };
  auto both = [](const MaybePoly &x, const MaybePoly &y,
                 auto combine) -> MaybePoly {
    if (!x || !y)
      return std::nullopt;
    return combine(*x, *y);
  };
  auto plus = [&](const Poly &x, const Poly &y) { return algebra.add(x, y); };
  auto times = [&](const Poly &x, const Poly &y) {
    return algebra.multiply(x, y);
  };
  return llvm::TypeSwitch<Operation *, MaybePoly>(op)
      .Case<arith::AddFOp, arith::AddIOp>(
          [&](auto) { return algebra.add(a, operands[1]); })
      .Case<arith::SubFOp, arith::SubIOp>(
          [&](auto) { return algebra.subtract(a, operands[1]); })
      .Case<arith::MulFOp, arith::MulIOp>(
          [&](auto) { return algebra.multiply(a, operands[1]); })
      .Case([&](arith::DivFOp) {
        return both(a, algebra.power(operands[1], -1), times);
      })
      .Case([&](math::PowFOp) -> MaybePoly {
        auto exponent = Algebra::asConstant(operands[1]);
        return exponent ? algebra.power(a, *exponent) : std::nullopt;
      })
      .Case([&](arith::NegFOp) { return algebra.scale(a, -1); })
      .Case([&](math::RsqrtOp) { return algebra.power(a, -0.5); })
      .Case([&](math::SqrtOp) { return algebra.power(a, 0.5); })
      .Case([&](math::AbsFOp) -> MaybePoly {
        if (algebra.isNonnegative(a))
          return a;
        return algebra.apply(op->getName().getStringRef(), a);
      })
      .Case<math::ExpOp, math::LogOp, math::SinOp, math::CosOp, math::TanhOp,
            math::ErfOp>([&](Operation *) {
        return algebra.apply(op->getName().getStringRef(), a);
      })
      // Integers are numbers, and a truth value is 0 or 1.
      .Case<arith::SIToFPOp, arith::ExtSIOp>([&](auto cast) -> MaybePoly {
        if (getElementTypeOrSelf(cast.getIn().getType()).isInteger(1))
          return std::nullopt;
        return a;
      })
      .Case<arith::UIToFPOp, arith::ExtUIOp>([&](auto cast) -> MaybePoly {
        if (!getElementTypeOrSelf(cast.getIn().getType()).isInteger(1))
          return std::nullopt;
        return a;
      })
      .Case([&](arith::CmpIOp cmp) -> MaybePoly {
        if (cmp.getPredicate() == arith::CmpIPredicate::slt)
          return isNegative(algebra, a, operands[1]);
        return compare(cmp.getPredicate() == arith::CmpIPredicate::eq,
                       cmp.getPredicate() == arith::CmpIPredicate::ne);
      })
      .Case([&](arith::CmpFOp cmp) -> MaybePoly {
        if (cmp.getPredicate() == arith::CmpFPredicate::OGE &&
            operands[1].empty() && algebra.isNonnegative(a))
          return Algebra::constant(1);
        return compare(cmp.getPredicate() == arith::CmpFPredicate::OEQ,
                       cmp.getPredicate() == arith::CmpFPredicate::UNE);
      })
      .Case([&](arith::SelectOp) {
        MaybePoly otherwise = algebra.subtract(Algebra::constant(1), a);
        return both(algebra.multiply(a, operands[1]),
                    both(otherwise, operands[2], times), plus);
      })
      .Case<arith::MaximumFOp, arith::MaxSIOp>([&](auto) -> MaybePoly {
        if (auto bound = Algebra::asConstant(operands[1]))
          return maximum(algebra, a, *bound);
        auto bound = Algebra::asConstant(a);
        return bound ? maximum(algebra, operands[1], *bound) : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}
