//===- RankBuilder.cpp - exchanges between ranks --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Ranks/RankBuilder.h"

#include "Materialize/Frontier.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Train/Slices.h"
#include "prec/Dialect/Train/TensorType.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;
using train::ExchangeKind;

/// Groups of dimensions of which `dim` and the one behind it are one.
static SmallVector<ReassociationIndices> joinTwo(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t first = 0; first < rank; ++first) {
    groups.push_back({first});
    if (first == dim)
      groups.back().push_back(++first);
  }
  return groups;
}

/// Factors of two of a size, up to 64.
static int countFactors(int64_t size) {
  return size == 0 ? 0 : std::min(llvm::countr_zero(uint64_t(size)), 6);
}

int64_t prec::getShardDim(Type type) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  int64_t best = 0;
  for (int64_t dim = 1; dim < int64_t(shape.size()); ++dim)
    if (countFactors(shape[dim]) > countFactors(shape[best]))
      best = dim;
  return best;
}

RankBuilder RankBuilder::behind(Value value, Operation *head, MeshAxis axis) {
  Operation *maker = value.getDefiningOp();
  bool isBehind = maker && (maker == head || head->isBeforeInBlock(maker));
  return RankBuilder(isBehind ? maker->getNextNode() : head, axis);
}

bool RankBuilder::isDivisible(Type type, int64_t dim) const {
  auto tensor = cast<RankedTensorType>(type);
  return dim < tensor.getRank() && tensor.getDimSize(dim) > 0 &&
         tensor.getDimSize(dim) % axis.ranks == 0;
}

static RankedTensorType withSize(Type type, int64_t dim, int64_t size) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[dim] = size;
  return tensor.clone(shape);
}

RankedTensorType RankBuilder::getShardType(Type whole, int64_t dim) const {
  return withSize(whole, dim,
                  cast<RankedTensorType>(whole).getDimSize(dim) / axis.ranks);
}

RankedTensorType RankBuilder::getWholeType(Type shard, int64_t dim) const {
  return withSize(shard, dim,
                  cast<RankedTensorType>(shard).getDimSize(dim) * axis.ranks);
}

Value RankBuilder::moveDim(Value value, int64_t from, int64_t to) {
  if (from == to)
    return value;
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> permutation, shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim != from)
      permutation.push_back(dim);
  permutation.insert(permutation.begin() + to, from);
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  return create<train::TransposeOp>(type.clone(shape), value, permutation);
}

/// What exchanges of gradients are said to be of where no module made these.
static constexpr StringLiteral kGradients = "gradients";

/// The module that an argument belongs to.
static StringRef getModuleOf(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  const unsigned index = argument.getArgNumber();
  if (getAccumulatedSlot(function, index))
    return kGradients;
  auto path = function.getArgAttrOfType<StringAttr>(index, train::kParamOf);
  if (!path)
    path = function.getArgAttrOfType<StringAttr>(index, train::kPath);
  return path ? path.getValue().rsplit('.').first : StringRef();
}

/// Of two modules the one that both are in; empty if there is none.
static StringRef getCommonModule(StringRef one, StringRef other) {
  while (!one.empty() && one != other &&
         (!other.starts_with(one) || other[one.size()] != '.'))
    one = one.contains('.') ? one.rsplit('.').first : StringRef();
  return one;
}

/// The module whose parameters or gradients these elements are: what they are
/// moved, rounded and updated from. Empty of what is computed otherwise.
static StringRef findModule(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return getModuleOf(cast<BlockArgument>(value));
  if (auto optimizer = dyn_cast<train::OptimizerOpInterface>(op))
    return findModule(optimizer.getParameter());
  if (auto join = dyn_cast<tensor::ConcatOp>(op)) {
    StringRef module = findModule(join.getInputs().front());
    for (Value input : join.getInputs().drop_front())
      module = getCommonModule(module, findModule(input));
    return module;
  }
  if (getMovedOperand(op) || isCast(op) || isReshape(op) ||
      isa<QuantizeOp, tensor::ExtractSliceOp, UnrealizedConversionCastOp>(op))
    return findModule(op->getOperand(0));
  const train::Phase phase = train::getPhase(op);
  if (phase == train::Phase::Optimizer)
    return {};
  auto location = dyn_cast<NameLoc>(op->getLoc());
  if (location)
    return location.getName().getValue();
  return phase == train::Phase::Backward ? StringRef(kGradients) : StringRef();
}

