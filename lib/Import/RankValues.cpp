//===- RankValues.cpp - what ranks make of each other's values ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan says in which placement each operation makes its results, and in which
// it needs its operands. Where these differ, something stands between them:
//
//   made      needed    between them
//   partial   whole     the sum
//   partial   rows      a rank's rows of the sum
//   rows      whole     the rows of all ranks, behind each other
//   whole     rows      a rank's rows, of which nothing is sent
//   whole     divided   a rank's slice, the same
//
// Who reads a sum of terms whole where another one reads rows of it gets those
// of all ranks. Rows are gathered in front of the first who reads them, and
// what is a reshape of rows is reshaped once they are gathered: so products
// that read one tensor through reshapes of their own wait for one exchange.
//
//===----------------------------------------------------------------------===//
#include "Import/RankValues.h"

#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Train/Slices.h"
#include "prec/Dialect/Train/TensorType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace prec;

/// More elements than these are added up on their own.
static constexpr int64_t kFewSummed = 1 << 16;

RankedTensorType prec::getSliceType(Type whole, int64_t dim, int64_t ranks) {
  auto type = cast<RankedTensorType>(whole);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= ranks;
  return type.clone(shape);
}

static int64_t countBefore(ArrayRef<int64_t> shape, int64_t dim) {
  int64_t count = 1;
  for (int64_t size : shape.take_front(dim))
    count *= size;
  return count;
}

/// The same elements in another shape, which differs from the first one by
/// dimensions of 1 in front and by how the first of the others is divided.
static Value reshapeFront(OpBuilder &builder, Value value,
                          ArrayRef<int64_t> shape, int64_t same,
                          Operation *of) {
  RankedTensorType type = typeOf(value);
  auto create = [&](Operation *op) {
    train::copyProvenance(of, op);
    return op->getResult(0);
  };
  // The last `same` dimensions are those of the shape, and all before them one.
  auto group = [&](int64_t rank) {
    SmallVector<ReassociationIndices> groups(1);
    for (int64_t dim = 0; dim < rank - same; ++dim)
      groups.front().push_back(dim);
    for (int64_t dim = rank - same; dim < rank; ++dim)
      groups.push_back({dim});
    return groups;
  };
  const int64_t rank = type.getRank(), target = shape.size();
  if (rank - same > 1) {
    SmallVector<int64_t> flat{countBefore(type.getShape(), rank - same)};
    llvm::append_range(flat, type.getShape().take_back(same));
    value = create(tensor::CollapseShapeOp::create(
        builder, of->getLoc(), type.clone(flat), value, group(rank)));
  }
  if (target - same > 1)
    value = create(tensor::ExpandShapeOp::create(
        builder, of->getLoc(), type.clone(shape), value, group(target)));
  return value;
}

/// The sum of what all ranks have of a value.
Value RankValues::addUp(Value part, Operation *maker) {
  OpBuilder builder(maker->getContext());
  builder.setInsertionPointAfter(part.getDefiningOp());
  auto op = train::AllReduceOp::create(
      builder, maker->getLoc(), part.getType(), part,
      builder.getStringAttr(train::kLayerAxis),
      builder.getI64IntegerAttr(ranks),
      builder.getStringAttr(isa<train::EmbeddingOp>(maker)
                                ? "rows of a table are divided"
                                : "a dimension that is summed over is divided"),
      /*result_tags=*/nullptr, /*operand_tags=*/nullptr);
  train::copyProvenance(maker, op);
  ++sums;
  bytes += double(typeOf(part).getNumElements()) *
           typeOf(part).getElementTypeBitWidth() / 8;
  return op.getResult();
}

Value RankValues::add(Value part) {
  Value &sum = added[part];
  if (!sum)
    sum = addUp(part, part.getDefiningOp());
  return sum;
}

