//===- DecomposeGroups.cpp - rows of experts, their amaxes and scales -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rows are of which group is known when a step runs. From the ends of G
// groups follow, by largest values and sums over the groups before each, G
// times three numbers: its first row, the row behind its last, and the place of
// its first row where groups are aligned. Whether a row is of a group is then
// two comparisons, and which group a row is of, or which row is aligned to a
// place, is the largest over the groups, in which all but one are -1 or 0. So
// nothing walks over rows one by one, and kernels are the ordinary ones: rows
// of G numbers. What one list of ends gives is made once in a function: scales
// are looked up by the group of a row wherever they are read, which takes no
// kernel.
//
// The amax of rows that are looked up in a table of fewer rows is that of the
// table's rows, looked up: the kernel that computes the table reduces them.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Decompose/Decompose.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

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

/// The rows of `table` that the one-dimensional `ids` name.
static Value gatherRows(Value table, Value ids, PrimitiveBuilder &b) {
  SmallVector<int64_t> shape(shapeOf(table));
  shape[0] = shapeOf(ids)[0];
  return b.create<train::GatherOp>(tensorType(table).clone(shape), table, ids,
                                   /*result_tags=*/nullptr,
                                   /*operand_tags=*/nullptr);
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

/// Largest magnitudes of the rows of `input`, in f32; 0 also where there is
/// nothing but NaN.
static Value reduceMagnitudes(Value input, PrimitiveBuilder &b) {
  auto gather = input.getDefiningOp<train::GatherOp>();
  bool isRepeated = gather && shapeOf(gather.getIds()).size() == 1 &&
                    shapeOf(gather.getTable())[0] <= shapeOf(input)[0];
  Value magnitude =
      b.create<math::AbsFOp>(b.toF32(isRepeated ? gather.getTable() : input));
  Value largest = b.reduceRows(train::ReduceKind::Max, magnitude);
  if (isRepeated)
    largest = gatherRows(largest, gather.getIds(), b);
  return b.create<arith::MaxNumFOp>(largest, b.splat(0, shapeOf(largest)));
}

Values GroupRows::decompose(GroupAmaxOp op, PrimitiveBuilder &b) {
  ArrayRef<int64_t> input = shapeOf(op.getInput());
  int64_t groups = shapeOf(op.getEnds())[0], shape[] = {groups, input[0]};
  const Bounds &of = getBounds(op.getEnds(), input[0], b);
  Value ofRows = reduceMagnitudes(op.getInput(), b);
  Value own = b.select(isWithin(of.first, of.size, 1, shape, b),
                       toMatrix(ofRows, 1, shape, b), b.splat(0, shape));
  return {b.reduceRows(train::ReduceKind::Max, own)};
}

Value GroupRows::getGroups(Value ends, int64_t rows, PrimitiveBuilder &b) {
  Value &result = groups[{ends, rows}];
  if (result)
    return result;
  int64_t shape[] = {rows, shapeOf(ends)[0]};
  const Bounds &of = getBounds(ends, rows, b);
  Value number =
      b.create<arith::AddIOp>(b.iota(1, shape), b.splatInt(1, shape));
  return result = b.reduceRows(
             train::ReduceKind::Max,
             keepWhere(isWithin(of.first, of.size, 0, shape, b), number, b));
}

Values GroupRows::decompose(GroupScalesOp op, PrimitiveBuilder &b) {
  Value scales = b.create<tensor::ConcatOp>(
      /*dim=*/0, ValueRange{b.splat(0, {1}), op.getScales()});
  Value of = getGroups(op.getEnds(), shapeOf(op.getResult())[0], b);
  return {gatherRows(scales, of, b)};
}

Values GroupRows::decompose(AlignGroupsOp op, PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(op.getResult());
  int64_t rows = shapeOf(op.getInput())[0], aligned = type.getDimSize(0),
          shape[] = {aligned, shapeOf(op.getEnds())[0]};
  // -1 where there is none.
  Value &from = sources[{op.getEnds(), rows}];
  if (!from) {
    const Bounds &of = getBounds(op.getEnds(), rows, b);
    Value isOwn = isWithin(of.place, of.size, 0, shape, b);
    Value shift = b.create<arith::SubIOp>(of.first, of.place);
    Value moved =
        b.create<arith::AddIOp>(b.iota(0, shape), toMatrix(shift, 1, shape, b));
    from = b.reduceRows(train::ReduceKind::Max,
                        b.select(isOwn, moved, b.splatInt(-1, shape)));
  }
  Value none = b.splatInt(0, {aligned});
  Value gathered =
      gatherRows(op.getInput(), b.create<arith::MaxSIOp>(from, none), b);
  Value isOfGroup = b.create<arith::CmpIOp>(CmpIPredicate::sge, from, none);
  return {b.select(b.broadcast(isOfGroup, {0}, type.getShape()), gathered,
                   b.zeros(type))};
}
