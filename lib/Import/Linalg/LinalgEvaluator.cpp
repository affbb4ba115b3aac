//===- LinalgEvaluator.cpp - payloads of linalg on tensors ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A payload is computed in an iteration space, a tensor with a dimension for
// each loop that has not one value. Operands are sliced to what the loops read,
// transposed and repeated to that shape, and each operation of the payload
// becomes the same one on tensors.
//
// An element that is looked up in a tensor is at indices each of which is a
// loop, a constant or computed. Without computed ones it is read as operands
// are. Else the dimensions with computed ones become the rows of a table, of
// which `prec_train.gather` takes some: the index of a row is computed for the
// loops that it depends on, and what else is read along a loop is a dimension
// of the row, unless a computed index depends on this loop, too.
//
//===----------------------------------------------------------------------===//
#include "Import/Linalg/LinalgConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace prec;
using linalg::LinalgOp;

PayloadEvaluator::PayloadEvaluator(LinalgConverter &converter, LinalgOp linalg,
                                   const DenseMap<unsigned, int64_t> &fixed)
    : c(converter), linalg(linalg), fixed(fixed),
      ranges(linalg.getStaticLoopRanges()) {
  for (unsigned loop = 0; loop < ranges.size(); ++loop)
    if (!fixed.contains(loop)) {
      loops.push_back(loop);
      shape.push_back(ranges[loop]);
    }
}

bool PayloadEvaluator::isInPayload(Operation *inner) {
  return inner &&
         linalg.getBlock()->getParent()->isAncestor(inner->getParentRegion());
}

/// Of a value that has a dimension for each of `own` loops.
Value PayloadEvaluator::spread(Value value, Loops own) {
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, own.size()));
  llvm::sort(permutation,
             [&](int64_t a, int64_t b) { return own[a] < own[b]; });
  value = c.transpose(value, permutation);
  llvm::sort(own);
  if (own.size() == loops.size())
    return value;
  SmallVector<int64_t> dims;
  for (unsigned loop : own)
    dims.push_back(llvm::find(loops, loop) - loops.begin());
  return c.create<train::BroadcastOp>(linalgTypeOf(value).clone(shape), value,
                                      dims);
}

FailureOr<Value> PayloadEvaluator::read(Value tensor,
                                        ArrayRef<AffineExpr> indices) {
  SmallVector<int64_t> offsets, sizes, strides;
  SmallVector<bool> dropped;
  Loops own;
  for (auto [dim, expr] : llvm::enumerate(indices)) {
    std::optional<LinearIndex> index =
        getLinearIndex(expr, ranges.size(), fixed);
    bool isAlong = index && index->terms.size() == 1;
    unsigned loop = isAlong ? index->terms[0].first : 0;
    // linalg_c1
    if (!index || index->terms.size() > 1 ||
        (isAlong &&
         (index->terms[0].second < 1 || llvm::is_contained(own, loop))))
      return c.getOp()->emitOpError("an operand must be read along loops, each "
                                    "once, to be converted, but got ")
             << AffineMapAttr::get(AffineMap::get(ranges.size(), 0, indices,
                                                  c.getOp()->getContext()));
    offsets.push_back(index->offset);
    sizes.push_back(isAlong ? ranges[loop] : 1);
    strides.push_back(isAlong ? index->terms[0].second : 1);
    dropped.push_back(!isAlong);
    if (isAlong)
      own.push_back(loop);
  }
  Value value = c.dropDims(c.slice(tensor, offsets, sizes, strides), dropped);
  return spread(value, own);
}

void PayloadEvaluator::collectLoops(Value scalar,
                                    llvm::SmallDenseSet<unsigned> &found) {
  auto argument = dyn_cast<BlockArgument>(scalar);
  if (argument && argument.getOwner() == linalg.getBlock()) {
    AffineMap map =
        linalg.getMatchingIndexingMap(linalg.getMatchingOpOperand(argument));
    for (unsigned loop : loops)
      if (map.isFunctionOfDim(loop))
        found.insert(loop);
    return;
  }
  Operation *op = scalar.getDefiningOp();
  if (!isInPayload(op))
    return;
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    if (!fixed.contains(index.getDim()))
      found.insert(index.getDim());
    return;
  }
  for (Value operand : op->getOperands())
    collectLoops(operand, found);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()})
      for (Value yielded : yield.getOperands())
        collectLoops(yielded, found);
}

/// The loop whose number an index is, as another type at most.
static std::optional<unsigned> getLoop(Value index) {
  while (auto cast = index.getDefiningOp<arith::IndexCastOp>())
    index = cast.getIn();
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return loop.getDim();
  return std::nullopt;
}

