//===- ConvertLinalg.cpp - linalg on tensors as a graph of prec -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes operations of linalg as what importing makes of a framework's:
// matmuls, arithmetic on tensors, reductions, broadcasts and transpositions. An
// operation is judged by its iterators, maps and payload, whatever its name.
//
// A product of sums (a contraction) has its operands brought to the order
// batch, rows, contracted (or rows and contracted swapped, as a transposed
// operand), each group of loops as one dimension, and its result back from
// that.
//
// Any other operation is computed in its iteration space, a tensor with a
// dimension for each loop: operands are transposed and repeated to that shape,
// each operation of the payload becomes the same one on tensors, and a loop
// that reduces becomes a reduction of what the payload adds, or takes the
// largest or smallest of. What starts a sum is added, unless it is zero.
//
//===----------------------------------------------------------------------===//
#include "Import/LinalgPayload.h"

#include "prec/Import/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace prec {
#define GEN_PASS_DEF_CONVERTLINALGTOTRAIN
#include "prec/Import/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;
using linalg::LinalgOp;

using Loops = SmallVector<unsigned>;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Numbers of type index count loops, which have less than 2^31 steps.
static Type getStored(Type scalar) {
  return scalar.isIndex() ? IntegerType::get(scalar.getContext(), 32) : scalar;
}

/// From one width of whole numbers to another; null if there is nothing to do.
static StringRef getResize(Type from, Type to) {
  unsigned have = from.getIntOrFloatBitWidth(),
           want = to.getIntOrFloatBitWidth();
  return have == want  ? StringRef()
         : have < want ? arith::ExtSIOp::getOperationName()
                       : arith::TruncIOp::getOperationName();
}

namespace {

/// Rewrites one operation; whatever it builds stands in front of it.
class Converter {
public:
  explicit Converter(Operation *op) : op(op), builder(op) {}

  /// What replaces the results. Fails after an error at the operation.
  FailureOr<SmallVector<Value>> convert();

private:
  template <typename OpTy, typename... Args> Value create(Args &&...args) {
    auto made =
        OpTy::create(builder, op->getLoc(), std::forward<Args>(args)...);
    train::copyProvenance(op, made);
    return made->getResult(0);
  }

  FailureOr<SmallVector<Value>> convertSoftmax(linalg::SoftmaxOp softmax);
  FailureOr<SmallVector<Value>> convertStructured(LinalgOp linalg);
  FailureOr<SmallVector<Value>> convertProduct(LinalgOp linalg);
  FailureOr<SmallVector<Value>> convertLoops(LinalgOp linalg);

  // Shapes.
  Value transpose(Value value, ArrayRef<int64_t> permutation);
  Value join(Value value, ArrayRef<size_t> groups);
  Value split(Value value, ArrayRef<SmallVector<int64_t>> groups);
  Value dropDims(Value value, ArrayRef<bool> dropped);

  // Products.
  FailureOr<Value> arrange(OpOperand &operand, LinalgOp linalg,
                           ArrayRef<unsigned> batch, ArrayRef<unsigned> free,
                           ArrayRef<unsigned> contracted, bool freeIsFirst,
                           bool &isSwapped);

  // Iteration spaces.
  FailureOr<Value> toSpace(OpOperand &operand, LinalgOp linalg);
  FailureOr<Value> fromSpace(Value value, ArrayRef<unsigned> loops,
                             OpOperand &init, LinalgOp linalg);
  FailureOr<Value> splat(Value scalar, ArrayRef<int64_t> shape);
  FailureOr<Value> evaluate(Value scalar, LinalgOp linalg);
  FailureOr<Value> evaluate(Operation *payload, LinalgOp linalg);

  Operation *op;
  OpBuilder builder;
  /// Of scalars of the payload.
  DenseMap<Value, Value> values;
};

} // namespace

Value Converter::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return value;
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(typeOf(value).getDimSize(dim));
  return create<train::TransposeOp>(typeOf(value).clone(shape), value,
                                    permutation);
}

/// Of dimensions some of which are ones that go to their neighbours: the first
/// ones to the one behind them, all others to the one before.
static SmallVector<ReassociationIndices> groupOnes(ArrayRef<bool> isOne) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (auto [dim, one] : llvm::enumerate(isOne)) {
    if (one && groups.empty()) {
      leading.push_back(dim);
    } else if (one) {
      groups.back().push_back(dim);
    } else {
      groups.push_back(leading);
      leading.clear();
      groups.back().push_back(dim);
    }
  }
  return groups;
}

