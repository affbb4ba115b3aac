//===- ScaledGradients.cpp - what scales with the loss --------------------===//
#include "ScaledGradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::prec;

bool prec::isOptimizer(Operation *op) {
  return train::getPhase(op) == train::Phase::Optimizer ||
         isa<train::OptimizerOpInterface, train::GlobalNormOp, train::ClipOp>(
             op);
}

bool prec::isZeroTensor(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<train::BroadcastOp, train::TransposeOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::ExtractSliceOp, arith::ExtFOp,
             arith::TruncFOp>(op))
      return matchPattern(op, m_AnyZeroFloat());
    value = op->getOperand(0);
  }
  return false;
}

namespace {

/// How the result of an operation depends on scaled operands.
enum class Dependence {
  Sum,     ///< all of `operands` must be scaled, or zero
  Product, ///< exactly one of `operands` may be
};

struct Rule {
  Dependence dependence;
  SmallVector<unsigned, 4> operands;
};

class ScaledFinder {
public:
  LogicalResult visit(Operation *op);

  ScaledGradients gradients;

private:
  bool isScaled(Value value) const { return gradients.values.contains(value); }
  LogicalResult verify(Operation *op, const Rule &rule);
};

} // namespace

/// Of operations without a rule no operand may be scaled.
static std::optional<Rule> getRule(Operation *op) {
  auto all = [&](Dependence dependence) -> Rule {
    return {dependence,
            llvm::to_vector<4>(llvm::seq<unsigned>(0, op->getNumOperands()))};
  };
  return llvm::TypeSwitch<Operation *, std::optional<Rule>>(op)
      .Case<arith::AddFOp, arith::SubFOp, arith::MaximumFOp, arith::MinimumFOp,
            arith::MaxNumFOp, arith::MinNumFOp, arith::NegFOp, math::AbsFOp,
            arith::ExtFOp, arith::TruncFOp, tensor::ConcatOp,
            tensor::CollapseShapeOp, tensor::ExpandShapeOp,
            tensor::ExtractSliceOp, train::BroadcastOp, train::TransposeOp,
            train::ReduceOp, AmaxOp>([&](auto) { return all(Dependence::Sum); })
      .Case<arith::MulFOp, train::MatmulOp>(
          [&](auto) { return all(Dependence::Product); })
      .Case<arith::DivFOp, train::GatherOp, train::EmbeddingOp, train::RopeOp,
            train::RmsNormGradOp, train::LayerNormGradOp, train::SoftmaxGradOp,
            train::CrossEntropyGradOp, train::AttentionGradOp,
            train::EmbeddingGradOp>(
          [](auto) { return Rule{Dependence::Sum, {0}}; })
      .Case<arith::SelectOp>([](auto) { return Rule{Dependence::Sum, {1, 2}}; })
      .Case<train::ScatterAddOp>(
          [](auto) { return Rule{Dependence::Sum, {0, 2}}; })
      // Data and scale together stand for the value; the data is marked.
      .Case<QuantizeOp, DequantizeOp>(
          [](auto) { return Rule{Dependence::Sum, {0}}; })
      .Case<ScaledMatmulOp>(
          [](auto) { return Rule{Dependence::Product, {0, 2}}; })
      .Default(std::optional<Rule>());
}

LogicalResult ScaledFinder::verify(Operation *op, const Rule &rule) {
  for (OpOperand &operand : op->getOpOperands())
    // scaled_gradients_c1
    if (isScaled(operand.get()) &&
        !llvm::is_contained(rule.operands, operand.getOperandNumber()))
      return op->emitOpError("a gradient must reach the optimizer through what "
                             "is linear in it, but got one as operand ")
             << operand.getOperandNumber();
  if (rule.dependence == Dependence::Sum) {
    for (unsigned index : rule.operands)
      // scaled_gradients_c2
      if (!isScaled(op->getOperand(index)) &&
          !isZeroTensor(op->getOperand(index)))
        return op->emitOpError("terms must all scale with the loss, but "
                               "operand ")
               << index << " does not";
    return success();
  }
  // scaled_gradients_c3
  if (1 != llvm::count_if(rule.operands, [&](unsigned index) {
        return isScaled(op->getOperand(index));
      }))
    return op->emitOpError("one factor must scale with the loss, but got more");
  return success();
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
  // A scale made from a scaled amax leaves the quantised data as they are.
  if (isa<UpdateScaleOp, DelayedScaleOp>(op))
    return success();
  std::optional<Rule> rule = getRule(op);
  // scaled_gradients_c4
  if (!rule)
    return op->emitOpError("a gradient must reach the optimizer through what "
                           "is linear in it, but got an operation that is "
                           "not known to be");
  if (failed(verify(op, *rule)))
    return failure();
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
