//===- ExpertRows.cpp - rows that a rank's experts compute ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rank gets the tokens of all ranks, and which experts they chose. It
// sorts the pairs of its own experts to the front, in the order of experts, of
// ranks and of tokens, computes these rows, weighs them, and adds up what its
// experts have made of a token. So there is one row a token for each rank,
// which goes back to the token's rank; that adds up the rows in the order of
// ranks. All sizes are known when compiling: tokens travel whole, and rows have
// room for a share of all pairs. Where a rank's experts are chosen more often,
// rows are missing; then `hasRoom` is 0, the step changes nothing, and the
// runtime runs the crowded one, which has a row for each pair. That keeps none
// of them, nor the tokens of other ranks, for its backward: what computes them
// is marked for it to be computed again there, so that the rows of one layer
// are there at a time.
//
// Example of two ranks, 4 tokens each, 2 of 4 experts a token:
//
//   tokens x [4, H], choices [8]      -> all_gather: [8, H], [16]
//   keys of the choices on rank 1     -> 0 and 1 for experts 2 and 3, else 2
//   sorted                            -> 16 pairs, of which the first 10 are
//                                        rows with a room of 1.25
//   rows x[pair / 2]                  -> products of 2 matrices, [10, H]
//   weighed and added up by token     -> [8, H]
//   all_to_all, sum over ranks        -> [4, H]
//
//===----------------------------------------------------------------------===//
#include "Import/ExpertRows.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Train/TensorType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace prec;
using train::ExchangeKind;

/// Rows of which a number is a multiple: products read 16 bytes at once.
static constexpr int64_t kAlignment = 16;

static RankedTensorType withRows(Type type, int64_t rows) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[0] = rows;
  return tensor.clone(shape);
}

/// Dimensions 0 and 1 as one, of a tensor of this rank.
static SmallVector<ReassociationIndices> joinFirst(int64_t rank) {
  SmallVector<ReassociationIndices> groups{{0, 1}};
  for (int64_t dim = 2; dim < rank; ++dim)
    groups.push_back({dim});
  return groups;
}

static DenseElementsAttr splat(RankedTensorType type, int64_t value) {
  Attribute element = IntegerAttr::get(type.getElementType(), value);
  return DenseElementsAttr::get(type, ArrayRef<Attribute>(element));
}

/// The sort whose second row, the places of sorted ids, `value` is.
static train::SortIdsOp getSortOfPlaces(Value value) {
  auto slice = skipReshapes(value).getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice)
    return {};
  auto sort = slice.getSource().getDefiningOp<train::SortIdsOp>();
  if (!sort || typeOf(slice.getSource()).getRank() != 2 ||
      slice.getStaticOffsets() != ArrayRef<int64_t>{1, 0} ||
      slice.getStaticSizes() !=
          ArrayRef<int64_t>{1, typeOf(slice.getSource()).getDimSize(1)})
    return {};
  return sort;
}

/// The number that all elements of a constant are.
static std::optional<int64_t> getSplat(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APInt>().getSExtValue();
}

int64_t ExpertMesh::getRows(int64_t pairs) const {
  const auto wanted = int64_t(std::ceil(double(pairs) * room));
  return std::min(int64_t(llvm::alignTo(wanted, kAlignment)), ranks * pairs);
}

/// A value of rows, which a crowded step does not keep for its backward.
Value ExpertRows::mark(Value value) const {
  if (mesh.isCrowded)
    value.getDefiningOp()->setAttr(train::kExpertRows,
                                   UnitAttr::get(value.getContext()));
  return value;
}

LogicalResult ExpertRows::refuse(Operation *op, const Twine &why) {
  // split_experts_c4
  return op->emitOpError("experts must be divided among ranks by rows of "
                         "sorted pairs of a token and an expert, but ")
         << why;
}

Value ExpertRows::exchange(ExchangeKind kind, Type type, Value input,
                           Place at) {
  bytes += double(typeOf(input).getNumElements()) *
           typeOf(input).getElementTypeBitWidth() / 8 /
           double(kind == ExchangeKind::AllToAll ? mesh.ranks : 1);
  return create<train::ExchangeOp>(at, type, kind, input, train::kExpertAxis);
}

/// [S, ...] of each rank as [N * S, ...].
Value ExpertRows::gatherRanks(Value table) {
  Value &all = gathered[table];
  if (all)
    return all;
  // As early as it can be: whoever reads it may stand anywhere behind.
  Operation *maker = table.getDefiningOp();
  Place at = maker ? Place(maker->getNextNode(), maker)
                   : Place(&sort->getBlock()->front(), sort);
  RankedTensorType type = typeOf(table);
  SmallVector<int64_t> shape{mesh.ranks};
  llvm::append_range(shape, type.getShape());
  Value ranks =
      mark(exchange(ExchangeKind::AllGather, type.clone(shape), table, at));
  all = create<tensor::CollapseShapeOp>(
      at, withRows(type, mesh.ranks * type.getDimSize(0)), ranks,
      joinFirst(shape.size()));
  return all;
}

