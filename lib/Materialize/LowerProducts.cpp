//===- LowerProducts.cpp - products of other dialects ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction of another compiler's dialect whose operands are tagged FP8 or
// FP4 is written as the primitives that it decomposes into, among which one
// prec_train.matmul computes it; only that has a scaled form. Tags move along:
// an operand of the matmul is followed back, through what only moves elements,
// to the operand of the contraction whose tag it then has. What was added
// before the matmul stores what its operand does, what was added behind it what
// the result does.
//
//===----------------------------------------------------------------------===//
#include "Materialize/Supported.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/PrimitiveBuilder.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {
#define GEN_PASS_DEF_LOWERPRODUCTS
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

static bool readsNarrow(Operation *op) {
  return llvm::any_of(llvm::seq(op->getNumOperands()), [&](unsigned operand) {
    TagAttr tag = getOperandTag(op, operand);
    return tag && tag.isNarrow();
  });
}

namespace {

/// One contraction and the primitives in front of it.
class Product {
public:
  Product(Operation *op, ConstantPool &constants) : op(op) {
    Operation *before = op->getPrevNode();
    PrimitiveBuilder builder(op, constants);
    values = cast<train::DecomposeOpInterface>(op).decompose(builder);
    Operation *first =
        before ? before->getNextNode() : &op->getBlock()->front();
    for (Operation *made = first; made != op; made = made->getNextNode())
      primitives.insert(made);
  }

  /// Fails after an error, with the primitives in place.
  LogicalResult replace();

private:
  FailureOr<train::MatmulOp> findMatmul();
  /// The operand of the contraction whose elements a value has.
  std::optional<unsigned> findOperand(Value value);

  Operation *op;
  SmallVector<Value, 3> values;
  llvm::SetVector<Operation *> primitives;
};

} // namespace

FailureOr<train::MatmulOp> Product::findMatmul() {
  train::MatmulOp found;
  unsigned count = 0;
  for (Operation *made : primitives)
    if (auto matmul = dyn_cast<train::MatmulOp>(made)) {
      found = matmul;
      ++count;
    }
  // lower_products_c1
  if (count != 1 || values.size() != op->getNumResults())
    return op->emitOpError("a product that reads fp8 or fp4 must decompose "
                           "into one prec_train.matmul, but got ")
           << count;
  return found;
}

std::optional<unsigned> Product::findOperand(Value value) {
  while (Operation *made = value.getDefiningOp()) {
    Value moved = primitives.contains(made) ? getMovedOperand(made) : Value();
    if (!moved)
      break;
    value = moved;
  }
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == value && getOperandTag(op, operand.getOperandNumber()))
      return operand.getOperandNumber();
  return std::nullopt;
}

LogicalResult Product::replace() {
  FailureOr<train::MatmulOp> matmul = findMatmul();
  if (failed(matmul))
    return failure();
  for (Operation *made : primitives)
    if (made->getNumResults() == 1)
      setResultTag(made, 0, getResultTag(op, 0));
  for (unsigned side : {0, 1}) {
    std::optional<unsigned> operand = findOperand((*matmul)->getOperand(side));
    // lower_products_c2
    if (!operand)
      return op->emitOpError("the prec_train.matmul of a product that reads "
                             "fp8 or fp4 must read elements of its operands as "
                             "they are, but operand ")
             << side << " is computed";
    setOperandTag(*matmul, side, getOperandTag(op, *operand));
    Value value = (*matmul)->getOperand(side);
    TagAttr stored = prec::getTag(op->getOperand(*operand));
    while (value != op->getOperand(*operand)) {
      if (stored)
        setResultTag(value.getDefiningOp(), 0, stored);
      value = getMovedOperand(value.getDefiningOp());
    }
  }
  if (Attribute direction = op->getAttr(kDirection))
    (*matmul)->setAttr(kDirection, direction);
  op->replaceAllUsesWith(values);
  op->erase();
  return success();
}

namespace {

struct LowerProducts : public prec::impl::LowerProductsBase<LowerProducts> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    SmallVector<Operation *> found;
    for (Operation &op : function.getBody().front())
      if (isDescribed(&op) && getStructure(&op) == Structure::Contraction &&
          readsNarrow(&op))
        found.push_back(&op);
    ConstantPool constants(function.getBody().front());
    for (Operation *op : found)
      if (failed(Product(op, constants).replace()))
        return signalPassFailure();
  }
};

} // namespace
