//===- DecomposeRanks.cpp - sums over ranks -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges move bytes and add nothing up. Of two ranks, or of what has no
// slice for each, every rank gets all parts and adds them up. Of more ranks
// that would be as many times the bytes, so each rank gets the parts of one
// slice, adds them up, and gives all others the sum. Both add in the order of
// ranks, and have the same bits on all of them. Where a rank reads nothing of a
// sum but its slice, no sum is given to others.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Decompose/Decompose.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/Ranks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;
using train::ExchangeKind;

/// Terms of a sum, or the sum.
static Value asStored(Value exchanged) {
  train::setSentAs(exchanged.getDefiningOp(),
                   "the format in which terms of the sum are stored");
  return exchanged;
}

/// Dimensions of a shape, the first two of them as one.
static SmallVector<ReassociationIndices> joinFirst(int64_t rank) {
  SmallVector<ReassociationIndices> groups{{0, 1}};
  for (int64_t dim = 2; dim < rank; ++dim)
    groups.push_back({dim});
  return groups;
}

Value prec::buildFirstRow(StringRef axis, int64_t ranks, int64_t rows,
                          Value ids, PrimitiveBuilder &b) {
  Type element = tensorType(ids).getElementType();
  SmallVector<APInt> firsts;
  for (int64_t rank = 0; rank < ranks; ++rank)
    firsts.emplace_back(element.getIntOrFloatBitWidth(), rank * rows);
  auto type = RankedTensorType::get({ranks}, element);
  Value all = b.create<arith::ConstantOp>(DenseElementsAttr::get(type, firsts));
  return b.create<train::ExchangeOp>(RankedTensorType::get({}, element),
                                     ExchangeKind::OwnSlice, all, axis);
}

Value prec::gather(StringRef axis, int64_t ranks, Value value,
                   PrimitiveBuilder &b) {
  SmallVector<int64_t> shape{ranks};
  llvm::append_range(shape, shapeOf(value));
  return b.create<train::ExchangeOp>(tensorType(value).clone(shape),
                                     ExchangeKind::AllGather, value, axis);
}

Value prec::addUp(Value parts, PrimitiveBuilder &b) {
  ArrayRef<int64_t> shape = shapeOf(parts);
  const int64_t rank = shape.size();
  Value sum;
  for (int64_t i = 0; i < shape[0]; ++i) {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    Builder index(parts.getContext());
    for (int64_t dim = 0; dim < rank; ++dim) {
      offsets.push_back(index.getIndexAttr(dim == 0 ? i : 0));
      sizes.push_back(index.getIndexAttr(dim == 0 ? 1 : shape[dim]));
      strides.push_back(index.getIndexAttr(1));
    }
    SmallVector<int64_t> one(shape);
    one[0] = 1;
    Value slice = b.create<tensor::ExtractSliceOp>(
        tensorType(parts).clone(one), parts, offsets, sizes, strides);
    Value part = b.create<tensor::CollapseShapeOp>(
        tensorType(parts).clone(shape.drop_front()), slice,
        rank == 1 ? SmallVector<ReassociationIndices>() : joinFirst(rank));
    part = b.toF32(part);
    sum = sum ? b.add(sum, part) : part;
  }
  return sum;
}

/// The sum of which `own` is a rank's slice, where nothing else reads it.
static train::AllReduceOp findSumOfSlice(train::ExchangeOp own) {
  if (own.getKind() != ExchangeKind::OwnSlice)
    return {};
  Value read = own.getInput();
  while (read.hasOneUse() && read.getDefiningOp() &&
         isReshape(read.getDefiningOp()))
    read = read.getDefiningOp()->getOperand(0);
  auto sum = read.getDefiningOp<train::AllReduceOp>();
  bool isAlone =
      sum && read.hasOneUse() && own.getInput().hasOneUse() &&
      sum.getAxis() == own.getAxis() &&
      tensorType(own.getInput()).getDimSize(0) == int64_t(sum.getRanks());
  return isAlone ? sum : train::AllReduceOp();
}

void prec::decomposeSumsOfSlices(func::FuncOp function,
                                 ConstantPool &constants) {
  SmallVector<train::ExchangeOp> slices(function.getOps<train::ExchangeOp>());
  for (train::ExchangeOp own : slices) {
    train::AllReduceOp sum = findSumOfSlice(own);
    if (!sum)
      continue;
    PrimitiveBuilder b(own, constants);
    Value terms = own.getInput();
    Value parts = asStored(b.create<train::ExchangeOp>(
        terms.getType(), ExchangeKind::AllToAll, terms, own.getAxis()));
    own.getResult().replaceAllUsesWith(
        b.roundTo(addUp(parts, b), own.getResult()));
    own.erase();
    // What was a reshape of the sum is one of the terms.
    sum.getResult().replaceAllUsesWith(sum.getInput());
    sum.erase();
  }
}

Values prec::decompose(train::AllReduceOp op, PrimitiveBuilder &b) {
  const int64_t ranks = op.getRanks();
  Value input = op.getInput();
  RankedTensorType type = tensorType(input);
  if (ranks == 2 || type.getRank() == 0 || type.getDimSize(0) % ranks != 0)
    return {b.roundTo(addUp(asStored(gather(op.getAxis(), ranks, input, b)), b),
                      op.getResult())};
  SmallVector<int64_t> shape{ranks, type.getDimSize(0) / ranks};
  llvm::append_range(shape, type.getShape().drop_front());
  auto groups = joinFirst(type.getRank() + 1);
  Value slices =
      b.create<tensor::ExpandShapeOp>(type.clone(shape), input, groups);
  Value parts = asStored(b.create<train::ExchangeOp>(
      slices.getType(), ExchangeKind::AllToAll, slices, op.getAxis()));
  Value sum = addUp(parts, b);
  Value gathered =
      asStored(gather(op.getAxis(), ranks, b.roundTo(sum, op.getResult()), b));
  return {b.create<tensor::CollapseShapeOp>(type, gathered, groups)};
}