ExpertRows::Index ExpertRows::matchOrder(Value ids) const {
  Value value = skipReshapes(ids);
  int64_t divisor = 1;
  if (auto quotient = value.getDefiningOp<arith::DivSIOp>()) {
    std::optional<int64_t> by = getSplat(quotient.getRhs());
    if (!by || *by < 1)
      return {};
    divisor = *by;
    value = quotient.getLhs();
  }
  train::SortIdsOp of = getSortOfPlaces(value);
  return {of && of == sort ? divisor : 0};
}

/// Whether these are the rows of pairs.
bool ExpertRows::isInverse(Value ids) const {
  train::SortIdsOp inverse = getSortOfPlaces(ids);
  return inverse && getSortOfPlaces(inverse.getIds()) == sort;
}

/// The sort by which the rows of the first product are looked up.
LogicalResult ExpertRows::findSort() {
  Operation *first = layer.products.front();
  SetVector<Value> behind;
  behind.insert(first->getOperand(0));
  for (size_t i = 0; i < behind.size() && !sort; ++i) {
    Operation *op = behind[i].getDefiningOp();
    if (auto gather = dyn_cast_if_present<train::GatherOp>(op)) {
      Value ids = skipReshapes(gather.getIds());
      if (auto quotient = ids.getDefiningOp<arith::DivSIOp>())
        ids = quotient.getLhs();
      train::SortIdsOp found = getSortOfPlaces(ids);
      if (found && int64_t(found.getBound()) == experts)
        sort = found;
    } else if (op)
      behind.insert_range(op->getOperands());
  }
  if (!sort)
    return refuse(first, "its rows are no lookup of such");
  pairs = typeOf(sort.getIds()).getNumElements();
  if (pairs != typeOf(first->getOperand(0)).getDimSize(0))
    return refuse(first, "it has not a row for each of them");
  return success();
}

void ExpertRows::dispatch() {
  const int64_t ranks = mesh.ranks, all = ranks * pairs, own = experts / ranks;
  Place behind(sort->getNextNode(), sort);
  const bool isCut = mesh.getRows(pairs) != all;
  rows = mesh.isCrowded ? all : mesh.getRows(pairs);
  Type integer = typeOf(sort.getIds()).getElementType();
  auto list = [&](int64_t size) {
    return RankedTensorType::get({size}, integer);
  };
  auto constant = [&](RankedTensorType type, int64_t value) {
    return create<arith::ConstantOp>(behind, splat(type, value));
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    return create<arith::CmpIOp>(behind, predicate, a, b);
  };
  Value choices = sort.getIds();
  if (int64_t rank = typeOf(choices).getRank(); rank != 1) {
    ReassociationIndices group;
    for (int64_t dim = 0; dim < rank; ++dim)
      group.push_back(dim);
    choices = create<tensor::CollapseShapeOp>(
        behind, list(pairs), choices, ArrayRef<ReassociationIndices>{group});
  }
  choices = gatherRanks(choices);
  SmallVector<APInt> firsts;
  for (int64_t rank = 0; rank < ranks; ++rank)
    firsts.emplace_back(integer.getIntOrFloatBitWidth(), rank * own);
  Value first = create<train::ExchangeOp>(
      behind, RankedTensorType::get({}, integer), ExchangeKind::OwnSlice,
      create<arith::ConstantOp>(behind,
                                DenseElementsAttr::get(list(ranks), firsts)),
      train::kExpertAxis);
  first =
      create<train::BroadcastOp>(behind, list(all), first, ArrayRef<int64_t>());
  // Experts of other ranks are those behind the own ones; without a sign,
  // numbers below the first are large.
  Value key = create<arith::MinUIOp>(
      behind, create<arith::SubIOp>(behind, choices, first),
      constant(list(all), own));
  auto placesOf = [&](Value ids, int64_t bound) {
    Value sorted = create<train::SortIdsOp>(
        behind, RankedTensorType::get({2, all}, integer), ids, bound,
        /*result_tags=*/nullptr,
        /*operand_tags=*/nullptr);
    Value second = create<tensor::ExtractSliceOp>(
        behind, RankedTensorType::get({1, all}, integer), sorted, ValueRange(),
        ValueRange(), ValueRange(), ArrayRef<int64_t>{1, 0},
        ArrayRef<int64_t>{1, all}, ArrayRef<int64_t>{1, 1});
    return create<tensor::CollapseShapeOp>(
        behind, list(all), second,
        ArrayRef<ReassociationIndices>{ReassociationIndices{0, 1}});
  };
  Value order = placesOf(key, own + 1);
  Value place = placesOf(order, all);
  pair = order;
  if (isCut)
    pair = create<tensor::ExtractSliceOp>(
        behind, list(rows), order, ValueRange(), ValueRange(), ValueRange(),
        ArrayRef<int64_t>{0}, ArrayRef<int64_t>{rows}, ArrayRef<int64_t>{1});
  row = create<arith::MinSIOp>(behind, place, constant(list(all), rows - 1));
  isHere = create<arith::AndIOp>(
      behind, compare(arith::CmpIPredicate::ult, key, constant(list(all), own)),
      compare(arith::CmpIPredicate::slt, place, constant(list(all), rows)));
  auto square = RankedTensorType::get({own, all}, integer);
  Value isUpTo = compare(
      arith::CmpIPredicate::sle,
      create<train::BroadcastOp>(behind, square, key, ArrayRef<int64_t>{1}),
      create<train::IotaOp>(behind, square, int64_t(0), /*result_tags=*/nullptr,
                            /*operand_tags=*/nullptr));
  ends = create<train::ReduceOp>(behind, list(own), train::ReduceKind::Sum,
                                 create<arith::SelectOp>(behind, isUpTo,
                                                         constant(square, 1),
                                                         constant(square, 0)),
                                 ArrayRef<int64_t>{1});
  Value last = create<tensor::ExtractSliceOp>(
      behind, list(1), ends, ValueRange(), ValueRange(), ValueRange(),
      ArrayRef<int64_t>{own - 1}, ArrayRef<int64_t>{1}, ArrayRef<int64_t>{1});
  auto real = RankedTensorType::get({1}, Float32Type::get(sort.getContext()));
  auto number = [&](float value) {
    return create<arith::ConstantOp>(
        behind,
        DenseElementsAttr::get(cast<ShapedType>(real), ArrayRef<float>(value)));
  };
  hasRoom = create<arith::SelectOp>(
      behind, compare(arith::CmpIPredicate::sle, last, constant(list(1), rows)),
      number(1), number(0));
}

