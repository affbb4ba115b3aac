//===- RaiseLayerNorm.cpp - find layer normalizations ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds layer normalizations, (x - mean(x)) * rsqrt(var(x) + eps) * gamma +
// beta, and their gradients. Inputs are what is squared and summed, or what the
// mean is subtracted from before. Epsilons and the vectors gamma and beta are
// taken from the region of the input, and every combination is compared with
// its values. For the gradient the saved mean and rstd are bound as expressions
// of x; then dx, dgamma and dbeta are compared with their formulas. The
// variance may be assumed not to be negative, so a maximum with 0 around it
// does nothing.
//
//===----------------------------------------------------------------------===//
#include "Import/Gradient.h"
#include "Import/Match.h"
#include "Import/Norm.h"
#include "Import/Raise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

namespace {

Poly getCentered(NormRegion &norm) {
  return *norm.algebra().subtract(norm.x(), norm.mean(norm.x()));
}

/// mean((x - mean(x))^2), which as a polynomial is mean(x^2) - mean(x)^2.
Poly getVariance(NormRegion &norm) {
  return norm.mean(*norm.algebra().power(getCentered(norm), 2));
}

Poly getRstd(NormRegion &norm, double eps) {
  Algebra &algebra = norm.algebra();
  return *algebra.power(*algebra.add(getVariance(norm), Algebra::constant(eps)),
                        -0.5);
}

unsigned raiseLayerNormInput(Value input) {
  NormRegion norm(input);
  if (!norm.isValid())
    return 0;
  // What keeps a variance from being negative does nothing.
  norm.algebra().assumeNonnegative(getVariance(norm));
  norm.getRegion().close();
  Algebra &algebra = norm.algebra();
  unsigned raised = 0;
  SmallVector<Value> vectors = norm.getColumnVectors();
  for (double eps : norm.getEpsilons(getVariance(norm))) {
    Poly normalized = *algebra.multiply(getCentered(norm), getRstd(norm, eps));
    for (Value gamma : vectors) {
      Poly scaled = *algebra.multiply(normalized, norm.columnVector(gamma));
      for (Value beta : vectors) {
        Poly target = *algebra.add(scaled, norm.columnVector(beta));
        raised +=
            raiseForward(norm.getRegion(), target, norm.getType(),
                         [&](OpBuilder &builder, Location loc) {
                           return train::LayerNormOp::create(
                               builder, loc,
                               TypeRange{norm.getType(), norm.getRowType(),
                                         norm.getRowType()},
                               input, gamma, beta, builder.getF32FloatAttr(eps),
                               ArrayAttr(), ArrayAttr());
                         });
      }
    }
  }
  return raised;
}

void defineSaved(NormRegion &norm, train::LayerNormOp op) {
  // Of a maximum of equals each side gets half a gradient; but where the
  // variance is 0, so is the difference from the mean that its is multiplied
  // by.
  norm.algebra().assumeNonnegative(getVariance(norm));
  norm.algebra().assumeNonzero(getVariance(norm));
  norm.getRegion().bindColumns(op.getGamma());
  norm.defineRows(op.getMean(), norm.mean(norm.x()));
  norm.defineRows(op.getRstd(), getRstd(norm, op.getEps().convertToDouble()));
}

/// Finds the gradient of `op` for one incoming gradient, and replaces it.
bool raiseGradientOf(train::LayerNormOp op, Value grad) {
  NormRegion norm(op.getInput());
  ExprRegion &region = norm.getRegion();
  Algebra &algebra = norm.algebra();
  defineSaved(norm, op);
  if (region.lookup(grad) || !region.bind(grad))
    return false;
  region.close();

  Poly dy = *region.lookupPoly(grad), rstd = *region.lookupPoly(op.getRstd());
  Poly n = *algebra.multiply(getCentered(norm), rstd);
  Poly h = *algebra.multiply(dy, norm.columnVector(op.getGamma()));
  Poly projected = *algebra.multiply(n, norm.mean(*algebra.multiply(h, n)));
  Poly inner = *algebra.subtract(*algebra.subtract(h, norm.mean(h)), projected);
  ParameterGradient parameters[] = {
      {norm.sumRows(*algebra.multiply(dy, n)), op.getGamma()},
      {norm.sumRows(dy), op.getBeta()}};
  return raiseGradient(
      region, op, *algebra.multiply(rstd, inner), parameters,
      [&](OpBuilder &builder, Location loc) {
        Value shaped = reshape(builder, loc, grad, norm.getType().getShape());
        Type vector = op.getGamma().getType();
        return train::LayerNormGradOp::create(
            builder, loc, TypeRange{norm.getType(), vector, vector}, shaped,
            op.getInput(), op.getGamma(), op.getMean(), op.getRstd(),
            ArrayAttr(), ArrayAttr());
      });
}

SmallVector<Value> getCandidates(train::LayerNormOp op) {
  NormRegion norm(op.getInput());
  if (!norm.isValid())
    return {};
  defineSaved(norm, op);
  norm.getRegion().close();
  return getGradientCandidates(norm.getRegion());
}

/// The input is what is squared, or what the mean is taken from before.
SmallVector<Value> getInputs(Block &block) {
  llvm::SetVector<Value> inputs;
  for (Value squared : getSquaredInputs(block)) {
    if (auto centered = squared.getDefiningOp<arith::SubFOp>())
      inputs.insert(centered.getLhs());
    else
      inputs.insert(squared);
  }
  return inputs.takeVector();
}

} // namespace

RaiseCount prec::raiseLayerNorm(func::FuncOp function) {
  RaiseCount count;
  Block &block = function.front();
  for (Value input : getInputs(block))
    count.forward += raiseLayerNormInput(input);
  eraseDead(block);

  SmallVector<train::LayerNormOp> norms(block.getOps<train::LayerNormOp>());
  for (train::LayerNormOp norm : llvm::reverse(norms))
    count.backward += llvm::any_of(getCandidates(norm), [&](Value grad) {
      return raiseGradientOf(norm, grad);
    });
  return count;
}
