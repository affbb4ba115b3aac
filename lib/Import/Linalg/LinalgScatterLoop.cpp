//===- LinalgScatterLoop.cpp - loops that add to places of a tensor -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream dialects have no scatter whose indices may be equal, so other
// compilers, and --prec-convert-prec-to-linalg, write one as an scf.for over
// the updates that carries the tensor: each step takes a row, or an element, of
// it out, adds an update and puts the sum back. As the numbers of the row and
// the update are functions of the loop's own number alone, they are computed
// here for all steps at once, as tensors of one dimension. The loop is then the
// sum of rows that prec_train.scatter_add is.
//
//===----------------------------------------------------------------------===//
#include "Import/Linalg/LinalgConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace prec;

namespace {

/// What a step adds, and where: one number for each of `dims`.
struct Addition {
  Value added;
  SmallVector<int64_t> dims;
  SmallVector<Value> place;
};

class ScatterLoop {
public:
  ScatterLoop(scf::ForOp loop, LinalgConverter &c) : loop(loop), c(c) {}

  FailureOr<Value> convert();

private:
  InFlightDiagnostic refuse() {
    // linalg_c13
    return loop.emitOpError("a loop must add rows or elements to one tensor of "
                            "f32 to be converted, "
                            "but ");
  }
  std::optional<Addition> findRow(tensor::InsertSliceOp insert);
  std::optional<Addition> findElement(tensor::InsertOp insert);
  /// What `sum` adds to what it reads by an operation that `isOld` knows; null
  /// where it is no such sum, or what is read is read by others, too.
  static Value findAdded(Value sum,
                         llvm::function_ref<bool(Operation *)> isOld);
  FailureOr<Value> overSteps(Value scalar);
  FailureOr<Value> extractOverSteps(tensor::ExtractOp extract);
  FailureOr<Value> updatesOverSteps(Value row);
  bool isOutside(Value value) {
    return !loop->isAncestor(value.getParentBlock()->getParentOp());
  }
  Value ofSteps(Value value) {
    return c.create<train::BroadcastOp>(linalgTypeOf(value).clone({steps}),
                                        value, ArrayRef<int64_t>{});
  }

  scf::ForOp loop;
  LinalgConverter &c;
  int64_t steps = 0;
};

} // namespace

Value ScatterLoop::findAdded(Value sum,
                             llvm::function_ref<bool(Operation *)> isOld) {
  auto add = sum.getDefiningOp<arith::AddFOp>();
  if (!add)
    return {};
  for (auto [old, added] : {std::pair(add.getLhs(), add.getRhs()),
                            std::pair(add.getRhs(), add.getLhs())})
    if (Operation *read = old.getDefiningOp(); read && isOld(read))
      return old.hasOneUse() ? added : Value();
  return {};
}

std::optional<Addition> ScatterLoop::findRow(tensor::InsertSliceOp insert) {
  Value tensor = loop.getRegionIterArg(0);
  Value added = findAdded(insert.getSource(), [&](Operation *read) {
    auto taken = dyn_cast<tensor::ExtractSliceOp>(read);
    return taken && taken.getSource() == tensor &&
           taken.getMixedOffsets() == insert.getMixedOffsets() &&
           taken.getMixedSizes() == insert.getMixedSizes() &&
           taken.getMixedStrides() == insert.getMixedStrides();
  });
  if (insert.getDest() != tensor || !added)
    return std::nullopt;
  Addition found{added, {}, {}};
  ArrayRef<int64_t> shape = insert.getDestType().getShape();
  for (auto [dim, offset, size, stride] :
       llvm::enumerate(insert.getMixedOffsets(), insert.getMixedSizes(),
                       insert.getMixedStrides())) {
    if (auto at = dyn_cast<Value>(offset); at && isConstantIntValue(size, 1)) {
      found.dims.push_back(dim);
      found.place.push_back(at);
    } else if (!isConstantIntValue(offset, 0) ||
               !isConstantIntValue(size, shape[dim])) {
      return std::nullopt;
    }
    if (!isConstantIntValue(stride, 1))
      return std::nullopt;
  }
  return found;
}

std::optional<Addition> ScatterLoop::findElement(tensor::InsertOp insert) {
  Value tensor = loop.getRegionIterArg(0);
  Value added = findAdded(insert.getScalar(), [&](Operation *read) {
    auto taken = dyn_cast<tensor::ExtractOp>(read);
    return taken && taken.getTensor() == tensor &&
           taken.getIndices() == insert.getIndices();
  });
  if (insert.getDest() != tensor || !added)
    return std::nullopt;
  return Addition{added,
                  llvm::to_vector(llvm::seq<int64_t>(
                      0, static_cast<int64_t>(insert.getIndices().size()))),
                  llvm::to_vector<4>(insert.getIndices())};
}

/// Where one number of several for each step stands in the last dimension: the
/// tensor that it was put there from, if all of its elements are those numbers.
static Value findColumn(Value numbers, int64_t column) {
  while (Operation *made = numbers.getDefiningOp()) {
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(made)) {
      SmallVector<ReassociationIndices> groups =
          collapse.getReassociationIndices();
      if (groups.empty() || groups.back().size() != 1)
        break;
      numbers = collapse.getSrc();
      continue;
    }
    auto insert = dyn_cast<tensor::InsertSliceOp>(made);
    if (!insert ||
        insert.getSourceType().getRank() != insert.getDestType().getRank() ||
        llvm::any_of(insert.getStaticOffsets(), ShapedType::isDynamic))
      break;
    ArrayRef<int64_t> whole = insert.getDestType().getShape();
    if (insert.getStaticSizes().drop_back() != whole.drop_back() ||
        insert.getStaticStrides().back() != 1)
      break;
    int64_t place = column - insert.getStaticOffsets().back();
    bool isThere = place >= 0 && place < insert.getStaticSizes().back();
    numbers = isThere ? insert.getSource() : insert.getDest();
    column = isThere ? place : column;
  }
  return linalgTypeOf(numbers).getShape().back() == 1 ? numbers : Value();
}

