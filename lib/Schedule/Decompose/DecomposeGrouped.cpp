//===- DecomposeGrouped.cpp - grouped products without a kernel -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a product of groups for a target that has no kernel for it: each
// matrix meets all rows, and each row keeps what its own group gave. That is as
// many products as there are groups, so it is right but slow. A mask says which
// rows are of a group: those below its end that are below no end before it.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Decompose/Decompose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace prec;

namespace {

class GroupedBuilder {
public:
  GroupedBuilder(Value ends, int64_t rows, PrimitiveBuilder &b)
      : b(b), context(ends.getContext()), ends(ends), rows(rows) {}

  int64_t getGroups() const { return shapeOf(ends)[0]; }

  /// Of the next group, one i1 for each row.
  Value nextMask() {
    Value end = slice(ends, {group}, {1});
    end = b.create<tensor::CollapseShapeOp>(
        RankedTensorType::get({}, tensorType(ends).getElementType()), end,
        ArrayRef<ReassociationIndices>());
    ++group;
    Value below =
        b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, b.iota(0, {rows}),
                                b.broadcast(end, {}, {rows}));
    Value mask = seen ? b.create<arith::AndIOp>(
                            below, b.create<arith::XOrIOp>(seen, allTrue()))
                      : below;
    seen = seen ? b.create<arith::OrIOp>(seen, below) : below;
    return mask;
  }

  /// `value` [rows, columns] where the mask holds, `other` elsewhere.
  Value select(Value mask, Value value, Value other) {
    return b.select(b.broadcast(mask, {0}, shapeOf(value)), value, other);
  }

  Value slice(Value value, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
    SmallVector<int64_t> ones(sizes.size(), 1);
    return b.create<tensor::ExtractSliceOp>(
        tensorType(value).clone(sizes), value,
        getAsIndexOpFoldResult(context, offsets),
        getAsIndexOpFoldResult(context, sizes),
        getAsIndexOpFoldResult(context, ones));
  }

  Value multiply(Value lhs, Value rhs, bool transposeA, bool transposeB,
                 Type element) {
    auto type = RankedTensorType::get(
        {shapeOf(lhs)[transposeA ? 1 : 0], shapeOf(rhs)[transposeB ? 0 : 1]},
        element);
    return b.create<train::MatmulOp>(type, lhs, rhs, /*bias=*/Value(),
                                     transposeA, transposeB,
                                     /*result_tags=*/nullptr,
                                     /*operand_tags=*/nullptr);
  }

private:
  Value allTrue() {
    auto type = RankedTensorType::get({rows}, IntegerType::get(context, 1));
    return b.create<arith::ConstantOp>(DenseElementsAttr::get(type, true));
  }

  PrimitiveBuilder &b;
  MLIRContext *context;
  Value ends, seen;
  int64_t rows, group = 0;
};

} // namespace

Values prec::decompose(train::GroupedMatmulOp op, PrimitiveBuilder &b) {
  GroupedBuilder groups(op.getEnds(), shapeOf(op.getRows())[0], b);
  RankedTensorType type = tensorType(op.getResult());
  ArrayRef<int64_t> sizes = shapeOf(op.getMatrices());
  Value result = b.zeros(type);
  for (int64_t group = 0; group < groups.getGroups(); ++group) {
    Value matrix =
        groups.slice(op.getMatrices(), {group, 0, 0}, {1, sizes[1], sizes[2]});
    matrix = b.create<tensor::CollapseShapeOp>(
        matrix, ArrayRef<ReassociationIndices>{{0, 1}, {2}});
    Value product = groups.multiply(op.getRows(), matrix, /*transposeA=*/false,
                                    op.getTransposeB(), type.getElementType());
    result = groups.select(groups.nextMask(), product, result);
  }
  return {result};
}

Values prec::decompose(train::GroupedMatmulGradOp op, PrimitiveBuilder &b) {
  GroupedBuilder groups(op.getEnds(), shapeOf(op.getLhs())[0], b);
  RankedTensorType type = tensorType(op.getGradMatrices());
  Value zeros = b.zeros(tensorType(op.getLhs()));
  SmallVector<Value> matrices;
  for (int64_t group = 0; group < groups.getGroups(); ++group) {
    Value lhs = groups.select(groups.nextMask(), op.getLhs(), zeros);
    Value product =
        groups.multiply(lhs, op.getRhs(), /*transposeA=*/true,
                        /*transposeB=*/false, type.getElementType());
    matrices.push_back(b.create<tensor::ExpandShapeOp>(
        type.clone({1, type.getDimSize(1), type.getDimSize(2)}), product,
        ArrayRef<ReassociationIndices>{{0, 1}, {2}}));
  }
  if (matrices.size() == 1)
    return {matrices.front()};
  return {b.create<tensor::ConcatOp>(/*dim=*/0, matrices)};
}
