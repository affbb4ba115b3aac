//===- StridedView.cpp - values as strided parts of others ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows a value back through transpositions, reshapes and slices to the
// tensor in memory that it shows, and says at which strides and offset. A
// transposition permutes strides, a slice adds to the offset, a reshape splits
// a stride, or joins dimensions whose strides fit. It ends where a step cannot
// be said in strides, or where the innermost dimension would not be contiguous.
// Example: [B, S, H, D] transposed to [B, H, S, D] has strides [S H D, D, H D,
// 1].
//
//===----------------------------------------------------------------------===//
#include "Schedule/Rows/StridedView.h"

#include "prec/Dialect/Prec/Describe.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;
using sched::ViewAttr;

RankedTensorType prec::permute(RankedTensorType type,
                               ArrayRef<int64_t> permutation) {
  return type.clone(llvm::map_to_vector(
      permutation, [&](int64_t dim) { return type.getDimSize(dim); }));
}

/// Null where the last dimension does not stay innermost.
static ViewAttr viewOf(MLIRContext *context, ArrayRef<int64_t> shape,
                       ArrayRef<int64_t> strides, int64_t offset) {
  if (shape.empty() || llvm::is_contained(shape, 0) || strides.back() != 1)
    return {};
  return ViewAttr::get(context, shape, strides, offset);
}

static ViewAttr viewThrough(train::TransposeOp op, ViewAttr input) {
  SmallVector<int64_t> shape, strides;
  for (int64_t dim : op.getPermutation()) {
    shape.push_back(input.getShape()[dim]);
    strides.push_back(input.getStrides()[dim]);
  }
  return viewOf(op.getContext(), shape, strides, input.getOffset());
}

static ViewAttr viewThrough(tensor::ExpandShapeOp op, ViewAttr input) {
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  SmallVector<int64_t> strides(shape.size(), 1);
  for (auto [group, stride] :
       llvm::zip_equal(op.getReassociationIndices(), input.getStrides())) {
    int64_t next = stride;
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = next;
      next *= shape[dim];
    }
  }
  return viewOf(op.getContext(), shape, strides, input.getOffset());
}

static ViewAttr viewThrough(tensor::CollapseShapeOp op, ViewAttr input) {
  SmallVector<int64_t> strides;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    int64_t stride = 1, elements = 1;
    for (int64_t dim : llvm::reverse(group)) {
      // A dimension of one element is never walked.
      if (input.getShape()[dim] == 1)
        continue;
      if (elements == 1)
        stride = input.getStrides()[dim];
      else if (input.getStrides()[dim] != stride * elements)
        return {};
      elements *= input.getShape()[dim];
    }
    strides.push_back(stride);
  }
  if (strides.empty())
    return {};
  return viewOf(op.getContext(), op.getResultType().getShape(), strides,
                input.getOffset());
}

static ViewAttr viewThrough(tensor::ExtractSliceOp op, ViewAttr input) {
  if (op.getSourceType().getRank() != op.getType().getRank() ||
      !op.getOffsets().empty() || !op.getStrides().empty() ||
      llvm::any_of(op.getStaticStrides(), [](int64_t i) { return i != 1; }))
    return {};
  int64_t offset = input.getOffset();
  for (auto [first, stride] :
       llvm::zip_equal(op.getStaticOffsets(), input.getStrides()))
    offset += first * stride;
  return viewOf(op.getContext(), op.getType().getShape(), input.getStrides(),
                offset);
}

StridedView prec::getStridedView(
    Value value,
    llvm::function_ref<bool(tensor::ExtractSliceOp)> readsThrough) {
  StridedView whole = {
      value, ViewAttr::getWhole(cast<RankedTensorType>(value.getType()))};
  Operation *op = value.getDefiningOp();
  auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op);
  if ((!isReshape(op) &&
       !isa_and_present<train::TransposeOp, tensor::ExtractSliceOp>(op)) ||
      (slice && !readsThrough(slice)) ||
      cast<RankedTensorType>(op->getOperand(0).getType()).getRank() == 0)
    return whole;
  StridedView input = getStridedView(op->getOperand(0), readsThrough);
  ViewAttr layout =
      llvm::TypeSwitch<Operation *, ViewAttr>(op)
          .Case<train::TransposeOp, tensor::ExpandShapeOp,
                tensor::CollapseShapeOp, tensor::ExtractSliceOp>(
              [&](auto view) { return viewThrough(view, input.layout); });
  return layout ? StridedView{input.base, layout} : whole;
}