/// Rows of what is looked up of tokens or pairs of this rank.
Value ExpertRows::enter(train::GatherOp gather, int64_t divisor) {
  Value table = gather.getTable();
  // Pairs that repeat tokens are these.
  if (auto pairsOf = table.getDefiningOp<tensor::CollapseShapeOp>())
    if (auto repeated = pairsOf.getSrc().getDefiningOp<train::BroadcastOp>()) {
      RankedTensorType type = typeOf(repeated.getResult());
      SmallVector<int64_t> dims{0};
      for (int64_t dim = 2; dim < type.getRank(); ++dim)
        dims.push_back(dim);
      if (divisor == 1 && type.getRank() > 1 &&
          repeated.getDims() == ArrayRef<int64_t>(dims) &&
          pairsOf.getReassociationIndices() == joinFirst(type.getRank())) {
        table = repeated.getInput();
        divisor = type.getDimSize(1);
      }
    }
  Value all = gatherRanks(table);
  Value &place = places[divisor];
  if (!place) {
    place = pair;
    if (divisor != 1) {
      Place behind(pair.getDefiningOp()->getNextNode(), sort);
      place = create<arith::DivSIOp>(
          behind, pair,
          create<arith::ConstantOp>(behind, splat(typeOf(pair), divisor)));
    }
  }
  return mark(create<train::GatherOp>(
      gather.getOperation(), withRows(gather.getType(), rows), all, place,
      /*result_tags=*/nullptr, /*operand_tags=*/nullptr));
}

FailureOr<Value> ExpertRows::map(Value value) {
  if (auto found = mapped.find(value); found != mapped.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  if (!op)
    return layer.products.front()->emitOpError(
               "rows of experts must be computed of tokens, but got argument ")
           << cast<BlockArgument>(value).getArgNumber();
  FailureOr<Value> result = mapOperation(op);
  if (succeeded(result))
    mapped[value] = *result;
  return result;
}

/// `op` of the rows of this rank's experts; `ofRows` are the operands that have
/// a row for each.
FailureOr<Value> ExpertRows::clone(Operation *op, ArrayRef<unsigned> ofRows) {
  IRMapping mapping;
  for (unsigned index : ofRows) {
    FailureOr<Value> operand = map(op->getOperand(index));
    if (failed(operand))
      return failure();
    mapping.map(op->getOperand(index), *operand);
  }
  OpBuilder builder(op);
  Operation *copy = builder.clone(*op, mapping);
  Value result = mark(copy->getResult(0));
  result.setType(withRows(result.getType(), rows));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(copy))
    expand.setStaticOutputShape(typeOf(result).getShape());
  else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(copy))
    slice.setStaticSizes(typeOf(result).getShape());
  return result;
}