Value RankBuilder::exchange(ExchangeKind kind, Type result, Value input) {
  Value given = create<train::ExchangeOp>(result, kind, input, axis.name);
  if (StringRef module = findModule(input); !module.empty())
    given.getDefiningOp()->setLoc(NameLoc::get(builder.getStringAttr(module)));
  return given;
}

Value RankBuilder::gather(Value value) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape{axis.ranks};
  llvm::append_range(shape, type.getShape());
  return exchange(ExchangeKind::AllGather, type.clone(shape), value);
}

Value RankBuilder::getLargest(Value own) {
  StringRef module = findModule(own);
  return train::createLargest(
      builder, loc, own, axis.name, axis.ranks, [&](Operation *op) {
        op->setAttr(train::kPhase, phase);
        if (isa<train::ExchangeOp>(op) && !module.empty())
          op->setLoc(NameLoc::get(builder.getStringAttr(module)));
      });
}

Value RankBuilder::getWhole(Value shard, int64_t dim) {
  Value slices = moveDim(gather(shard), 0, dim);
  return create<tensor::CollapseShapeOp>(
      getWholeType(shard.getType(), dim), slices,
      joinTwo(typeOf(slices).getRank(), dim));
}

/// [N, shard].
Value RankBuilder::split(Value value, int64_t dim) {
  SmallVector<int64_t> shape(getShardType(value.getType(), dim).getShape());
  shape.insert(shape.begin() + dim, axis.ranks);
  return moveDim(create<tensor::ExpandShapeOp>(typeOf(value).clone(shape),
                                               value,
                                               joinTwo(shape.size(), dim)),
                 dim, 0);
}

Value RankBuilder::getShard(Value whole, int64_t dim) {
  return exchange(ExchangeKind::OwnSlice, getShardType(whole.getType(), dim),
                  split(whole, dim));
}

/// Elements that have one scale on a wire of FP8.
static constexpr int64_t kWireBlock = 128;

/// [N, ...] as [blocks, kWireBlock], and back as `type`.
static Value asBlocks(RankBuilder &b, Value value) {
  RankedTensorType type = typeOf(value);
  return b.create<tensor::ExpandShapeOp>(
      type.clone({type.getNumElements() / kWireBlock, kWireBlock}),
      b.flatten(value), ArrayRef{ReassociationIndices{0, 1}});
}
static Value fromBlocks(RankBuilder &b, Value blocks, RankedTensorType type) {
  ReassociationIndices all =
      llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
  return b.create<tensor::ExpandShapeOp>(type, b.flatten(blocks),
                                         ArrayRef{all});
}

/// Slices [N, shard] in FP8 with a scale for each block of consecutive
/// elements. Where a block has what is not finite, its scale is infinite, and
/// all of it becomes NaN, which guards see.
Value RankBuilder::tradeBlocks(Value slices) {
  auto format = Format::E4M3;
  Value blocks = asBlocks(*this, slices);
  const int64_t count = typeOf(blocks).getDimSize(0);
  auto scales = RankedTensorType::get({count}, builder.getF32Type());
  Value amax =
      create<AmaxOp>(scales, blocks, /*nan_is_infinite=*/true, Scaling::Row);
  Value scale = create<UpdateScaleOp>(
      scales, scales, amax, Scaling::Row, format,
      APFloat(std::numeric_limits<float>::min()), /*margin=*/0,
      /*power_of_two=*/false);
  Value inverse = scale.getDefiningOp<UpdateScaleOp>().getScaleInv();
  Value narrow =
      create<QuantizeOp>(typeOf(blocks).clone(axis.wire), blocks, scale,
                         Value(), builder.getI32IntegerAttr(0),
                         ScalingAttr::get(builder.getContext(), Scaling::Row));
  auto trade = [&](Value value, StringRef why) {
    RankedTensorType type = typeOf(value);
    SmallVector<int64_t> shape(type.getShape());
    shape[0] /= axis.ranks;
    shape.insert(shape.begin(), axis.ranks);
    RankedTensorType split = type.clone(shape);
    auto groups = joinTwo(split.getRank(), 0);
    Value given = create<tensor::ExpandShapeOp>(split, value, groups);
    Value got = exchange(ExchangeKind::AllToAll, split, given);
    train::setSentAs(got.getDefiningOp(), why);
    return create<tensor::CollapseShapeOp>(type, got, groups);
  };
  narrow = trade(narrow, "asked for by --exchange-wire=fp8");
  inverse = trade(inverse, "scales of blocks that --exchange-wire=fp8 sends");
  Value wide = widen(narrow);
  wide = create<arith::MulFOp>(
      wide, create<train::BroadcastOp>(wide.getType(), inverse,
                                       ArrayRef<int64_t>{0}));
  return fromBlocks(*this, wide, typeOf(slices).clone(builder.getF32Type()));
}