/// The two operations that this makes are computed as one, which adds up a
/// slice and sends no more than that (DecomposeRanks.cpp).
Value RankValues::addRows(Value part) {
  Value &rows = addedRows[part];
  if (rows)
    return rows;
  Value sum = add(part);
  Operation *maker = sum.getDefiningOp();
  rows = cut(sum, *findRows(typeOf(part), ranks), maker->getNextNode());
  for (Operation *op = rows.getDefiningOp(); op != maker;
       op = op->getPrevNode())
    train::copyProvenance(maker, op);
  ++sumsOfRows;
  return rows;
}

Value RankValues::gatherRows(Value value, Operation *reader) {
  if (Value all = gathered.lookup(value))
    return all;
  const bool isAdded = plan.get(value).isPartial();
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape(type.getShape());
  if (!isAdded)
    shape[plan.get(value).dim] *= ranks;
  OpBuilder builder(reader);
  Operation *maker = value.getDefiningOp();
  Value all;
  if (!isAdded && isReshape(maker)) {
    IRMapping mapping;
    mapping.map(maker->getOperand(0), gatherRows(maker->getOperand(0), reader));
    Operation *copy = builder.clone(*maker, mapping);
    copy->getResult(0).setType(type.clone(shape));
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(copy))
      expand.setStaticOutputShape(shape);
    all = copy->getResult(0);
  } else {
    Value rows = isAdded ? addRows(value) : value;
    SmallVector<int64_t> slices{ranks};
    llvm::append_range(slices, typeOf(rows).getShape());
    auto gather = train::ExchangeOp::create(
        builder, reader->getLoc(), type.clone(slices),
        train::ExchangeKind::AllGather, rows, train::kLayerAxis);
    train::copyProvenance(reader, gather);
    const int64_t dim = *findRows(type.clone(shape), ranks);
    all = reshapeFront(builder, gather.getResult(), shape,
                       type.getRank() - 1 - dim, reader);
    ++gathers;
  }
  return gathered[value] = all;
}

/// This rank's slice of what all have.
Value RankValues::cut(Value whole, int64_t dim, Operation *before) {
  OpBuilder builder(before);
  RankedTensorType type = getSliceType(whole.getType(), dim, ranks);
  DenseElementsAttr constant;
  if (matchPattern(whole, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(builder, before->getLoc(),
                                     constant.resizeSplat(type));
  if (auto broadcast = whole.getDefiningOp<train::BroadcastOp>())
    if (!llvm::is_contained(broadcast.getDims(), dim)) {
      Operation *copy = builder.clone(*broadcast);
      copy->getResult(0).setType(type);
      return copy->getResult(0);
    }
  auto create = [&](Operation *op) {
    train::copyProvenance(before, op);
    return op->getResult(0);
  };
  auto takeOwn = [&](Value slices, RankedTensorType own) {
    return create(train::ExchangeOp::create(builder, before->getLoc(), own,
                                            train::ExchangeKind::OwnSlice,
                                            slices, train::kLayerAxis));
  };
  // Consecutive elements are nowhere to be moved.
  const int64_t behind = type.getRank() - 1 - dim;
  if (dim > 0 && countBefore(type.getShape(), dim) == 1) {
    SmallVector<int64_t> shape{ranks};
    llvm::append_range(shape, type.getShape().drop_front(dim));
    Value own = takeOwn(reshapeFront(builder, whole, shape, behind, before),
                        type.clone(ArrayRef(shape).drop_front()));
    return reshapeFront(builder, own, type.getShape(), behind, before);
  }
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + dim, ranks);
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < type.getRank() + 1; ++i) {
    groups.push_back({i});
    if (i == dim)
      groups.back().push_back(++i);
  }
  Value slices = create(tensor::ExpandShapeOp::create(
      builder, before->getLoc(), type.clone(shape), whole, groups));
  if (dim != 0) {
    SmallVector<int64_t> permutation{dim};
    SmallVector<int64_t> moved{ranks};
    for (int64_t i = 0; i < int64_t(shape.size()); ++i)
      if (i != dim) {
        permutation.push_back(i);
        moved.push_back(shape[i]);
      }
    slices = create(train::TransposeOp::create(
        builder, before->getLoc(), type.clone(moved), slices, permutation));
  }
  return takeOwn(slices, type);
}

