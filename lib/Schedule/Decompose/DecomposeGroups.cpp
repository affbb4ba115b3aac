//===- DecomposeGroups.cpp - rows of experts, their amaxes and scales -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rows are of which group is known when a step runs. From the ends of G
// groups follow, by largest values and sums over the groups before each, G
// times three numbers: its first row, the row behind its last, and the place of
// its first row where groups are aligned. Whether a row is of a group is then
// two comparisons, and what a row has of its group (its scale, how far it
// moves) is a sum over the groups in which all but one term are zero. So
// nothing walks over rows one by one, and kernels are the ordinary ones: rows
// of G numbers. What one list of ends gives is made once in a function.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Decompose/Decompose.h"

using namespace mlir;
using namespace prec;
using arith::CmpIPredicate;

static Value toMatrix(Value vector, int64_t dim, ArrayRef<int64_t> shape,
                      PrimitiveBuilder &b) {
  return b.broadcast(vector, {dim}, shape);
}

/// Where `condition` holds `value`, else 0; of i32.
static Value keepWhere(Value condition, Value value, PrimitiveBuilder &b) {
  return b.select(condition, value, b.splatInt(0, shapeOf(value)));
}

const GroupRows::Bounds &GroupRows::getBounds(Value ends, int64_t rows,
                                              PrimitiveBuilder &b) {
  Bounds &result = bounds[{ends, rows}];
  if (result.first)
    return result;
  int64_t groups = shapeOf(ends)[0], square[] = {groups, groups};
  Value end = b.create<arith::MinSIOp>(
      b.create<arith::MaxSIOp>(ends, b.splatInt(0, {groups})),
      b.splatInt(rows, {groups}));
  // Row i of a square is about group i, its columns are all groups.
  Value own = b.iota(0, square), other = b.iota(1, square);
  Value isBefore = b.create<arith::CmpIOp>(CmpIPredicate::slt, other, own);
  Value isUpTo = b.create<arith::CmpIOp>(CmpIPredicate::sle, other, own);
  Value all = toMatrix(end, 1, square, b);
  result.first =
      b.reduceRows(train::ReduceKind::Max, keepWhere(isBefore, all, b));
  result.last = b.reduceRows(train::ReduceKind::Max, keepWhere(isUpTo, all, b));
  constexpr int64_t alignment = PREC_GROUP_ALIGNMENT;
  static_assert((alignment & (alignment - 1)) == 0);
  Value size = b.create<arith::SubIOp>(result.last, result.first);
  Value room = b.create<arith::AndIOp>(
      b.create<arith::AddIOp>(size, b.splatInt(alignment - 1, {groups})),
      b.splatInt(-alignment, {groups}));
  Value rooms = keepWhere(isBefore, toMatrix(room, 1, square, b), b);
  result.place = b.reduceRows(train::ReduceKind::Sum, rooms);
  result.size = size;
  return result;
}

/// Whether row `dim` of `shape`, which counts rows along one dimension and
/// groups along the other, is among `size` of the group from `first` on.
static Value isWithin(Value first, Value size, int64_t rowDim,
                      ArrayRef<int64_t> shape, PrimitiveBuilder &b) {
  Value row = b.iota(rowDim, shape);
  Value begin = toMatrix(first, 1 - rowDim, shape, b);
  Value offset = b.create<arith::SubIOp>(row, begin);
  Value isBehind =
      b.create<arith::CmpIOp>(CmpIPredicate::sge, offset, b.splatInt(0, shape));
  Value isBelow = b.create<arith::CmpIOp>(CmpIPredicate::slt, offset,
                                          toMatrix(size, 1 - rowDim, shape, b));
  return b.create<arith::AndIOp>(isBehind, isBelow);
}

Values GroupRows::decompose(GroupAmaxOp op, PrimitiveBuilder &b) {
  ArrayRef<int64_t> input = shapeOf(op.getInput());
  int64_t groups = shapeOf(op.getEnds())[0], shape[] = {groups, input[0]};
  const Bounds &of = getBounds(op.getEnds(), input[0], b);
  Value magnitude = b.create<math::AbsFOp>(b.toF32(op.getInput()));
  // Zero also where there is nothing but NaN.
  Value ofRows = b.create<arith::MaxNumFOp>(
      b.reduceRows(train::ReduceKind::Max, magnitude), b.splat(0, {input[0]}));
  Value own = b.select(isWithin(of.first, of.size, 1, shape, b),
                       toMatrix(ofRows, 1, shape, b), b.splat(0, shape));
  return {b.reduceRows(train::ReduceKind::Max, own)};
}

Values GroupRows::decompose(GroupScalesOp op, PrimitiveBuilder &b) {
  int64_t rows = shapeOf(op.getResult())[0],
          shape[] = {rows, shapeOf(op.getEnds())[0]};
  const Bounds &of = getBounds(op.getEnds(), rows, b);
  Value own =
      b.select(isWithin(of.first, of.size, 0, shape, b),
               toMatrix(op.getScales(), 1, shape, b), b.splat(0, shape));
  return {b.reduceRows(train::ReduceKind::Sum, own)};
}

Values GroupRows::decompose(AlignGroupsOp op, PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(op.getResult());
  int64_t rows = shapeOf(op.getInput())[0], aligned = type.getDimSize(0),
          shape[] = {aligned, shapeOf(op.getEnds())[0]};
  Sources &from = sources[{op.getEnds(), rows}];
  if (!from.row) {
    const Bounds &of = getBounds(op.getEnds(), rows, b);
    Value isOwn = isWithin(of.place, of.size, 0, shape, b);
    Value shift = b.create<arith::SubIOp>(of.first, of.place);
    Value count = b.reduceRows(train::ReduceKind::Sum,
                               keepWhere(isOwn, b.splatInt(1, shape), b));
    Value moved =
        b.reduceRows(train::ReduceKind::Sum,
                     keepWhere(isOwn, toMatrix(shift, 1, shape, b), b));
    from.isOfGroup = b.create<arith::CmpIOp>(CmpIPredicate::ne, count,
                                             b.splatInt(0, {aligned}));
    from.row =
        keepWhere(from.isOfGroup,
                  b.create<arith::AddIOp>(b.iota(0, {aligned}), moved), b);
  }
  Value gathered = b.create<train::GatherOp>(type, op.getInput(), from.row,
                                             /*result_tags=*/nullptr,
                                             /*operand_tags=*/nullptr);
  return {b.select(b.broadcast(from.isOfGroup, {0}, type.getShape()), gathered,
                   b.zeros(type))};
}
