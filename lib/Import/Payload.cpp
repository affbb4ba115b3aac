//===- Payload.cpp - what elementwise operations compute ------------------===//
#include "Payload.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::prec;

Algebra::MaybePoly prec::applyPayload(Algebra &algebra, Operation *op,
                                      ArrayRef<Poly> operands) {
  using MaybePoly = Algebra::MaybePoly;
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
      .Case<math::ExpOp, math::LogOp, math::SinOp, math::CosOp, math::TanhOp,
            math::ErfOp, math::AbsFOp>([&](Operation *) {
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
      .Case([&](arith::CmpIOp cmp) {
        return compare(cmp.getPredicate() == arith::CmpIPredicate::eq,
                       cmp.getPredicate() == arith::CmpIPredicate::ne);
      })
      .Case([&](arith::CmpFOp cmp) {
        return compare(cmp.getPredicate() == arith::CmpFPredicate::OEQ,
                       cmp.getPredicate() == arith::CmpFPredicate::UNE);
      })
      .Case([&](arith::SelectOp) {
        MaybePoly otherwise = algebra.subtract(Algebra::constant(1), a);
        return both(algebra.multiply(a, operands[1]),
                    both(otherwise, operands[2], times), plus);
      })
      .Case([&](arith::MaximumFOp) -> MaybePoly {
        // The count of rows that a mean divides by.
        if (Algebra::asConstant(operands[1]) != 1.0)
          return std::nullopt;
        return algebra.apply(arith::MaximumFOp::getOperationName(), a);
      })
      .Default([](Operation *) { return std::nullopt; });
}