Value Converter::dropDims(Value value, ArrayRef<bool> dropped) {
  if (!llvm::is_contained(dropped, true))
    return value;
  SmallVector<int64_t> shape;
  for (auto [dim, drop] : llvm::enumerate(dropped))
    if (!drop)
      shape.push_back(typeOf(value).getDimSize(dim));
  return create<tensor::CollapseShapeOp>(typeOf(value).clone(shape), value,
                                         groupOnes(dropped));
}

/// Each group of dimensions, given by its number of them, as one; none as 1.
Value Converter::join(Value value, ArrayRef<size_t> groups) {
  SmallVector<ReassociationIndices> joined;
  SmallVector<int64_t> shape, whole;
  int64_t dim = 0;
  for (size_t count : groups) {
    int64_t size = 1;
    ReassociationIndices dims;
    for (size_t i = 0; i < count; ++i, ++dim) {
      size *= typeOf(value).getDimSize(dim);
      dims.push_back(dim);
    }
    whole.push_back(size);
    if (count == 0)
      continue;
    joined.push_back(dims);
    shape.push_back(size);
  }
  if (llvm::any_of(groups, [](size_t count) { return count > 1; }))
    value = create<tensor::CollapseShapeOp>(typeOf(value).clone(shape), value,
                                            joined);
  if (!llvm::is_contained(groups, 0u))
    return value;
  SmallVector<bool> isOne;
  for (size_t count : groups)
    isOne.push_back(count == 0);
  return create<tensor::ExpandShapeOp>(typeOf(value).clone(whole), value,
                                       groupOnes(isOne));
}

/// The inverse: each dimension as those of its group.
Value Converter::split(Value value, ArrayRef<SmallVector<int64_t>> groups) {
  SmallVector<bool> isOne;
  for (const SmallVector<int64_t> &group : groups)
    isOne.push_back(group.empty());
  value = dropDims(value, isOne);
  SmallVector<ReassociationIndices> parts;
  SmallVector<int64_t> shape;
  for (const SmallVector<int64_t> &group : groups) {
    if (group.empty())
      continue;
    parts.emplace_back();
    for (int64_t size : group) {
      parts.back().push_back(shape.size());
      shape.push_back(size);
    }
  }
  if (shape.size() == size_t(typeOf(value).getRank()))
    return value;
  return create<tensor::ExpandShapeOp>(typeOf(value).clone(shape), value,
                                       parts);
}

/// The loop of each dimension of an operand; none where one is no loop.
static std::optional<Loops> getLoops(AffineMap map) {
  Loops loops;
  for (AffineExpr result : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || llvm::is_contained(loops, dim.getPosition()))
      return std::nullopt;
    loops.push_back(dim.getPosition());
  }
  return loops;
}

/// An operand as [batch, free, contracted] or [batch, contracted, free], with
/// as few transpositions as can be: `isSwapped` says which of the two is not
/// what a product that is not transposed has.
FailureOr<Value> Converter::arrange(OpOperand &operand, LinalgOp linalg,
                                    ArrayRef<unsigned> batch,
                                    ArrayRef<unsigned> free,
                                    ArrayRef<unsigned> contracted,
                                    bool freeIsFirst, bool &isSwapped) {
  std::optional<Loops> loops =
      getLoops(linalg.getMatchingIndexingMap(&operand));
  // linalg_c1
  if (!loops)
    return op->emitOpError("an operand must be read along loops, each once, to "
                           "be converted, but got ")
           << AffineMapAttr::get(linalg.getMatchingIndexingMap(&operand));
  auto find = [&](unsigned loop) {
    return int64_t(llvm::find(*loops, loop) - loops->begin());
  };
  bool contractedIsLast = free.empty() || contracted.empty() ||
                          find(contracted.front()) > find(free.back());
  isSwapped = contractedIsLast != freeIsFirst;
  ArrayRef<unsigned> groups[] = {batch, contractedIsLast ? free : contracted,
                                 contractedIsLast ? contracted : free};
  SmallVector<int64_t> permutation;
  SmallVector<size_t> counts;
  for (ArrayRef<unsigned> group : groups) {
    counts.push_back(group.size());
    for (unsigned loop : group)
      permutation.push_back(find(loop));
  }
  Value value = transpose(operand.get(), permutation);
  return join(value,
              batch.empty() ? ArrayRef(counts).drop_front() : ArrayRef(counts));
}

