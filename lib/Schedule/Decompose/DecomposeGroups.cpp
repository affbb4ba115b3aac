//===- DecomposeGroups.cpp - rows of experts, their amaxes and scales -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rows are of which group is known when a step runs. From the ends of G
// groups follow, by largest values and sums over the groups before each, G
// times four numbers: its first row, the row behind its last, the place of its
// first row where groups are aligned, and where its room ends there. The group
// of a row is the number of groups that end before it, which a search by halves
// finds; of an aligned row likewise, and from its group, which row it is. So
// nothing walks over rows one by one, and kernels are the ordinary ones: rows
// of G numbers, and elements. What one list of ends gives is made once in a
// function: scales are looked up by the group of a row wherever they are read,
// which takes no kernel. Aligned rows of what was computed of looked up rows
// are looked up themselves, where that moves less (LookedUpRows.h).
//
// The amax of rows that are looked up in a table of fewer rows is that of the
// table's rows, looked up: the kernel that computes the table reduces them.
//
//===----------------------------------------------------------------------===//
#include "Schedule/Decompose/Decompose.h"
#include "Schedule/Decompose/LookedUpRows.h"

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
  Value all = toMatrix(end, 1, square, b);
  result.first =
      b.reduceRows(train::ReduceKind::Max, keepWhere(isBefore, all, b));
  result.last = b.create<arith::MaxSIOp>(result.first, end);
  constexpr int64_t alignment = PREC_GROUP_ALIGNMENT;
  static_assert((alignment & (alignment - 1)) == 0);
  Value size = b.create<arith::SubIOp>(result.last, result.first);
  Value room = b.create<arith::AndIOp>(
      b.create<arith::AddIOp>(size, b.splatInt(alignment - 1, {groups})),
      b.splatInt(-alignment, {groups}));
  Value rooms = keepWhere(isBefore, toMatrix(room, 1, square, b), b);
  result.place = b.reduceRows(train::ReduceKind::Sum, rooms);
  result.placeEnd = b.create<arith::AddIOp>(result.place, room);
  result.size = size;
  return result;
}

/// Whether rows, the columns of `shape`, are among `size` of the group from
/// `first` on that is its row.
static Value isWithin(Value first, Value size, ArrayRef<int64_t> shape,
                      PrimitiveBuilder &b) {
  Value row = b.iota(1, shape);
  Value begin = toMatrix(first, 0, shape, b);
  Value offset = b.create<arith::SubIOp>(row, begin);
  Value isBehind =
      b.create<arith::CmpIOp>(CmpIPredicate::sge, offset, b.splatInt(0, shape));
  Value isBelow = b.create<arith::CmpIOp>(CmpIPredicate::slt, offset,
                                          toMatrix(size, 0, shape, b));
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
  Value own = b.select(isWithin(of.first, of.size, shape, b),
                       toMatrix(ofRows, 1, shape, b), b.splat(0, shape));
  return {b.reduceRows(train::ReduceKind::Max, own)};
}

/// Of each of `rows` rows, how many of the groups that end at `ends`, which do
/// not decrease, end at or before it: the number of its group. A search by
/// halves, in as many steps as the number of groups has bits.
static Value findGroups(Value ends, int64_t rows, PrimitiveBuilder &b) {
  int64_t shape[] = {rows}, groups = shapeOf(ends)[0];
  Value row = b.iota(0, shape), found;
  for (int64_t step = llvm::bit_floor(uint64_t(groups)); step; step /= 2) {
    Value next = b.splatInt(step, shape);
    if (found)
      next = b.create<arith::AddIOp>(found, next);
    Value last = b.create<arith::SubIOp>(
        b.create<arith::MinSIOp>(next, b.splatInt(groups, shape)),
        b.splatInt(1, shape));
    Value isBefore = b.create<arith::CmpIOp>(CmpIPredicate::sle,
                                             gatherRows(ends, last, b), row);
    Value isThere = b.create<arith::CmpIOp>(CmpIPredicate::sle, next,
                                            b.splatInt(groups, shape));
    found = b.select(b.create<arith::AndIOp>(isBefore, isThere), next,
                     found ? found : b.splatInt(0, shape));
  }
  return found;
}

Value GroupRows::getGroups(Value ends, int64_t rows, PrimitiveBuilder &b) {
  Value &result = groups[{ends, rows}];
  if (result)
    return result;
  int64_t shape[] = {rows};
  const Bounds &of = getBounds(ends, rows, b);
  Value group = findGroups(of.last, rows, b);
  Value isOfOne = b.create<arith::CmpIOp>(CmpIPredicate::slt, group,
                                          b.splatInt(shapeOf(ends)[0], shape));
  Value number = b.create<arith::AddIOp>(group, b.splatInt(1, shape));
  return result = keepWhere(isOfOne, number, b);
}

const GroupRows::Sources &GroupRows::getSources(Value ends, int64_t rows,
                                                int64_t aligned,
                                                PrimitiveBuilder &b) {
  Sources &result = sources[{ends, rows}];
  if (result.row)
    return result;
  int64_t shape[] = {aligned};
  const Bounds &of = getBounds(ends, rows, b);
  // Behind the last group there is room for none, and none of the last.
  Value group =
      b.create<arith::MinSIOp>(findGroups(of.placeEnd, aligned, b),
                               b.splatInt(shapeOf(ends)[0] - 1, shape));
  Value offset =
      b.create<arith::SubIOp>(b.iota(0, shape), gatherRows(of.place, group, b));
  result.isOfGroup = b.create<arith::CmpIOp>(CmpIPredicate::slt, offset,
                                             gatherRows(of.size, group, b));
  Value row = b.create<arith::AddIOp>(gatherRows(of.first, group, b), offset);
  result.row = keepWhere(result.isOfGroup, row, b);
  return result;
}

Values GroupRows::decompose(GroupScalesOp op, PrimitiveBuilder &b) {
  Value scales = b.create<tensor::ConcatOp>(
      /*dim=*/0, ValueRange{b.splat(0, {1}), op.getScales()});
  Value of = getGroups(op.getEnds(), shapeOf(op.getResult())[0], b);
  return {gatherRows(scales, of, b)};
}

Values GroupRows::decompose(AlignGroupsOp op, PrimitiveBuilder &b) {
  RankedTensorType type = tensorType(op.getResult());
  int64_t rows = shapeOf(op.getInput())[0], aligned = type.getDimSize(0);
  const Sources &from = getSources(op.getEnds(), rows, aligned, b);
  Value isOfGroup = b.broadcast(from.isOfGroup, {0}, type.getShape());
  auto keep = [&](Value looked) {
    return b.select(isOfGroup, looked, b.zeros(tensorType(looked)));
  };
  // A quantization of zeros is zeros: it comes last, where a transposition of
  // what it computes reads that and nothing else.
  if (auto quantize = op.getInput().getDefiningOp<QuantizeOp>();
      quantize && shapeOf(quantize.getScale()).empty() && !quantize.getSeed())
    if (Value looked =
            computeLookedUp(op.getInput(), quantize.getInput(), from.row, b))
      return {b.create<QuantizeOp>(type, keep(looked), quantize.getScale(),
                                   /*seed=*/Value(), /*stream=*/IntegerAttr(),
                                   /*scaling=*/ScalingAttr())};
  if (Value looked = computeLookedUp(op.getInput(), op.getInput(), from.row, b))
    return {keep(looked)};
  return {keep(gatherRows(op.getInput(), from.row, b))};
}