/// The dimension that a place is computed of, where the loops that say it are
/// those of all other dimensions, and whole: each line has one element then.
std::optional<size_t>
PayloadEvaluator::findPicked(ArrayRef<AffineExpr> places,
                             const llvm::SmallDenseSet<unsigned> &read,
                             RankedTensorType type) {
  std::optional<size_t> along;
  unsigned lines = 0;
  for (auto [dim, place] : llvm::enumerate(places)) {
    auto loop = dyn_cast_or_null<AffineDimExpr>(place);
    if (!place && !along)
      along = dim;
    else if (loop && !fixed.contains(loop.getPosition()) &&
             ranges[loop.getPosition()] == type.getDimSize(dim))
      lines += read.contains(loop.getPosition());
    else if (!isa_and_present<AffineConstantExpr>(place) ||
             type.getDimSize(dim) != 1)
      return std::nullopt;
  }
  return along && lines > 0 && lines == read.size() ? along : std::nullopt;
}

/// Compares the place with all, as a graph of prec picks the logits of labels.
FailureOr<Value> PayloadEvaluator::pick(tensor::ExtractOp extract,
                                        ArrayRef<AffineExpr> places,
                                        size_t along) {
  RankedTensorType type = linalgTypeOf(extract.getTensor());
  DenseMap<unsigned, int64_t> known(fixed);
  for (unsigned loop : loops)
    known[loop] = 0;
  Loops own;
  SmallVector<int64_t> order, sizes;
  SmallVector<bool> dropped;
  // In the order of loops, and the computed dimension last.
  for (unsigned loop : loops)
    for (auto [dim, place] : llvm::enumerate(places))
      if (auto read = dyn_cast_or_null<AffineDimExpr>(place);
          read && read.getPosition() == loop) {
        own.push_back(loop);
        order.push_back(dim);
        sizes.push_back(type.getDimSize(dim));
        dropped.push_back(false);
        known.erase(loop);
      }
  for (auto [dim, place] : llvm::enumerate(places))
    if (isa_and_present<AffineConstantExpr>(place)) {
      order.push_back(dim);
      dropped.push_back(true);
    }
  order.push_back(along);
  sizes.push_back(type.getDimSize(along));
  dropped.push_back(false);
  Value table = c.dropDims(c.transpose(extract.getTensor(), order), dropped);
  PayloadEvaluator inner(c, linalg, known);
  FailureOr<Value> id = inner.evaluate(extract.getIndices()[along]);
  if (failed(id))
    return failure();
  RankedTensorType whole = type.clone(sizes);
  Value isAt = c.buildIsAt(*id, sizes.size() - 1, whole);
  OpBuilder &builder = c.getBuilder();
  Value zeros =
      c.splatTensor(builder.getZeroAttr(type.getElementType()), whole);
  Value picked = c.create<arith::SelectOp>(isAt, table, zeros);
  sizes.pop_back();
  Value sum = c.create<train::ReduceOp>(
      type.clone(sizes), train::ReduceKind::Sum, picked,
      ArrayRef<int64_t>{static_cast<int64_t>(sizes.size())});
  return spread(sum, own);
}

FailureOr<Value> PayloadEvaluator::lookUp(tensor::ExtractOp extract) {
  RankedTensorType type = linalgTypeOf(extract.getTensor());
  // linalg_c9
  if (!type.hasStaticShape())
    return c.getOp()->emitOpError("a tensor in which a payload looks up must "
                                  "have a static shape to be converted, but "
                                  "got ")
           << type;
  MLIRContext *context = c.getOp()->getContext();
  int64_t rank = type.getRank();
  // Of each dimension where it is read, unless that is computed.
  SmallVector<AffineExpr> places(rank);
  Loops along;
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    std::optional<unsigned> loop = getLoop(index);
    std::optional<int64_t> constant = getConstantIntValue(index);
    if (constant && *constant >= 0 && *constant < type.getDimSize(dim)) {
      places[dim] = getAffineConstantExpr(*constant, context);
    } else if (loop && ranges[*loop] <= type.getDimSize(dim) &&
               !llvm::is_contained(along, *loop)) {
      places[dim] = getAffineDimExpr(*loop, context);
      along.push_back(*loop);
    }
  }
  llvm::SmallDenseSet<unsigned> read;
  for (auto [place, index] : llvm::zip_equal(places, extract.getIndices()))
    if (!place)
      collectLoops(index, read);
  if (std::optional<size_t> along = findPicked(places, read, type))
    return pick(extract, places, *along);
  SmallVector<int64_t> computed, rest;
  for (int64_t dim = 0; dim < rank; ++dim) {
    auto loop = dyn_cast_or_null<AffineDimExpr>(places[dim]);
    if (loop && !fixed.contains(loop.getPosition()) &&
        read.contains(loop.getPosition()))
      places[dim] = AffineExpr();
    (places[dim] ? rest : computed).push_back(dim);
  }
  if (computed.empty())
    return this->read(extract.getTensor(), places);

  // A table with a row for each of the computed places.
  SmallVector<int64_t> offsets(rank, 0), sizes(type.getShape()), ones(rank, 1);
  SmallVector<bool> dropped(computed.size(), false);
  Loops rowLoops;
  for (int64_t dim : rest) {
    LinearIndex index = *getLinearIndex(places[dim], ranges.size(), fixed);
    bool isAlong = !index.terms.empty();
    offsets[dim] = index.offset;
    sizes[dim] = isAlong ? ranges[index.terms[0].first] : 1;
    dropped.push_back(!isAlong);
    if (isAlong)
      rowLoops.push_back(index.terms[0].first);
  }
  SmallVector<int64_t> order(computed);
  llvm::append_range(order, rest);
  Value table =
      c.transpose(c.slice(extract.getTensor(), offsets, sizes, ones), order);
  SmallVector<size_t> counts = {computed.size()};
  counts.append(rest.size(), 1);
  dropped.erase(dropped.begin(), dropped.begin() + computed.size() - 1);
  table = c.dropDims(c.join(table, counts), dropped);

  // The loops that no index depends on have one value there.
  DenseMap<unsigned, int64_t> known(fixed);
  for (unsigned loop : loops)
    if (!read.contains(loop))
      known[loop] = 0;
  PayloadEvaluator inner(c, linalg, known);
  Value ids;
  for (int64_t dim : computed) {
    FailureOr<Value> id = inner.evaluate(extract.getIndices()[dim]);
    if (failed(id))
      return failure();
    ids =
        ids ? c.create<arith::AddIOp>(
                  c.create<arith::MulIOp>(
                      ids, c.splatInt(type.getDimSize(dim), inner.getShape())),
                  *id)
            : *id;
  }
  SmallVector<int64_t> made(inner.getShape());
  llvm::append_range(made, linalgTypeOf(table).getShape().drop_front());
  Value value = c.create<train::GatherOp>(linalgTypeOf(table).clone(made),
                                          table, ids, ArrayAttr(), ArrayAttr());
  Loops own(inner.getLoops());
  own.append(rowLoops);
  return spread(value, own);
}