FailureOr<SmallVector<Value>> Converter::convertProduct(LinalgOp linalg) {
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(linalg);
  // linalg_c2
  if (failed(dims) || !multipliesAndAdds(linalg))
    return op->emitOpError("a product must multiply and add floats, and do "
                           "nothing else, to be converted");
  SmallVector<int64_t> ranges = linalg.getStaticLoopRanges();
  bool swapsLhs = false, swapsRhs = false;
  FailureOr<Value> lhs =
      arrange(*linalg.getDpsInputOperand(0), linalg, dims->batch, dims->m,
              dims->k, /*freeIsFirst=*/true, swapsLhs);
  if (failed(lhs))
    return failure();
  FailureOr<Value> rhs =
      arrange(*linalg.getDpsInputOperand(1), linalg, dims->batch, dims->n,
              dims->k, /*freeIsFirst=*/false, swapsRhs);
  if (failed(rhs))
    return failure();
  SmallVector<SmallVector<int64_t>> sizes;
  Loops order;
  SmallVector<int64_t> shape;
  for (ArrayRef<unsigned> group :
       {ArrayRef<unsigned>(dims->batch), ArrayRef<unsigned>(dims->m),
        ArrayRef<unsigned>(dims->n)}) {
    if (group.empty() && sizes.empty())
      continue;
    sizes.emplace_back();
    shape.push_back(1);
    for (unsigned loop : group) {
      sizes.back().push_back(ranges[loop]);
      shape.back() *= ranges[loop];
      order.push_back(loop);
    }
  }
  if (dims->batch.empty() && dims->m.empty()) {
    sizes.insert(sizes.begin(), SmallVector<int64_t>());
    shape.insert(shape.begin(), 1);
  }
  if (shape.size() < 2) {
    sizes.emplace_back();
    shape.push_back(1);
  }
  OpOperand &init = *linalg.getDpsInitOperand(0);
  Value product = create<train::MatmulOp>(typeOf(init.get()).clone(shape), *lhs,
                                          *rhs, /*bias=*/Value(), swapsLhs,
                                          swapsRhs, ArrayAttr(), ArrayAttr());
  FailureOr<Value> result =
      fromSpace(split(product, sizes), order, init, linalg);
  if (failed(result))
    return failure();
  if (!startsFrom(init.get(), 0))
    *result = create<arith::AddFOp>(*result, init.get());
  return SmallVector<Value>{*result};
}

FailureOr<Value> Converter::splat(Value scalar, ArrayRef<int64_t> shape) {
  Attribute value;
  // linalg_c3
  if (!matchPattern(scalar, m_Constant(&value)))
    return op->emitOpError("a scalar that is read must be a constant to be "
                           "converted, but got one of type ")
           << scalar.getType();
  auto type = RankedTensorType::get(shape, getStored(scalar.getType()));
  if (auto index = dyn_cast<IntegerAttr>(value))
    value = IntegerAttr::get(type.getElementType(), index.getInt());
  return create<arith::ConstantOp>(DenseElementsAttr::get(type, value));
}

/// An operand as a tensor that has a dimension for each loop, in their order.
FailureOr<Value> Converter::toSpace(OpOperand &operand, LinalgOp linalg) {
  SmallVector<int64_t> ranges = linalg.getStaticLoopRanges();
  Value value = operand.get();
  if (!isa<RankedTensorType>(value.getType()))
    return splat(value, ranges);
  AffineMap map = linalg.getMatchingIndexingMap(&operand);
  // A dimension of 1 that is read at 0 is one that is repeated.
  SmallVector<bool> dropped;
  Loops loops;
  for (auto [dim, result] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(result);
    auto place = dyn_cast<AffineConstantExpr>(result);
    bool isOne =
        place && place.getValue() == 0 && typeOf(value).getDimSize(dim) == 1;
    // linalg_c1
    if (!isOne && (!loop || llvm::is_contained(loops, loop.getPosition())))
      return op->emitOpError("an operand must be read along loops, each once, "
                             "to be converted, but got ")
             << AffineMapAttr::get(map);
    dropped.push_back(isOne);
    if (!isOne)
      loops.push_back(loop.getPosition());
  }
  value = dropDims(value, dropped);
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, loops.size()));
  llvm::sort(permutation,
             [&](int64_t a, int64_t b) { return loops[a] < loops[b]; });
  value = transpose(value, permutation);
  if (loops.size() == ranges.size())
    return value;
  llvm::sort(loops);
  return create<train::BroadcastOp>(
      typeOf(value).clone(ranges), value,
      SmallVector<int64_t>(loops.begin(), loops.end()));
}

