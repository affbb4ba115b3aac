//===- DispatchShape.cpp - iteration space of a dispatch ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads from the body of a dispatch how its kernel walks: rows, columns, or
// plain elements. CPU and GPU share this, and it refuses what neither could
// build. findReductions sorts reductions into levels: a reduction of level 1
// needs the result of one of level 0. Example: a softmax has its largest
// element in level 0 and its sum in level 1, so it is reduced in two passes,
// unless a family can merge them (RowExponentials.h). rowsOf demands that all
// reductions of rows have the same rows, and takes reductions of columns of
// groups of these rows apart; columnsOf demands equal extents. The rest are
// questions about element sizes, by which kernels choose vectors, and about
// inputs that are read element by element.
//
//===----------------------------------------------------------------------===//
#include "Codegen/DispatchShape.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/Tiles.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;
using namespace prec;

int64_t prec::elementsOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getNumElements();
}

int64_t ReductionLevels::keptOf(train::ReduceOp op) {
  return elementsOf(op.getResult());
}
int64_t ReductionLevels::reducedOf(train::ReduceOp op) {
  return elementsOf(op.getInput()) / elementsOf(op.getResult());
}

ReductionLevels prec::findReductions(sched::DispatchOp dispatch) {
  ReductionLevels result;
  llvm::DenseMap<Value, unsigned> levelOf;
  for (Operation &op : dispatch.getBody().front().without_terminator()) {
    unsigned level = 0;
    for (Value operand : op.getOperands())
      level = std::max(level, levelOf.lookup(operand));
    if (auto reduce = dyn_cast<train::ReduceOp>(op)) {
      if (result.levels.size() <= level)
        result.levels.resize(level + 1);
      result.levels[level++].push_back(reduce);
    }
    for (Value value : op.getResults())
      levelOf[value] = level;
  }
  return result;
}

/// Whether the reduced dimensions are `first, first + 1, ...`.
static bool startAt(train::ReduceOp op, int64_t first) {
  SmallVector<int64_t> dims(op.getDims());
  llvm::sort(dims);
  for (auto [index, dim] : llvm::enumerate(dims))
    if (dim != first + int64_t(index))
      return false;
  return true;
}

/// Extents of a reduction of columns, whose dimensions are neighbors.
static ColumnShape extentsOf(train::ReduceOp op) {
  int64_t first = *llvm::min_element(op.getDims());
  int64_t groups =
      computeProduct(cast<RankedTensorType>(op.getInput().getType())
                         .getShape()
                         .take_front(first));
  return {groups, ReductionLevels::reducedOf(op),
          ReductionLevels::keptOf(op) / groups};
}

static LogicalResult checkSame(train::ReduceOp op, ColumnShape own,
                               ColumnShape others, StringRef family) {
  if (own.groups == others.groups && own.rows == others.rows &&
      own.columns == others.columns)
    return success();
  return op.emitOpError("reductions of a ")
         << family << " dispatch share their extents, but got " << own.groups
         << "x" << own.rows << "x" << own.columns << " and " << others.groups
         << "x" << others.rows << "x" << others.columns;
}

/// The result as which a reduction of columns is yielded, as it was summed.
static FailureOr<unsigned> findColumnResult(train::ReduceOp op) {
  auto element = cast<RankedTensorType>(op.getResult().getType());
  auto yield = op->hasOneUse() ? dyn_cast<sched::YieldOp>(*op->user_begin())
                               : sched::YieldOp();
  if (!yield || !element.getElementType().isF32())
    return op.emitOpError("reductions of columns in a row dispatch are yielded "
                          "in f32 and not used, but got ")
           << op.getResult().getType() << " with "
           << llvm::range_size(op->getUses()) << " uses";
  return op->use_begin()->getOperandNumber();
}

static bool reducesLast(train::ReduceOp op) {
  int64_t rank = cast<RankedTensorType>(op.getInput().getType()).getRank();
  return op.getDims().empty() || llvm::is_contained(op.getDims(), rank - 1);
}

static LogicalResult takeColumns(ReductionLevels &reductions, RowShape &shape) {
  for (auto &level : reductions.levels)
    for (train::ReduceOp op : level) {
      if (reducesLast(op))
        continue;
      if (!startAt(op, *llvm::min_element(op.getDims())))
        return op.emitOpError("row dispatches reduce trailing or neighboring "
                              "dimensions, but got dims [")
               << op.getDims() << "]";
      ColumnShape own = extentsOf(op);
      if (!shape.columnReductions.empty() &&
          failed(checkSame(op, own, shape.groups, "row")))
        return failure();
      FailureOr<unsigned> result = findColumnResult(op);
      if (failed(result))
        return failure();
      shape.groups = own;
      shape.columnReductions.push_back(op);
      shape.columnResults.push_back(*result);
    }
  for (auto &level : reductions.levels)
    llvm::erase_if(level, [](train::ReduceOp op) { return !reducesLast(op); });
  llvm::erase_if(reductions.levels,
                 [](const auto &level) { return level.empty(); });
  return success();
}

