//===- FlattenProducts.cpp - products of one matrix as such ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Train/Train.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace prec {
#define GEN_PASS_DEF_FLATTENPRODUCTS
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

static RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Rows and columns of a matrix whose batch dimensions are all 1.
static RankedTensorType getMatrixType(RankedTensorType type) {
  return type.clone(type.getShape().take_back(2));
}

/// All dimensions but the last are one.
static SmallVector<ReassociationIndices> getReassociation(int64_t rank) {
  SmallVector<ReassociationIndices> dims = {{}, {rank - 1}};
  llvm::append_range(dims[0], llvm::seq<int64_t>(0, rank - 1));
  return dims;
}

static bool readsNarrow(train::MatmulOp op) {
  return llvm::any_of(llvm::seq(2u), [&](unsigned operand) {
    TagAttr tag = getOperandTag(op, operand);
    return tag && tag.isNarrow();
  });
}

/// What a layout operation stores: its value's format.
static void copyTag(TagAttr tag, Operation *to) {
  if (tag)
    setResultTag(to, 0, tag);
}

/// `value` without its batch dimensions: what was a matrix is that again, so
/// that a weight is read as it is.
static Value getMatrix(Value value, train::MatmulOp op, OpBuilder &builder) {
  RankedTensorType matrix = getMatrixType(getType(value));
  if (auto view = value.getDefiningOp<tensor::ExpandShapeOp>();
      view && view.getSrc().getType() == matrix)
    return view.getSrc();
  auto collapsed = tensor::CollapseShapeOp::create(
      builder, op.getLoc(), matrix, value,
      getReassociation(getType(value).getRank()));
  train::copyProvenance(op, collapsed);
  copyTag(prec::getTag(value), collapsed);
  return collapsed;
}

static void flatten(train::MatmulOp op) {
  OpBuilder builder(op);
  RankedTensorType type = getType(op.getResult());
  SmallVector<Value, 2> operands = {getMatrix(op.getLhs(), op, builder),
                                    getMatrix(op.getRhs(), op, builder)};
  op->setOperands(0, 2, operands);
  op.getResult().setType(getMatrixType(type));
  builder.setInsertionPointAfter(op);
  auto expanded =
      tensor::ExpandShapeOp::create(builder, op.getLoc(), type, op.getResult(),
                                    getReassociation(type.getRank()));
  train::copyProvenance(op, expanded);
  copyTag(getResultTag(op, 0), expanded);
  op.getResult().replaceAllUsesExcept(expanded, expanded);
}

namespace {

struct FlattenProducts
    : public prec::impl::FlattenProductsBase<FlattenProducts> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<train::MatmulOp> found;
    function.walk([&](train::MatmulOp op) {
      if (op.getBatch() == 1 && getType(op.getResult()).getRank() > 2 &&
          readsNarrow(op))
        found.push_back(op);
    });
    llvm::for_each(found, flatten);
  }
};

} // namespace
