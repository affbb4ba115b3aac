//===- FoldScatterAdd.cpp - add rows straight to where they belong --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds rows straight to the table that they belong to. A gradient that is
// summed as scatter_add(zeros, rows) + table is the same as scatter_add(table,
// rows), without zeros and without a second pass over the table. It is done if
// the table is computed into bytes of its own that nothing else reads, and if
// the roundings are those that scatter_add makes: sums in f32, rounded to the
// format of the table. A rounding behind a scatter_add to zeros moves into it
// as well.
//
//===----------------------------------------------------------------------===//
#include "Schedule/EraseDead.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Graph.h"
#include "prec/Dialect/Train/PrimitiveBuilder.h"
#include "prec/Dialect/Train/Slices.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

namespace prec {
#define GEN_PASS_DEF_FOLDSCATTERADD
#include "prec/Schedule/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

/// The only reader of `value`, if it is an `OpTy`.
template <typename OpTy> static OpTy getOnlyReader(Value value) {
  return value.hasOneUse() ? dyn_cast<OpTy>(*value.user_begin()) : OpTy();
}

/// A rounding to what tables may have.
static arith::TruncFOp getRounding(Value value) {
  auto round = getOnlyReader<arith::TruncFOp>(value);
  if (!round || round.getRoundingmode())
    return {};
  Type element = getElementTypeOrSelf(round.getResult());
  return element.isBF16() || element.isF16() ? round : arith::TruncFOp();
}

/// What `value` is widened from for its only reader; null if it is not.
static Value getNarrow(Value value) {
  auto extend = value.getDefiningOp<arith::ExtFOp>();
  return extend && value.hasOneUse() ? extend.getIn() : Value();
}

/// The slice of the first rows of a matrix that `value` is, as those are of a
/// padded product; null if it is none.
static tensor::ExtractSliceOp getFirstRows(Value value) {
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  bool isFirst = slice && train::isFirstAlong(slice, 0);
  return isFirst ? slice : tensor::ExtractSliceOp();
}

/// Whether `value` is computed into bytes of its own that nothing else reads.
static bool isOverwritable(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !value.hasOneUse())
    return false;
  if (isReshape(op) || getFirstRows(value))
    return isOverwritable(op->getOperand(0));
  return !isa<arith::ConstantOp, tensor::ExtractSliceOp, tensor::ConcatOp>(op);
}

static Value getOther(arith::AddFOp add, Value addend) {
  return add.getLhs() == addend ? add.getRhs() : add.getLhs();
}

namespace {

/// A sum that sums of rows are an addend of, and the other addend.
struct TableSum {
  Value sum, table;
};

struct FoldScatterAdd : prec::impl::FoldScatterAddBase<FoldScatterAdd> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!isCompiledGraph(function))
      return;
    ConstantPool constants(function.front());
    SmallVector<train::ScatterAddOp> found;
    for (auto op : function.front().getOps<train::ScatterAddOp>())
      if (matchPattern(op.getInit(), m_AnyZeroFloat()))
        found.push_back(op);
    for (train::ScatterAddOp op : found) {
      if (arith::TruncFOp round = getRounding(op.getResult())) {
        auto type = cast<RankedTensorType>(round.getType());
        Attribute zero = FloatAttr::get(type.getElementType(), 0);
        op = replace(round.getResult(), constants.get(zero, type), op);
      }
      if (std::optional<TableSum> match = findSum(op.getResult()))
        replace(match->sum, match->table, op);
    }
  }

private:
  /// Puts rows added to `table` in place of `value`, which came of `op` alone.
  static train::ScatterAddOp replace(Value value, Value table,
                                     train::ScatterAddOp op) {
    OpBuilder builder(value.getDefiningOp());
    // Rows are added to the whole of what the table is the first rows of.
    tensor::ExtractSliceOp rows = getFirstRows(table);
    Value whole = rows ? rows.getSource() : table;
    auto folded = train::ScatterAddOp::create(
        builder, op.getLoc(), whole.getType(), whole, op.getIds(),
        op.getUpdates(), op.getSorted(), ArrayAttr(), ArrayAttr());
    train::copyProvenance(op, folded);
    Operation *replaced = value.getDefiningOp();
    Value sum = folded.getResult();
    if (rows) {
      Operation *slice = builder.clone(*rows);
      slice->setOperand(0, sum);
      sum = slice->getResult(0);
    }
    value.replaceAllUsesWith(sum);
    eraseDead(replaced);
    return folded;
  }

  static std::optional<TableSum> findSum(Value rows) {
    if (getElementTypeOrSelf(rows).isF32()) {
      auto add = getOnlyReader<arith::AddFOp>(rows);
      Value table = add ? getOther(add, rows) : Value();
      if (!table || !isOverwritable(table))
        return std::nullopt;
      return TableSum{add.getResult(), table};
    }
    // Narrow tables are added in f32, and the sum is rounded.
    auto extend = getOnlyReader<arith::ExtFOp>(rows);
    auto add = extend && getElementTypeOrSelf(extend.getResult()).isF32()
                   ? getOnlyReader<arith::AddFOp>(extend.getResult())
                   : arith::AddFOp();
    auto round = add ? getRounding(add.getResult()) : arith::TruncFOp();
    Value table =
        round ? getNarrow(getOther(add, extend.getResult())) : Value();
    if (!table || table.getType() != rows.getType() ||
        round.getType() != rows.getType() || !isOverwritable(table))
      return std::nullopt;
    return TableSum{round.getResult(), table};
  }
};

} // namespace