FailureOr<RowShape> prec::rowsOf(sched::DispatchOp dispatch,
                                 ReductionLevels &reductions) {
  RowShape shape;
  if (failed(takeColumns(reductions, shape)))
    return failure();
  for (auto &level : reductions.levels) {
    for (train::ReduceOp op : level) {
      int64_t rank = cast<RankedTensorType>(op.getInput().getType()).getRank();
      if (!startAt(op, rank - int64_t(op.getDims().size())))
        return op.emitOpError("row dispatches reduce trailing or neighboring "
                              "dimensions, but got dims [")
               << op.getDims() << "]";
      int64_t kept = ReductionLevels::keptOf(op);
      if (shape.rows && shape.rows != kept)
        return op.emitOpError("reductions of a row dispatch share their rows, "
                              "but got ")
               << kept << " and " << shape.rows;
      shape.rows = kept;
      shape.lines.insert(ReductionLevels::reducedOf(op));
    }
  }
  if (shape.groups.columns)
    shape.lines.insert(shape.groups.columns);
  if (!shape.rows)
    return dispatch.emitOpError(
        "row dispatches reduce rows, but got no such reduction");
  for (train::ReduceOp op : shape.columnReductions)
    if (shape.groups.groups * shape.groups.rows != shape.rows)
      return op.emitOpError("reductions of columns in a row dispatch run over "
                            "groups of its ")
             << shape.rows << " rows, but got " << shape.groups.groups << "x"
             << shape.groups.rows;
  for (auto [index, result] : llvm::enumerate(dispatch.getResults()))
    if (!llvm::is_contained(shape.columnResults, index) &&
        elementsOf(result) % shape.rows)
      return dispatch.emitOpError("results of a row dispatch consist of its ")
             << shape.rows << " rows, but got " << result.getType();
  return shape;
}

int64_t RowShape::lineOf(Value yielded) const {
  int64_t whole = elementsOf(yielded) / rows;
  int64_t part = elementsOf(partsOf(yielded).front()) / rows;
  return !lines.contains(whole) && lines.contains(part) ? part : whole;
}

SmallVector<Value, 2> RowShape::valuesOf(Value yielded) const {
  if (lineOf(yielded) * rows == elementsOf(yielded))
    return {yielded};
  return partsOf(yielded);
}

FailureOr<ColumnShape> prec::columnsOf(sched::DispatchOp dispatch,
                                       const ReductionLevels &reductions) {
  if (reductions.levels.size() != 1)
    return dispatch.emitOpError(
               "column dispatches have one level of reductions, but got ")
           << reductions.levels.size();
  std::optional<ColumnShape> shape;
  for (train::ReduceOp op : reductions.levels.front()) {
    if (!startAt(op, *llvm::min_element(op.getDims())))
      return op.emitOpError(
                 "column dispatches reduce neighboring dimensions, but got "
                 "dims [")
             << op.getDims() << "]";
    ColumnShape own = extentsOf(op);
    if (shape && failed(checkSame(op, own, *shape, "column")))
      return failure();
    shape = own;
  }
  for (Value result : dispatch.getResults())
    if (elementsOf(result) != shape->groups * shape->columns)
      return dispatch.emitOpError("results of a column dispatch have its ")
             << shape->groups * shape->columns << " columns, but got "
             << result.getType();
  return *shape;
}

LogicalResult prec::checkTensors(sched::DispatchOp dispatch) {
  if (dispatch.getNumResults() == 0)
    return dispatch.emitOpError("dispatches have results, but got none");
  auto check = [&](Type type) -> LogicalResult {
    if (cast<RankedTensorType>(type).getNumElements() == 0)
      return dispatch.emitOpError("tensors must have elements, but got ")
             << type;
    return success();
  };
  for (Type type : dispatch->getOperandTypes())
    if (failed(check(type)))
      return failure();
  for (Type type : dispatch->getResultTypes())
    if (failed(check(type)))
      return failure();
  return success();
}

SmallVector<Value, 2> prec::partsOf(Value value) {
  auto concat = value.getDefiningOp<tensor::ConcatOp>();
  if (!concat || !train::isSideBySide(concat))
    return {value};
  return SmallVector<Value, 2>(concat.getInputs());
}

Digit prec::columnOfPart(KernelBuilder &k, Digit column, unsigned part,
                         unsigned parts) {
  int64_t first = part * column.extent;
  column.extent *= parts;
  column.value = k.add(column.value, first);
  column.divisor = std::gcd(column.divisor, first);
  return column;
}

FailureOr<int64_t> prec::walkedElementsOf(sched::DispatchOp dispatch) {
  OperandRange yielded =
      dispatch.getBody().front().getTerminator()->getOperands();
  int64_t whole = elementsOf(yielded[0]);
  int64_t part = elementsOf(partsOf(yielded[0]).front());
  auto fits = [&](Value value, int64_t walked) {
    return elementsOf(value) == walked ||
           elementsOf(partsOf(value).front()) == walked;
  };
  for (int64_t walked : {part, whole})
    if (llvm::all_of(yielded, [&](Value value) { return fits(value, walked); }))
      return walked;
  Value other =
      *llvm::find_if(yielded, [&](Value value) { return !fits(value, whole); });
  return dispatch.emitOpError("results of an elementwise dispatch have "
                              "equally many elements, but got ")
         << whole << " and " << elementsOf(other);
}

