//===- RaiseRmsNorm.cpp - find root mean square normalizations ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds root mean square normalizations, x * rsqrt(mean(x^2) + eps) * gamma,
// and their gradients. Inputs are what is squared and summed along the last
// dimension. Epsilons and gamma are taken from the region of the input. For the
// gradient rstd is bound as an expression of x, and with n = x * rstd and h =
// dy * gamma the values are compared with dx = rstd * (h - n * mean(h * n)) and
// dgamma = the sum over rows of dy * n. Norms are visited last first, since the
// gradient of a norm that is computed twice reads the later one.
//
//===----------------------------------------------------------------------===//
#include "Import/Gradient.h"
#include "Import/Match.h"
#include "Import/Norm.h"
#include "Import/Raise.h"

using namespace mlir;
using namespace prec;

namespace {

/// 1 / sqrt(mean(x^2) + eps)
Poly getRmsRstd(NormRegion &norm, double eps) {
  Algebra &algebra = norm.algebra();
  Poly square = norm.mean(*algebra.power(norm.x(), 2));
  return *algebra.power(*algebra.add(square, Algebra::constant(eps)), -0.5);
}

unsigned raiseRmsInput(Value input) {
  NormRegion norm(input);
  if (!norm.isValid())
    return 0;
  norm.getRegion().close();
  Algebra &algebra = norm.algebra();
  unsigned raised = 0;
  for (double eps : norm.getEpsilons(norm.mean(*algebra.power(norm.x(), 2)))) {
    Poly normalized = *algebra.multiply(norm.x(), getRmsRstd(norm, eps));
    for (Value gamma : norm.getColumnVectors()) {
      Poly target = *algebra.multiply(normalized, norm.columnVector(gamma));
      raised += raiseForward(norm.getRegion(), target, norm.getType(),
                             [&](OpBuilder &builder, Location loc) {
                               return train::RmsNormOp::create(
                                   builder, loc,
                                   TypeRange{norm.getType(), norm.getRowType()},
                                   input, gamma, builder.getF32FloatAttr(eps),
                                   ArrayAttr(), ArrayAttr());
                             });
    }
  }
  return raised;
}

void defineSaved(NormRegion &norm, train::RmsNormOp op) {
  norm.getRegion().bindColumns(op.getGamma());
  norm.defineRows(op.getRstd(),
                  getRmsRstd(norm, op.getEps().convertToDouble()));
}

/// Finds the gradient of `op` for one incoming gradient, and replaces it.
bool raiseGradientOf(train::RmsNormOp op, Value grad) {
  NormRegion norm(op.getInput());
  ExprRegion &region = norm.getRegion();
  Algebra &algebra = norm.algebra();
  defineSaved(norm, op);
  if (region.lookup(grad) || !region.bind(grad))
    return false;
  region.close();

  Poly dy = *region.lookupPoly(grad), rstd = *region.lookupPoly(op.getRstd());
  Poly n = *algebra.multiply(norm.x(), rstd);
  Poly h = *algebra.multiply(dy, norm.columnVector(op.getGamma()));
  Poly projected = *algebra.multiply(n, norm.mean(*algebra.multiply(h, n)));
  Poly target = *algebra.multiply(rstd, *algebra.subtract(h, projected));
  ParameterGradient gamma{norm.sumRows(*algebra.multiply(dy, n)),
                          op.getGamma()};
  return raiseGradient(
      region, op, target, gamma, [&](OpBuilder &builder, Location loc) {
        Value shaped = reshape(builder, loc, grad, norm.getType().getShape());
        return train::RmsNormGradOp::create(
            builder, loc, TypeRange{norm.getType(), op.getGamma().getType()},
            shaped, op.getInput(), op.getGamma(), op.getRstd(), ArrayAttr(),
            ArrayAttr());
      });
}

SmallVector<Value> getCandidates(train::RmsNormOp op) {
  NormRegion norm(op.getInput());
  if (!norm.isValid())
    return {};
  defineSaved(norm, op);
  norm.getRegion().close();
  return getGradientCandidates(norm.getRegion());
}

} // namespace

RaiseCount prec::raiseRmsNorm(func::FuncOp function) {
  RaiseCount count;
  Block &block = function.front();
  for (Value input : getSquaredInputs(block))
    count.forward += raiseRmsInput(input);
  eraseDead(block);

  // The last computation of a norm is the one its gradient is nearest to.
  SmallVector<train::RmsNormOp> norms(block.getOps<train::RmsNormOp>());
  for (train::RmsNormOp norm : llvm::reverse(norms))
    count.backward += llvm::any_of(getCandidates(norm), [&](Value grad) {
      return raiseGradientOf(norm, grad);
    });
  return count;
}
