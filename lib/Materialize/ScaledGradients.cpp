//===- ScaledGradients.cpp - what scales with the loss --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/ScaledGradients.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/LinearOpInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace prec;

bool prec::isOptimizer(Operation *op) {
  return train::getPhase(op) == train::Phase::Optimizer ||
         isa<train::OptimizerOpInterface, train::GlobalNormOp, train::ClipOp>(
             op);
}

bool prec::isZeroTensor(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!getMovedOperand(op) && !isCast(op))
      return matchPattern(op, m_AnyZeroFloat());
    value = op->getOperand(0);
  }
  return false;
}

namespace {

class ScaledFinder {
public:
  LogicalResult visit(Operation *op);

  ScaledGradients gradients;

private:
  bool isScaled(Value value) const { return gradients.values.contains(value); }
  LogicalResult verify(Operation *op, const Linearity &linearity);
};

} // namespace

LogicalResult ScaledFinder::verify(Operation *op, const Linearity &linearity) {
  for (OpOperand &operand : op->getOpOperands())
    // scaled_gradients_c1
    if (isScaled(operand.get()) &&
        !llvm::is_contained(linearity.operands, operand.getOperandNumber()))
      return op->emitOpError("a gradient must reach the optimizer through what "
                             "is linear in it, but got one as operand ")
             << operand.getOperandNumber();
  switch (linearity.kind) {
  case Linearity::Kind::Sum:
    for (unsigned index : linearity.operands)
      // scaled_gradients_c2
      if (!isScaled(op->getOperand(index)) &&
          !isZeroTensor(op->getOperand(index)))
        return op->emitOpError("terms must all scale with the loss, but "
                               "operand ")
               << index << " does not";
    return success();
  case Linearity::Kind::Product:
    // scaled_gradients_c3
    if (1 != llvm::count_if(linearity.operands, [&](unsigned index) {
          return isScaled(op->getOperand(index));
        }))
      return op->emitOpError(
          "one factor must scale with the loss, but got more");
    return success();
  case Linearity::Kind::Scale:
    return success();
  }
  llvm_unreachable("kind is an enumeration");
}

LogicalResult ScaledFinder::visit(Operation *op) {
  auto seed = dyn_cast<train::CrossEntropyGradOp>(op);
  if (seed && !isScaled(seed.getGrad())) {
    gradients.seeds.push_back(seed);
    gradients.values.insert(seed.getGradLogits());
    return success();
  }
  if (llvm::none_of(op->getOperands(),
                    [&](Value value) { return isScaled(value); }))
    return success();
  auto linear = dyn_cast<LinearOpInterface>(op);
  // scaled_gradients_c4
  if (!linear)
    return op->emitOpError("a gradient must reach the optimizer through what "
                           "is linear in it, but got an operation that is "
                           "not known to be: recipes without loss scaling "
                           "take it (loss-scaling=none)");
  Linearity linearity = linear.getLinearity();
  if (failed(verify(op, linearity)))
    return failure();
  // A scale made from a scaled amax leaves the quantized data as they are.
  if (linearity.kind != Linearity::Kind::Scale)
    gradients.values.insert_range(op->getResults());
  return success();
}

FailureOr<ScaledGradients> prec::findScaledGradients(func::FuncOp step) {
  ScaledFinder finder;
  for (Operation &op : step.front().without_terminator())
    if (!isOptimizer(&op) && failed(finder.visit(&op)))
      return failure();
  return finder.gradients;
}