/// The operation that a dispatch of nothing else yields.
template <typename OpTy>
static FailureOr<OpTy> onlyOpOf(sched::DispatchOp dispatch) {
  Operation *yield = dispatch.getBody().front().getTerminator();
  auto op = dispatch.getNumResults() == 1
                ? yield->getOperand(0).getDefiningOp<OpTy>()
                : OpTy();
  if (!op)
    return dispatch.emitOpError(sched::stringifyFamily(dispatch.getFamily()))
           << " dispatches yield one " << OpTy::getOperationName()
           << ", but got another operation";
  return op;
}

FailureOr<train::SortIdsOp> prec::sortIdsOf(sched::DispatchOp dispatch) {
  return onlyOpOf<train::SortIdsOp>(dispatch);
}

FailureOr<train::ScatterAddOp> prec::scatterAddOf(sched::DispatchOp dispatch) {
  FailureOr<train::ScatterAddOp> found =
      onlyOpOf<train::ScatterAddOp>(dispatch);
  if (failed(found))
    return failure();
  train::ScatterAddOp op = *found;
  if (!op.getSorted())
    return op.emitOpError("kernels need sorted ids, but got none");
  auto init = dyn_cast<BlockArgument>(op.getInit());
  if (!init || dispatch.getInplace().empty() ||
      dispatch.getInplace()[0] != int64_t(init.getArgNumber()))
    return dispatch.emitOpError(
        "scatter_add overwrites its init, but got a result that is not in "
        "place of it");
  Type element = cast<RankedTensorType>(init.getType()).getElementType();
  if (!element.isF32() && !element.isBF16() && !element.isF16())
    return op.emitOpError("tables of a scatter_add dispatch are f32, bf16 or "
                          "f16, but got ")
           << init.getType();
  return op;
}

RepeatedRows prec::findRepeatedRows(sched::DispatchOp dispatch,
                                    int64_t elements) {
  RepeatedRows found;
  for (auto gather : dispatch.getBody().front().getOps<train::GatherOp>()) {
    if (elementsOf(gather.getResult()) != elements)
      continue;
    Value table = skipReshapesAnd<train::BroadcastOp>(gather.getTable());
    auto type = cast<RankedTensorType>(table.getType());
    int64_t bytes =
        elementsOf(table) * type.getElementType().getIntOrFloatBitWidth() / 8;
    if (2 * elementsOf(table) <= elements && isa<BlockArgument>(table) &&
        bytes > found.bytes)
      found = {elements / elementsOf(gather.getIds()), bytes};
  }
  return found;
}

/// Bytes of the elements of those of `tensors` that are at least half as large
/// as `most`.
static SmallVector<int64_t> elementBytes(ValueRange tensors, int64_t most) {
  SmallVector<int64_t> result;
  for (Value tensor : tensors)
    if (2 * elementsOf(tensor) >= most)
      result.push_back(
          std::max<int64_t>(1, cast<RankedTensorType>(tensor.getType())
                                       .getElementType()
                                       .getIntOrFloatBitWidth() /
                                   8));
  return result;
}

static int64_t mostElements(ValueRange tensors) {
  int64_t most = 0;
  for (Value tensor : tensors)
    most = std::max(most, elementsOf(tensor));
  return most;
}

static SmallVector<int64_t> elementBytes(sched::DispatchOp dispatch) {
  SmallVector<Value> tensors(dispatch.getInputs());
  llvm::append_range(tensors, dispatch.getResults());
  return elementBytes(tensors, mostElements(tensors));
}

int64_t prec::narrowestElement(sched::DispatchOp dispatch) {
  return *llvm::min_element(elementBytes(dispatch));
}

int64_t prec::widestElement(sched::DispatchOp dispatch) {
  return *llvm::max_element(elementBytes(dispatch));
}

int64_t prec::widestResult(sched::DispatchOp dispatch) {
  ValueRange results = dispatch.getResults();
  return *llvm::max_element(elementBytes(results, mostElements(results)));
}

llvm::SmallSetVector<BlockArgument, 4>
prec::findElementInputs(ArrayRef<Value> values, int64_t elements) {
  llvm::SmallSetVector<BlockArgument, 4> found;
  llvm::SmallSetVector<Value, 16> work(values.begin(), values.end());
  for (size_t i = 0; i < work.size(); ++i) {
    Value value = work[i];
    // Everything else is of other positions.
    if (elementsOf(value) != elements)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value))
      found.insert(argument);
    else if (Operation *op = value.getDefiningOp();
             !isa<train::TransposeOp, train::GatherOp>(op))
      work.insert(op->operand_begin(), op->operand_end());
  }
  return found;
}
