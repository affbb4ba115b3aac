//===- FoldBias.cpp - biases that the library adds ------------------------===//
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::prec {
#define GEN_PASS_DEF_FOLDBIAS
#include "prec/Materialize/Passes.h.inc"
} // namespace mlir::prec

using namespace mlir;
using namespace mlir::prec;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static Value getWidened(Value value) {
  auto extend = value.getDefiningOp<arith::ExtFOp>();
  return extend ? extend.getIn() : value;
}

/// Whether cuBLASLt adds biases to products as `op` computes them.
static bool takesBias(Operation *op) {
  if (auto matmul = dyn_cast_if_present<train::MatmulOp>(op))
    return !matmul.getBias() && typeOf(matmul.getResult()).getRank() == 2;
  auto matmul = dyn_cast_if_present<ScaledMatmulOp>(op);
  return matmul && !matmul.getBias() &&
         matmul.getLhsScale().getType().getRank() == 0 &&
         matmul.getRhsScale().getType().getRank() == 0;
}

/// The vector that every row of `value` is, in the format in which it is
/// stored; null if rows differ.
static Value getRow(Value value) {
  auto broadcast = getWidened(value).getDefiningOp<train::BroadcastOp>();
  if (!broadcast || typeOf(broadcast.getResult()).getRank() != 2 ||
      broadcast.getDims() != ArrayRef<int64_t>{1})
    return {};
  return getWidened(broadcast.getInput());
}

/// `sum`, rounded to `type` for its only reader or of that type from the start;
/// null if others read more of it.
static Value getRounded(Value sum, RankedTensorType type) {
  if (sum.getType() == type)
    return sum;
  auto round = sum.hasOneUse() ? dyn_cast<arith::TruncFOp>(*sum.user_begin())
                               : arith::TruncFOp();
  if (!round || round.getRoundingmode() || round.getType() != type)
    return {};
  return round.getResult();
}

/// Erases `op` and what was computed for it alone.
static void eraseDead(Operation *op) {
  if (!isOpTriviallyDead(op))
    return;
  llvm::SmallSetVector<Operation *, 4> makers;
  for (Value operand : op->getOperands())
    if (Operation *maker = operand.getDefiningOp())
      makers.insert(maker);
  op->erase();
  llvm::for_each(makers, eraseDead);
}

namespace {

/// A product, its bias and what is left of their sum.
struct BiasedProduct {
  Operation *product;
  Value bias, result;
};

struct FoldBias : prec::impl::FoldBiasBase<FoldBias> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    SmallVector<BiasedProduct> found;
    for (auto add : function.front().getOps<arith::AddFOp>())
      for (bool isSwapped : {false, true})
        if (auto match = find(add, isSwapped))
          found.push_back(*match);
    llvm::for_each(found, fold);
  }

private:
  static std::optional<BiasedProduct> find(arith::AddFOp add, bool isSwapped) {
    Value term = add->getOperand(isSwapped),
          other = add->getOperand(!isSwapped);
    Value product = getWidened(term);
    if (!typeOf(add.getResult()).getElementType().isF32() ||
        !takesBias(product.getDefiningOp()) || !product.hasOneUse() ||
        !term.hasOneUse())
      return std::nullopt;
    Value bias = getRow(other);
    Value result = getRounded(add.getResult(), typeOf(product));
    bool isScaled = isa<ScaledMatmulOp>(product.getDefiningOp());
    if (!bias || !result ||
        bias.getType() != getBiasType(typeOf(product), isScaled))
      return std::nullopt;
    return BiasedProduct{product.getDefiningOp(), bias, result};
  }

  /// The bias may come behind the product.
  static void fold(BiasedProduct match) {
    Operation *replaced = match.result.getDefiningOp();
    OpBuilder builder(replaced);
    Operation *folded = builder.clone(*match.product);
    if (auto matmul = dyn_cast<train::MatmulOp>(folded))
      matmul.getBiasMutable().assign(match.bias);
    else
      cast<ScaledMatmulOp>(folded).getBiasMutable().assign(match.bias);
    match.result.replaceAllUsesWith(folded->getResult(0));
    eraseDead(replaced);
  }
};

} // namespace