/// This rank's slices of the parts, one behind the other.
Value RankValues::cut(Value whole, const Placement &placement,
                      Operation *before) {
  RankedTensorType type = typeOf(whole);
  if (placement.parts.empty() || matchPattern(whole, m_Constant()))
    return cut(whole, placement.dim, before);
  OpBuilder builder(before);
  SmallVector<Value> slices;
  SmallVector<int64_t> offsets(type.getRank(), 0);
  for (int64_t part : placement.parts) {
    SmallVector<int64_t> sizes(type.getShape());
    sizes[placement.dim] = part;
    Operation *slice = train::createSlice(builder, before->getLoc(),
                                          type.clone(sizes), whole, offsets);
    train::copyProvenance(before, slice);
    slices.push_back(cut(slice->getResult(0), placement.dim, before));
    offsets[placement.dim] += part;
  }
  auto joined = tensor::ConcatOp::create(
      builder, before->getLoc(), getSliceType(type, placement.dim, ranks),
      placement.dim, slices);
  train::copyProvenance(before, joined);
  return joined;
}

Value RankValues::read(Value value, const Placement &needed,
                       Operation *reader) {
  const Placement has = plan.get(value);
  if (has == needed || (has.isPartial() && needed.isPartial()))
    return value;
  if (has.isPartial() && needed.isRows())
    return addRows(value);
  if (has.isRows() || (has.isPartial() && plan.isAddedAsRows(value)))
    return gatherRows(value, reader);
  if (has.isPartial())
    return add(value);
  return needed.isWhole() ? value : cut(value, needed, reader);
}

void RankValues::joinSmallSums() {
  auto isForOptimizer = [&](OpOperand &use) {
    Operation *reader = use.getOwner();
    return !isa<func::ReturnOp>(reader) &&
           train::getPhase(reader) == train::Phase::Optimizer &&
           !plan.get(reader).operands[use.getOperandNumber()].isPartial();
  };
  llvm::MapVector<Type, SmallVector<Value>> found;
  for (Operation &op : step.front()) {
    if (train::getPhase(&op) != train::Phase::Backward)
      continue;
    for (Value result : op.getResults())
      if (plan.get(result).isPartial() && typeOf(result).getRank() == 1 &&
          typeOf(result).getNumElements() <= kFewSummed &&
          llvm::all_of(result.getUses(), isForOptimizer))
        found[typeOf(result).getElementType()].push_back(result);
  }
  for (auto &[element, parts] : found) {
    Operation *last = parts.back().getDefiningOp();
    auto readEarlier = [&](Value part) {
      return llvm::any_of(part.getUsers(), [&](Operation *reader) {
        return reader->isBeforeInBlock(last);
      });
    };
    if (parts.size() < 2 || llvm::any_of(parts, readEarlier))
      continue;
    int64_t total = 0;
    for (Value part : parts)
      total += typeOf(part).getNumElements();
    OpBuilder builder(step.getContext());
    builder.setInsertionPointAfter(last);
    auto joined = tensor::ConcatOp::create(
        builder, last->getLoc(), RankedTensorType::get({total}, element),
        /*dim=*/0, parts);
    train::copyProvenance(last, joined);
    Value sum = addUp(joined, last);
    builder.setInsertionPointAfter(sum.getDefiningOp());
    int64_t offset = 0;
    for (Value part : parts) {
      Operation *slice = train::createSlice(builder, last->getLoc(),
                                            typeOf(part), sum, {offset});
      train::copyProvenance(part.getDefiningOp(), slice);
      added[part] = slice->getResult(0);
      offset += typeOf(part).getNumElements();
    }
  }
}