/// One index is the loop's number, all others are constants.
FailureOr<Value> ScatterLoop::extractOverSteps(tensor::ExtractOp extract) {
  ValueRange indices = extract.getIndices();
  std::optional<int64_t> column =
      indices.size() == 2 && indices[0] == loop.getInductionVar()
          ? getConstantIntValue(indices[1])
          : std::nullopt;
  if (column) {
    Value numbers = findColumn(extract.getTensor(), *column);
    if (numbers && linalgTypeOf(numbers).getNumElements() == steps)
      return c.join(numbers,
                    {static_cast<size_t>(linalgTypeOf(numbers).getRank())});
  }
  RankedTensorType type = linalgTypeOf(extract.getTensor());
  SmallVector<int64_t> offsets, sizes(type.getRank(), 1),
      ones(type.getRank(), 1);
  SmallVector<bool> dropped(type.getRank(), true);
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    std::optional<int64_t> known = getConstantIntValue(index);
    bool isNumber = index == loop.getInductionVar() &&
                    steps <= type.getDimSize(dim) &&
                    !llvm::is_contained(dropped, false);
    if (!known && !isNumber)
      return refuse() << "one reads elements by other numbers than its own";
    offsets.push_back(known.value_or(0));
    if (isNumber) {
      sizes[dim] = steps;
      dropped[dim] = false;
    }
  }
  Value read =
      c.dropDims(c.slice(extract.getTensor(), offsets, sizes, ones), dropped);
  return llvm::is_contained(dropped, false) ? read : ofSteps(read);
}

FailureOr<Value> ScatterLoop::overSteps(Value scalar) {
  if (scalar == loop.getInductionVar())
    return c.create<train::IotaOp>(
        RankedTensorType::get({steps}, getStored(scalar.getType())), 0,
        ArrayAttr(), ArrayAttr());
  Operation *made = scalar.getDefiningOp();
  if (auto extract = dyn_cast_if_present<tensor::ExtractOp>(made);
      extract && isOutside(extract.getTensor()))
    return extractOverSteps(extract);
  if (isOutside(scalar) || (made && made->hasTrait<OpTrait::ConstantLike>())) {
    FailureOr<Value> built = c.buildScalar(scalar);
    return failed(built) ? built : ofSteps(*built);
  }
  if (!made || !made->hasTrait<OpTrait::Elementwise>() ||
      made->getNumResults() != 1 || made->getNumRegions() != 0 ||
      made->getNumOperands() == 0)
    return refuse() << "one computes its places or updates by more than "
                       "arithmetic of elements that it reads";
  return c.createFrom(made, [&](Value operand) { return overSteps(operand); });
}

/// Of the slice that a step adds: the tensor of all slices, steps first.
FailureOr<Value> ScatterLoop::updatesOverSteps(Value row) {
  auto slice = row.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !isOutside(slice.getSource()))
    return refuse() << "one adds no slice of another tensor";
  RankedTensorType type = slice.getSourceType();
  bool isWhole = type.getRank() > 0 && type.getDimSize(0) >= steps;
  for (auto [dim, offset, size, stride] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides()))
    isWhole &= isConstantIntValue(stride, 1) &&
               (dim == 0 ? isConstantIntValue(size, 1) &&
                               dyn_cast<Value>(offset) == loop.getInductionVar()
                         : isConstantIntValue(offset, 0) &&
                               isConstantIntValue(size, type.getDimSize(dim)));
  if (!isWhole)
    return refuse() << "one adds slices other than the row of its number";
  SmallVector<int64_t> sizes(type.getShape()), zeros(type.getRank(), 0),
      ones(type.getRank(), 1);
  sizes.front() = steps;
  return c.slice(slice.getSource(), zeros, sizes, ones);
}

FailureOr<Value> ScatterLoop::convert() {
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  if (getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1 || !upper || *upper <= 0)
    return refuse() << "one does not count by 1 from 0 to a known number";
  auto type = loop.getNumRegionIterArgs() == 1
                  ? dyn_cast<RankedTensorType>(loop.getResult(0).getType())
                  : RankedTensorType();
  if (!type || !type.hasStaticShape() || !type.getElementType().isF32())
    return refuse() << "one carries other values";
  steps = *upper;
  Value yielded = loop.getYieldedValues()[0];
  Value tensor = loop.getRegionIterArg(0);
  std::optional<Addition> found;
  if (auto row = yielded.getDefiningOp<tensor::InsertSliceOp>())
    found = findRow(row);
  else if (auto element = yielded.getDefiningOp<tensor::InsertOp>())
    found = findElement(element);
  // What it has so far is read by that addition alone.
  if (!found || !tensor.hasNUses(2) || found->dims.empty())
    return refuse() << "one does more with it";
  SmallVector<Value> ids;
  for (Value number : found->place) {
    FailureOr<Value> id = overSteps(number);
    if (failed(id))
      return failure();
    ids.push_back(*id);
  }
  bool isRow = isa<RankedTensorType>(found->added.getType());
  FailureOr<Value> updates =
      isRow ? updatesOverSteps(found->added) : overSteps(found->added);
  if (failed(updates))
    return failure();
  return c.addRows(loop.getInitArgs()[0], found->dims, ids, *updates);
}

FailureOr<SmallVector<Value>> LinalgConverter::convertLoop(scf::ForOp loop) {
  FailureOr<Value> value = ScatterLoop(loop, *this).convert();
  if (failed(value))
    return failure();
  return SmallVector<Value>{*value};
}
