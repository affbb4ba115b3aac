//===- ExprLayout.cpp - data movement and reductions in a region ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Import/ExprRegion.h"
#include "Import/Match.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;

static ArrayRef<int64_t> getShapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

std::optional<Expr> ExprRegion::evaluateConcat(Operation *op) {
  auto concat = cast<tensor::ConcatOp>(op);
  int64_t last = concat.getResultType().getRank() - 1;
  if (!splitAxis || concat.getInputs().size() != 2 ||
      static_cast<int64_t>(concat.getDim()) != last ||
      concat.getInputs()[0].getType() != concat.getInputs()[1].getType())
    return std::nullopt;
  const Expr *anchor = lookup(concat.getInputs()[0]);
  if (!anchor)
    anchor = lookup(concat.getInputs()[1]);
  unsigned half = sizes.size() - 1;
  if (!anchor || anchor->layout.back() != SmallVector<unsigned, 2>{half})
    return std::nullopt;
  Expr result;
  Layout layout = anchor->layout;
  for (Value input : concat.getInputs()) {
    std::optional<Expr> expr = getOperand(input, layout);
    if (!expr)
      return std::nullopt;
    result.pieces.push_back(std::move(expr->pieces.front()));
  }
  result.layout = layout;
  result.layout.back() = {*splitAxis, half};
  return result;
}

std::optional<Expr> ExprRegion::evaluateSlice(Operation *op) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  const Expr *input = lookup(slice.getSource());
  if (!splitAxis || !input ||
      slice.getType().getRank() != slice.getSourceType().getRank() ||
      !llvm::all_equal(slice.getStaticStrides()) ||
      slice.getStaticStrides().front() != 1)
    return std::nullopt;
  unsigned half = sizes.size() - 1;
  ArrayRef<int64_t> from = slice.getSourceType().getShape(),
                    to = slice.getType().getShape();
  if (input->layout.back() != SmallVector<unsigned, 2>{*splitAxis, half} ||
      from.drop_back() != to.drop_back() || to.back() * 2 != from.back())
    return std::nullopt;
  int64_t offset = slice.getStaticOffsets().back();
  if (offset != 0 && offset != to.back())
    return std::nullopt;
  Expr result;
  result.layout = input->layout;
  result.layout.back() = {half};
  result.pieces.push_back(input->pieces[offset != 0]);
  return result;
}

std::optional<Expr> ExprRegion::evaluateLayout(Operation *op,
                                               const Expr &input) {
  Expr result;
  result.pieces = input.pieces;
  ArrayRef<int64_t> shape = getShapeOf(op->getResult(0));
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    for (auto &group : collapse.getReassociationIndices()) {
      auto &axes = result.layout.emplace_back();
      for (int64_t dim : group)
        llvm::append_range(axes, input.layout[dim]);
    }
    return result;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    for (auto [axes, group] :
         llvm::zip(input.layout, expand.getReassociationIndices())) {
      auto groups = splitAxes(axes, shape.slice(group.front(), group.size()));
      if (!groups)
        return std::nullopt;
      llvm::append_range(result.layout, *groups);
    }
    return result;
  }
  if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
    auto agrees = [&](const std::optional<Layout> &layout) {
      if (!layout)
        return false;
      for (auto [axes, dim] : llvm::zip(input.layout, broadcast.getDims()))
        if ((*layout)[dim] != axes)
          return false;
      return true;
    };
    std::optional<Layout> layout = assign(shape, false);
    if (!agrees(layout))
      layout = assign(shape, true);
    if (!agrees(layout)) {
      // New dimensions of extent 1 need no axis.
      layout.emplace(shape.size());
      int64_t product = 1;
      for (auto [axes, dim] : llvm::zip(input.layout, broadcast.getDims())) {
        (*layout)[dim] = axes;
        product *= shape[dim];
      }
      if (product !=
          cast<RankedTensorType>(broadcast.getType()).getNumElements())
        return std::nullopt;
    }
    result.layout = *layout;
    if (hasSplit(*layout) && result.pieces.size() == 1)
      result.pieces.push_back(Poly(result.pieces.front()));
    return result;
  }
  auto reduce = cast<train::ReduceOp>(op);
  if (result.pieces.size() != 1 || reduce.getKind() == train::ReduceKind::Min)
    return std::nullopt;
  AxisSet axes = 0;
  for (auto [dim, group] : llvm::enumerate(input.layout)) {
    if (!llvm::is_contained(reduce.getDims(), static_cast<int64_t>(dim))) {
      result.layout.push_back(group);
      continue;
    }
    for (unsigned axis : group)
      axes |= AxisSet(1) << axis;
  }
  auto poly = reduce.getKind() == train::ReduceKind::Sum
                  ? algebra.sum(input.pieces.front(), axes)
                  : algebra.max(input.pieces.front(), axes);
  if (!poly)
    return std::nullopt;
  result.pieces.front() = std::move(*poly);
  return result;
}
