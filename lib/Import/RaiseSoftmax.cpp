//===- RaiseSoftmax.cpp - find softmaxes of the last dimension ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds softmaxes of the last dimension and their gradients. Inputs are
// exponents whose exponentials are summed, before and after a shift. In normal
// form exp(x - m) is exp(x) exp(-m), and exp(-m) leaves the sum and cancels if
// m is one value for each row. So it does not matter what was subtracted, a
// maximum or a detached copy of it. The gradient y * (dy - sum(dy * y)) is
// searched in expressions of the result y, which is all that is known behind a
// softmax.
//
//===----------------------------------------------------------------------===//
#include "Import/Gradient.h"
#include "Import/Match.h"
#include "Import/Raise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace prec;

namespace {

/// The region of a softmax's input. What is taken out of the exponents for the
/// sake of their range may be any number for each row.
class SoftmaxRegion {
public:
  explicit SoftmaxRegion(Value input)
      : type(cast<RankedTensorType>(input.getType())),
        region(type, ExprRegion::LastDim::Whole, getRowAxes(type)),
        valid(type.getRank() > 0 && type.getShape().back() > 1 &&
              region.bind(input)) {
    if (!valid)
      return;
    Algebra &algebra = region.getAlgebra();
    Poly e = *algebra.apply(math::ExpOp::getOperationName(),
                            *region.lookupPoly(input));
    definition = *algebra.multiply(
        e, *algebra.power(*algebra.sum(e, region.getLastAxes()), -1));
  }

  static AxisSet getRowAxes(RankedTensorType type) {
    unsigned axes =
        llvm::count_if(type.getShape(), [](int64_t size) { return size != 1; });
    return axes ? (AxisSet(1) << (axes - 1)) - 1 : 0;
  }

  RankedTensorType type;
  ExprRegion region;
  Poly definition;
  bool valid;
};

unsigned raiseInput(Value input) {
  SoftmaxRegion softmax(input);
  if (!softmax.valid)
    return 0;
  softmax.region.close();
  return raiseForward(softmax.region, softmax.definition, softmax.type,
                      [&](OpBuilder &builder, Location loc) {
                        return train::SoftmaxOp::create(
                            builder, loc, softmax.type, input, ArrayAttr(),
                            ArrayAttr());
                      });
}

/// Only the result is known behind a softmax: its gradient is one in it.
bool raiseGradientOf(train::SoftmaxOp op, Value grad) {
  SoftmaxRegion softmax(op.getInput());
  ExprRegion &region = softmax.region;
  Algebra &algebra = region.getAlgebra();
  region.define(
      op.getResult(),
      Expr(softmax.definition, *region.getLayout(softmax.type.getShape())));
  if (region.lookup(grad) || !region.bind(grad))
    return false;
  region.close();
  Poly dy = *region.lookupPoly(grad);
  Poly along = *algebra.sum(*algebra.multiply(dy, softmax.definition),
                            region.getLastAxes());
  Poly target =
      *algebra.multiply(softmax.definition, *algebra.subtract(dy, along));
  return raiseGradient(
      region, op, target, {}, [&](OpBuilder &builder, Location loc) {
        Value shaped = reshape(builder, loc, grad, softmax.type.getShape());
        return train::SoftmaxGradOp::create(builder, loc, softmax.type, shaped,
                                            op.getResult(), ArrayAttr(),
                                            ArrayAttr());
      });
}

SmallVector<Value> getCandidates(train::SoftmaxOp op) {
  SoftmaxRegion softmax(op.getInput());
  if (!softmax.valid)
    return {};
  softmax.region.define(
      op.getResult(), Expr(softmax.definition,
                           *softmax.region.getLayout(softmax.type.getShape())));
  softmax.region.close();
  return getGradientCandidates(softmax.region);
}

/// Whether a sum over the last dimension reads `value`.
bool isSummed(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    auto reduce = dyn_cast<train::ReduceOp>(user);
    return reduce && reduce.getKind() == train::ReduceKind::Sum &&
           reducesLastDim(reduce);
  });
}

} // namespace

llvm::SetVector<Value> prec::getSoftmaxInputs(Block &block) {
  llvm::SetVector<Value> inputs;
  for (auto exp : block.getOps<math::ExpOp>()) {
    if (!isSummed(exp.getResult()))
      continue;
    Value exponent = exp.getOperand();
    if (auto shifted = exponent.getDefiningOp<arith::SubFOp>())
      inputs.insert(shifted.getLhs());
    inputs.insert(exponent);
  }
  return inputs;
}

RaiseCount prec::raiseSoftmax(func::FuncOp function) {
  RaiseCount count;
  Block &block = function.front();
  for (Value input : getSoftmaxInputs(block))
    count.forward += raiseInput(input);
  eraseDead(block);

  SmallVector<train::SoftmaxOp> softmaxes(block.getOps<train::SoftmaxOp>());
  for (train::SoftmaxOp softmax : llvm::reverse(softmaxes))
    count.backward += llvm::any_of(getCandidates(softmax), [&](Value grad) {
      return raiseGradientOf(softmax, grad);
    });
  return count;
}