/// Whether blocks are in one slice each, of this number of ranks and of any
/// power of two up to 64: so the number of ranks has no part in what they are.
bool RankBuilder::hasWireBlocks(RankedTensorType type, int64_t dim) const {
  if (dim != 0)
    return false;
  const int64_t elements = type.getNumElements();
  const int64_t slices = int64_t(1) << countFactors(type.getDimSize(0));
  return elements % (axis.ranks * kWireBlock) == 0 &&
         elements % (slices * kWireBlock) == 0;
}

Value RankBuilder::scatter(Value own, int64_t dim) {
  const bool isNarrow = axis.wire && axis.wire.getIntOrFloatBitWidth() == 8;
  if (isNarrow && hasWireBlocks(typeOf(own), dim))
    return tradeBlocks(split(own, dim));
  StringRef why = isNarrow ? "it has no whole blocks for --exchange-wire=fp8"
                           : "the format in which the gradient is computed";
  if (axis.wire && !isNarrow && typeOf(own).getElementType().isF32()) {
    own = create<arith::TruncFOp>(typeOf(own).clone(axis.wire), own);
    why = "asked for by --exchange-wire=bf16";
  }
  Value slices = split(own, dim);
  Value got = exchange(ExchangeKind::AllToAll, slices.getType(), slices);
  train::setSentAs(got.getDefiningOp(), why);
  return got;
}

Value RankBuilder::slice(RankedTensorType type, Value value,
                         ArrayRef<int64_t> offsets) {
  auto slice = train::createSlice(builder, loc, type, value, offsets);
  slice->setAttr(train::kPhase, phase);
  return slice;
}

Value RankBuilder::flatten(Value value) {
  RankedTensorType type = typeOf(value);
  if (type.getRank() == 1)
    return value;
  RankedTensorType flat = type.clone({type.getNumElements()});
  if (type.getRank() == 0)
    return create<tensor::ExpandShapeOp>(flat, value,
                                         ArrayRef<ReassociationIndices>());
  ReassociationIndices all =
      llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
  return create<tensor::CollapseShapeOp>(flat, value, ArrayRef{all});
}

Value RankBuilder::getSlice(Value slices, int64_t rank) {
  RankedTensorType type = typeOf(slices);
  SmallVector<int64_t> shape(type.getShape()), offsets(type.getRank(), 0);
  shape[0] = 1;
  offsets[0] = rank;
  Value one = slice(type.clone(shape), slices, offsets);
  auto groups = type.getRank() == 1 ? SmallVector<ReassociationIndices>()
                                    : joinTwo(type.getRank(), 0);
  return create<tensor::CollapseShapeOp>(
      type.clone(type.getShape().drop_front()), one, groups);
}

void prec::recordLargest(RecordAmaxOp record, ArrayRef<Value> amaxes,
                         MeshAxis axis) {
  RankBuilder b(record, axis);
  // Those of tensors in one exchange, those of experts each in its own.
  SmallVector<Value> scalars;
  for (Value amax : amaxes)
    if (typeOf(amax).getRank() == 0)
      scalars.push_back(amax);
    else
      record->replaceUsesOfWith(amax, b.getLargest(amax));
  if (scalars.empty())
    return;
  Value largest = b.getLargest(b.concatenate(scalars));
  for (auto [index, amax] : llvm::enumerate(scalars))
    record->replaceUsesOfWith(amax, b.getSlice(largest, index));
}