/// A value that has dimensions for `loops`, in this order, as the result that
/// `init` has the place of.
FailureOr<Value> Converter::fromSpace(Value value, ArrayRef<unsigned> loops,
                                      OpOperand &init, LinalgOp linalg) {
  std::optional<Loops> wanted = getLoops(linalg.getMatchingIndexingMap(&init));
  // linalg_c1
  if (!wanted || wanted->size() != loops.size())
    return op->emitOpError("a result must be written along loops, each once, "
                           "to be converted, but got ")
           << AffineMapAttr::get(linalg.getMatchingIndexingMap(&init));
  SmallVector<int64_t> permutation;
  for (unsigned loop : *wanted)
    permutation.push_back(llvm::find(loops, loop) - loops.begin());
  return transpose(value, permutation);
}

FailureOr<Value> Converter::evaluate(Operation *payload, LinalgOp linalg) {
  if (auto index = dyn_cast<linalg::IndexOp>(payload))
    return create<train::IotaOp>(
        RankedTensorType::get(linalg.getStaticLoopRanges(),
                              getStored(index.getType())),
        index.getDim(), ArrayAttr(), ArrayAttr());
  // linalg_c4
  if (!payload->hasTrait<OpTrait::Elementwise>() ||
      payload->getNumResults() != 1 || payload->getNumRegions() != 0)
    return op->emitOpError("a payload must be arithmetic of single elements to "
                           "be converted, but got '")
           << payload->getName() << "'";
  SmallVector<Value> operands;
  for (Value operand : payload->getOperands()) {
    FailureOr<Value> value = evaluate(operand, linalg);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  Type element = getStored(payload->getResult(0).getType());
  OperationName name = payload->getName();
  if (isa<arith::IndexCastOp>(payload)) {
    StringRef resize = getResize(typeOf(operands[0]).getElementType(), element);
    if (resize.empty())
      return operands[0];
    name = OperationName(resize, builder.getContext());
  }
  OperationState state(
      op->getLoc(), name, operands,
      RankedTensorType::get(linalg.getStaticLoopRanges(), element),
      payload->getAttrs());
  Operation *made = builder.create(state);
  train::copyProvenance(op, made);
  return made->getResult(0);
}

/// A scalar of the payload, for all elements.
FailureOr<Value> Converter::evaluate(Value scalar, LinalgOp linalg) {
  if (Value known = values.lookup(scalar))
    return known;
  FailureOr<Value> value = failure();
  auto argument = dyn_cast<BlockArgument>(scalar);
  if (argument && argument.getOwner() == linalg.getBlock())
    value = toSpace(*linalg.getMatchingOpOperand(argument), linalg);
  else if (Operation *inner = scalar.getDefiningOp();
           inner && inner->getBlock() == linalg.getBlock() &&
           !inner->hasTrait<OpTrait::ConstantLike>())
    value = evaluate(inner, linalg);
  else
    value = splat(scalar, linalg.getStaticLoopRanges());
  if (succeeded(value))
    values[scalar] = *value;
  return value;
}

FailureOr<SmallVector<Value>> Converter::convertLoops(LinalgOp linalg) {
  Loops kept;
  SmallVector<int64_t> reduced;
  for (auto [loop, iterator] : llvm::enumerate(linalg.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      reduced.push_back(loop);
    else
      kept.push_back(loop);
  SmallVector<Value> results;
  Operation *yield = linalg.getBlock()->getTerminator();
  for (auto [init, yielded] :
       llvm::zip_equal(linalg.getDpsInitsMutable(), yield->getOperands())) {
    BlockArgument soFar = linalg.getMatchingBlockArgument(&init);
    std::optional<Combination> combination;
    if (!reduced.empty())
      combination = findCombination(yielded, soFar);
    // linalg_c5
    if (!reduced.empty() && !combination)
      return op->emitOpError("a reduction must add or take the largest or "
                             "smallest of single elements to be converted");
    FailureOr<Value> value =
        evaluate(combination ? combination->added : yielded, linalg);
    if (failed(value))
      return failure();
    if (combination) {
      SmallVector<int64_t> shape;
      for (unsigned loop : kept)
        shape.push_back(typeOf(*value).getDimSize(loop));
      value = create<train::ReduceOp>(typeOf(*value).clone(shape),
                                      combination->kind, *value, reduced);
    }
    value = fromSpace(*value, kept, init, linalg);
    if (failed(value))
      return failure();
    if (combination && !startsFrom(init.get(), combination->neutral)) {
      OperationState state(op->getLoc(), combination->combiner->getName(),
                           {*value, init.get()}, value->getType(),
                           combination->combiner->getAttrs());
      Operation *made = builder.create(state);
      train::copyProvenance(op, made);
      value = made->getResult(0);
    }
    results.push_back(*value);
  }
  return results;
}

FailureOr<SmallVector<Value>>
Converter::convertSoftmax(linalg::SoftmaxOp softmax) {
  int64_t rank = softmax.getInputOperandRank();
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[softmax.getDimension()], permutation[rank - 1]);
  Value input = transpose(softmax.getInput(), permutation);
  Value result = create<train::SoftmaxOp>(input.getType(), input, ArrayAttr(),
                                          ArrayAttr());
  return SmallVector<Value>{transpose(result, permutation)};
}

FailureOr<SmallVector<Value>> Converter::convertStructured(LinalgOp linalg) {
  // linalg_c6
  if (linalg::isaConvolutionOpInterface(linalg))
    return op->emitOpError("windows (convolutions and pooling) are not "
                           "converted");
  // Without rows or columns the iteration space is no larger than an operand.
  FailureOr<linalg::ContractionDimensions> dims = failure();
  if (linalg::isaContractionOpInterface(linalg))
    dims = linalg::inferContractionDims(linalg);
  if (succeeded(dims) &&
      (multipliesAndAdds(linalg) || (!dims->m.empty() && !dims->n.empty())))
    return convertProduct(linalg);
  return convertLoops(linalg);
}

FailureOr<SmallVector<Value>> Converter::convert() {
  for (ValueRange range :
       {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : range) {
      auto shaped = dyn_cast<ShapedType>(value.getType());
      // linalg_c7
      if (shaped &&
          (!isa<RankedTensorType>(shaped) || !shaped.hasStaticShape() ||
           shaped.getElementType().isIndex()))
        return op->emitOpError("operands must be tensors of static shape, and "
                               "not of index, to be converted, but got ")
               << shaped;
    }
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return convertSoftmax(softmax);
  if (auto linalg = dyn_cast<LinalgOp>(op))
    return convertStructured(linalg);
  // linalg_c8
  return op->emitOpError("is not converted");
}

namespace {

struct ConvertLinalgToTrain
    : public prec::impl::ConvertLinalgToTrainBase<ConvertLinalgToTrain> {
  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa_and_present<linalg::LinalgDialect>(op->getDialect()))
        return WalkResult::advance();
      found.push_back(op);
      return WalkResult::skip();
    });
    for (Operation *op : found) {
      // What only starts a sum is looked at by that sum.
      FailureOr<SmallVector<Value>> values =
          op->use_empty() ? SmallVector<Value>() : Converter(op).convert();
      if (failed(values))
        return signalPassFailure();
      if (!op->use_empty() && !isa<linalg::FillOp>(op))
        op->replaceAllUsesWith(*values);
      else if (isa<linalg::FillOp>(op) && !op->use_empty())
        fills.push_back({op, (*values)[0]});
    }
    for (auto [fill, value] : fills)
      fill->getResult(0).replaceAllUsesWith(value);
    fills.clear();
    // From the last: an operation before its operands.
    for (Operation *op : llvm::reverse(found))
      if (op->use_empty())
        op->erase();
    for (Block &block : getOperation().getBody())
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isa<tensor::EmptyOp, arith::ConstantOp>(op) && op.use_empty())
          op.erase();
  }

  SmallVector<std::pair<Operation *, Value>> fills;
};

} // namespace