/// What a branch takes from no tensor can be computed whichever is taken.
static bool isPure(scf::IfOp branch) {
  WalkResult walked = branch->walk([&](Operation *inner) {
    bool isPlain = inner == branch.getOperation() ||
                   isa<scf::IfOp, scf::YieldOp, linalg::IndexOp>(inner) ||
                   inner->hasTrait<OpTrait::Elementwise>() ||
                   inner->hasTrait<OpTrait::ConstantLike>();
    return isPlain ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !walked.wasInterrupted();
}

FailureOr<Value> PayloadEvaluator::choose(scf::IfOp branch, Value result) {
  unsigned index = cast<OpResult>(result).getResultNumber();
  FailureOr<Value> condition = evaluate(branch.getCondition());
  FailureOr<Value> first = evaluate(branch.thenYield().getOperand(index));
  FailureOr<Value> second = evaluate(branch.elseYield().getOperand(index));
  if (failed(condition) || failed(first) || failed(second))
    return failure();
  return c.create<arith::SelectOp>(*condition, *first, *second);
}

FailureOr<Value> PayloadEvaluator::evaluate(Operation *payload, Value result) {
  if (auto index = dyn_cast<linalg::IndexOp>(payload)) {
    auto known = fixed.find(index.getDim());
    if (known != fixed.end())
      return c.splatInt(known->second, shape);
    return c.create<train::IotaOp>(
        RankedTensorType::get(shape, getStored(index.getType())),
        llvm::find(loops, index.getDim()) - loops.begin(), ArrayAttr(),
        ArrayAttr());
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(payload))
    return lookUp(extract);
  if (auto branch = dyn_cast<scf::IfOp>(payload); branch && isPure(branch))
    return choose(branch, result);
  // linalg_c4
  if (!payload->hasTrait<OpTrait::Elementwise>() ||
      payload->getNumResults() != 1 || payload->getNumRegions() != 0)
    return c.getOp()->emitOpError("a payload must be arithmetic of single "
                                  "elements to be converted, but got '")
           << payload->getName() << "'";
  return c.createFrom(payload,
                      [&](Value operand) { return evaluate(operand); });
}

FailureOr<Value> PayloadEvaluator::evaluate(Value scalar) {
  if (Value known = values.lookup(scalar))
    return known;
  FailureOr<Value> value = failure();
  auto argument = dyn_cast<BlockArgument>(scalar);
  Operation *inner = scalar.getDefiningOp();
  bool isOfPayload =
      isInPayload(inner) && !inner->hasTrait<OpTrait::ConstantLike>();
  OpOperand *operand = argument && argument.getOwner() == linalg.getBlock()
                           ? linalg.getMatchingOpOperand(argument)
                           : nullptr;
  if (operand && isa<RankedTensorType>(operand->get().getType())) {
    value = read(operand->get(),
                 linalg.getMatchingIndexingMap(operand).getResults());
  } else if (isOfPayload) {
    value = evaluate(inner, scalar);
  } else {
    value = c.buildScalar(operand ? operand->get() : scalar);
    // A constant stays one, which says what a sum starts from.
    DenseElementsAttr constant;
    if (succeeded(value) && matchPattern(*value, m_Constant(&constant)))
      value = c.splatTensor(constant.getSplatValue<Attribute>(),
                            linalgTypeOf(*value).clone(shape));
    else if (succeeded(value))
      value = spread(*value, {});
  }
  if (succeeded(value))
    values[scalar] = *value;
  return value;
}