FailureOr<Value> ExpertRows::mapOperation(Operation *op) {
  auto isOfRows = [&](Value value) {
    return typeOf(value).getRank() > 0 && typeOf(value).getDimSize(0) == pairs;
  };
  auto refused = [&](const Twine &why) -> FailureOr<Value> {
    return refuse(op, why);
  };
  if (op->getNumResults() != 1 || !isOfRows(op->getResult(0)))
    return refused("'" + op->getName().getStringRef() +
                   "' does not make a row for each");
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(0, op->getNumOperands()));
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)) && constant.isSplat())
    return create<arith::ConstantOp>(
        op, constant.resizeSplat(withRows(op->getResult(0).getType(), rows)));
  return llvm::TypeSwitch<Operation *, FailureOr<Value>>(op)
      .Case([&](train::GatherOp gather) -> FailureOr<Value> {
        if (Index index = matchOrder(gather.getIds()); index.divisor != 0)
          return enter(gather, index.divisor);
        if (isOfRows(gather.getIds()) && typeOf(gather.getIds()).getRank() == 1)
          return clone(gather, {1});
        return refused("rows are looked up otherwise");
      })
      .Case([&](train::GroupedMatmulOp product) -> FailureOr<Value> {
        if (product.getEnds() != layer.ends)
          return refused("a product has other groups");
        FailureOr<Value> copy = clone(product, {0});
        if (succeeded(copy))
          (*copy).getDefiningOp()->setOperand(2, ends);
        return copy;
      })
      .Case([&](train::BroadcastOp repeat) -> FailureOr<Value> {
        const auto *found = llvm::find(repeat.getDims(), 0);
        if (found == repeat.getDims().end())
          return clone(repeat, {});
        return found == repeat.getDims().begin() ? clone(repeat, {0})
                                                 : refused("rows are moved");
      })
      .Case([&](train::ReduceOp reduce) -> FailureOr<Value> {
        return llvm::is_contained(reduce.getDims(), 0)
                   ? refused("rows are reduced")
                   : clone(reduce, {0});
      })
      .Case([&](train::TransposeOp transpose) -> FailureOr<Value> {
        return transpose.getPermutation().front() == 0 ? clone(transpose, {0})
                                                       : refused("rows are "
                                                                 "moved");
      })
      .Case([&](tensor::ExtractSliceOp slice) -> FailureOr<Value> {
        return isOfRows(slice.getSource()) &&
                       slice.getType().getRank() ==
                           typeOf(slice.getSource()).getRank()
                   ? clone(slice, {0})
                   : refused("some rows are cut out");
      })
      .Case([&](tensor::ConcatOp concat) -> FailureOr<Value> {
        return concat.getDim() != 0 ? clone(concat, all)
                                    : refused("rows are joined");
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [&](auto reshape) -> FailureOr<Value> {
            return isOfRows(reshape.getSrc()) ? clone(reshape, {0})
                                              : refused("rows are made of "
                                                        "something else");
          })
      .Default([&](Operation *other) -> FailureOr<Value> {
        if (!other->hasTrait<OpTrait::Elementwise>())
          return refused("'" + other->getName().getStringRef() +
                         "' is not computed row by row");
        SmallVector<unsigned> ofRows;
        for (unsigned index : all)
          if (typeOf(other->getOperand(index)).getRank() > 0)
            ofRows.push_back(index);
        return clone(other, ofRows);
      });
}

/// What multiplies pairs by one number for each, or adds up those of a token.
static Operation *getOnlyUser(Value value) {
  return value.hasOneUse() ? *value.getUsers().begin() : nullptr;
}

/// The numbers of pairs that a product of pairs multiplies `pairsOf` by.
static train::BroadcastOp getWeights(Operation *op, Value pairsOf) {
  auto product = dyn_cast_if_present<arith::MulFOp>(op);
  if (!product || product.getLhs() == product.getRhs())
    return {};
  Value other =
      product.getLhs() == pairsOf ? product.getRhs() : product.getLhs();
  auto weights = other.getDefiningOp<train::BroadcastOp>();
  return weights && weights.getDims() == ArrayRef<int64_t>{0} ? weights
                                                              : nullptr;
}

/// A lookup of rows for pairs in the order of tokens. Where pairs are weighed
/// and those of a token added up, this is done before they travel.
LogicalResult ExpertRows::leave(train::GatherOp gather) {
  FailureOr<Value> from = map(gather.getTable());
  if (failed(from))
    return failure();
  const int64_t all = mesh.ranks * pairs;
  Operation *last = gather;
  Value weights;
  Value current = gather.getResult();
  tensor::ExpandShapeOp tokens;
  Operation *user = getOnlyUser(current);
  if (train::BroadcastOp found = getWeights(user, current)) {
    weights = found.getInput();
    last = user;
    current = user->getResult(0);
    user = getOnlyUser(current);
  }
  const int64_t rank = typeOf(current).getRank();
  train::ReduceOp sum;
  if (auto expand = dyn_cast_if_present<tensor::ExpandShapeOp>(user))
    if (expand.getReassociationIndices() == joinFirst(rank + 1)) {
      sum =
          dyn_cast_if_present<train::ReduceOp>(getOnlyUser(user->getResult(0)));
      if (sum && (sum.getKind() != train::ReduceKind::Sum ||
                  sum.getDims() != ArrayRef<int64_t>{1}))
        sum = nullptr;
      if (sum)
        tokens = expand;
    }
  if (!sum) {
    // They travel as they are.
    last = gather;
    weights = nullptr;
    current = gather.getResult();
  } else
    last = sum;
  RankedTensorType type = withRows(current.getType(), all);
  Value found = create<train::GatherOp>(last, type, *from, row,
                                        /*result_tags=*/nullptr,
                                        /*operand_tags=*/nullptr);
  Value here = create<train::BroadcastOp>(
      last, type.clone(IntegerType::get(type.getContext(), 1)), isHere,
      ArrayRef<int64_t>{0});
  Attribute zero = FloatAttr::get(type.getElementType(), 0.0);
  Value zeros = create<arith::ConstantOp>(
      last, DenseElementsAttr::get(type, ArrayRef<Attribute>(zero)));
  Value part = create<arith::SelectOp>(last, here, found, zeros);
  if (weights)
    part = create<arith::MulFOp>(
        last, part,
        create<train::BroadcastOp>(last, type, gatherRanks(weights),
                                   ArrayRef<int64_t>{0}));
  int64_t size = pairs;
  if (sum) {
    SmallVector<int64_t> shape(typeOf(tokens.getResult()).getShape());
    size = shape[0];
    shape[0] *= mesh.ranks;
    part = create<tensor::ExpandShapeOp>(last, type.clone(shape), part,
                                         joinFirst(shape.size()));
    part = create<train::ReduceOp>(last, withRows(sum.getType(), shape[0]),
                                   train::ReduceKind::Sum, part,
                                   ArrayRef<int64_t>{1});
  }
  SmallVector<int64_t> shape(typeOf(part).getShape());
  shape[0] = size;
  shape.insert(shape.begin(), mesh.ranks);
  RankedTensorType slices = type.clone(shape);
  part = create<tensor::ExpandShapeOp>(last, slices, part,
                                       joinFirst(shape.size()));
  part = exchange(ExchangeKind::AllToAll, slices, part, last);
  Value result = create<train::ReduceOp>(
      last, slices.clone(ArrayRef(shape).drop_front()), train::ReduceKind::Sum,
      part, ArrayRef<int64_t>{0});
  last->getResult(0).replaceAllUsesWith(result);
  return success();
}

LogicalResult ExpertRows::run() {
  experts = typeOf(layer.ends).getDimSize(0);
  if (failed(findSort()))
    return failure();
  dispatch();
  SmallVector<train::GatherOp> leaving;
  for (train::GatherOp gather :
       sort->getParentOfType<func::FuncOp>().getOps<train::GatherOp>())
    if (isInverse(gather.getIds()))
      leaving.push_back(gather);
  for (train::GatherOp gather : leaving)
    if (failed(leave(gather)))
      return failure();
  for (Operation *op : layer.products) {
    auto gradient = dyn_cast<train::GroupedMatmulGradOp>(op);
    if (!gradient)
      continue;
    FailureOr<Value> lhs = map(gradient.getLhs()), rhs = map(gradient.getRhs());
    if (failed(lhs) || failed(rhs))
      return failure();
    Value own = create<train::GroupedMatmulGradOp>(
        op, gradient.getType(), *lhs, *rhs, ends, /*result_tags=*/nullptr,
        /*operand_tags=*/nullptr);
    own.getDefiningOp()->setAttrs(op->getAttrs());
    gradients.push_back({gradient.getResult(), own});
  }
  return success();
}
