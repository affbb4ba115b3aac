//===- TokenCasts.cpp - tokens that are quantized before lookups ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a lookup of rows that experts read is marked, its tokens are quantized
// once, and rows of what that makes are looked up, together with their scales
// where each row has its own. Where tokens of all ranks are gathered first,
// that is done in front of the exchange: bytes are sent, and the scales of rows
// beside them. A scale of all tokens is the same on all ranks, as an expert has
// rows of all of them: of delayed scaling it is known, and what is recorded for
// the next step is the largest amax of all ranks; of current scaling ranks
// exchange their amaxes first.
//
// Example with one scale of all tokens, 4 of each of two ranks:
//
//   x [4, H] bf16                        quantized: [4, H] f8E4M3FN, one scale
//   all_gather -> [8, H] bf16            all_gather -> [8, H] f8E4M3FN
//   rows x[pair / 2] -> [10, H]          the same lookup
//   amaxes of experts, quantization      the scale, repeated for each expert
//   products                             products
//
//===----------------------------------------------------------------------===//
#include "Materialize/TokenCasts.h"

#include "prec/Dialect/Prec/Decisions.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Dialect/Train/TokenLookup.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace prec;

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

Value CastCache::getAmaxOfRanks(Value tokens, Operation *user, int64_t ranks) {
  Value own = getAmax(tokens, Scaling::TensorCurrent, user);
  Value &largest = amaxesOfRanks[own];
  if (!largest) {
    largest = train::createLargest(
        builder, user->getLoc(), own, train::kExpertAxis, ranks,
        [&](Operation *made) { train::copyProvenance(user, made); });
  }
  return largest;
}

ScaledOperand CastCache::quantizeTokens(Value tokens, TagAttr tag,
                                        Operation *place, Operation *user,
                                        int64_t ranks) {
  Value origin = getOrigin(tokens);
  if (ranks == 1 || tag.getScaling() != Scaling::TensorCurrent)
    return quantizeDirectly(tokens, origin, origin, tag, user, place);
  builder.setInsertionPoint(place);
  Type elementType = getElementType(place->getContext(), tag.getFormat());
  Value amax = getAmaxOfRanks(tokens, user, ranks);
  const Scale &scale = getScaleOf(amax, elementType, origin, tag, user);
  Value &data = quantized[{scale.scale, typeOf(tokens).clone(elementType)}];
  if (!data) {
    data = createQuantize(builder, user->getLoc(), tokens, scale.scale,
                          tag.getFormat(), tag.getScaling());
    train::copyProvenance(user, data.getDefiningOp());
  }
  return {data, {scale.scaleInv, Value()}};
}

FailureOr<ScaledOperand> CastCache::getOfTokens(Value rows, Value ends,
                                                TagAttr tag, bool transposed,
                                                Operation *user) {
  auto [operand, as] = quantizedRows.lookup(rows);
  // token_casts_c1
  if (as.getFormat() != tag.getFormat() ||
      as.getScaling() != tag.getScaling() ||
      (transposed && isFine(tag.getScaling())))
    return user->emitOpError("rows of quantized tokens must be read as these "
                             "are quantized, ")
           << stringifyFormat(as.getFormat()) << " by "
           << stringifyScaling(as.getScaling()) << ", but got "
           << stringifyFormat(tag.getFormat()) << " by "
           << stringifyScaling(tag.getScaling())
           << (transposed ? " of a transposed copy" : "");
  builder.setInsertionPoint(user);
  if (isTensorScaling(tag.getScaling())) {
    Value &ofGroups = groupScales[{operand.scaleInvs.scaleInv, ends}];
    if (!ofGroups) {
      ofGroups = train::BroadcastOp::create(
          builder, user->getLoc(),
          typeOf(operand.scaleInvs.scaleInv).clone(typeOf(ends).getShape()),
          operand.scaleInvs.scaleInv, ArrayRef<int64_t>());
      train::copyProvenance(user, ofGroups.getDefiningOp());
    }
    operand.scaleInvs.scaleInv = ofGroups;
  }
  if (transposed)
    operand.data = getTransposed(getAligned(operand.data, ends, user), user);
  return operand;
}

//===----------------------------------------------------------------------===//
// Lookups
//===----------------------------------------------------------------------===//

/// The first product that reads rows of `lookup`; null where there is none.
static OpOperand *findFirstRead(train::GatherOp lookup) {
  OpOperand *first = nullptr;
  for (OpOperand &use : lookup.getResult().getUses())
    if (!first || use.getOwner()->isBeforeInBlock(first->getOwner()))
      first = &use;
  return first;
}

static TagAttr getTagOf(OpOperand &use) {
  return getOperandTag(use.getOwner(), use.getOperandNumber());
}

static LogicalResult refuse(train::GatherOp lookup, Operation *user) {
  // token_casts_c2
  auto error = lookup.emitOpError("quantized tokens must be looked up for "
                                  "products of experts in fp8 alone, but got ");
  if (user)
    return error << "'" << user->getName() << "'";
  return error << "no reader";
}

FailureOr<ScaledOperand> TokenCasts::quantize(train::GatherOp lookup,
                                              Value tokens, Operation *place) {
  OpOperand *read = findFirstRead(lookup);
  TagAttr tag = read ? getTagOf(*read) : TagAttr();
  if (!tag || !tag.isFp8() ||
      !isa<train::GroupedMatmulOp, train::GroupedMatmulGradOp>(
          read->getOwner()))
    return refuse(lookup, read ? read->getOwner() : nullptr);
  // What is quantized is rounded as rows are.
  if (TagAttr stored = getResultTag(lookup, 0))
    tokens = casts.convert(tokens, stored.getElementType(), place);
  train::ExchangeOp exchange = train::findTokens(lookup).exchange;
  const int64_t ranks =
      exchange ? typeOf(exchange.getResult()).getDimSize(0) : 1;
  Operation *before = place->getPrevNode();
  ScaledOperand operand =
      casts.quantizeTokens(tokens, tag, place, read->getOwner(), ranks);
  // A rank's own tokens are kept by every step.
  Operation *made =
      before ? before->getNextNode() : &place->getBlock()->front();
  for (; made != place; made = made->getNextNode())
    made->removeAttr(train::kExpertRows);
  return operand;
}

/// [T, ...] of each rank as [N * T, ...].
static Value gatherRanks(train::ExchangeOp like, Value own) {
  OpBuilder builder(like);
  RankedTensorType type = typeOf(own);
  const int64_t ranks = typeOf(like.getResult()).getDimSize(0);
  SmallVector<int64_t> shape{ranks};
  llvm::append_range(shape, type.getShape());
  auto all =
      train::ExchangeOp::create(builder, like.getLoc(), type.clone(shape),
                                like.getKind(), own, like.getAxis());
  train::copyProvenance(like, all);
  train::copySentAs(like, all);
  SmallVector<ReassociationIndices> groups{{0, 1}};
  for (int64_t dim = 2; dim <= type.getRank(); ++dim)
    groups.push_back({dim});
  SmallVector<int64_t> joined(type.getShape());
  joined[0] *= ranks;
  auto view = tensor::CollapseShapeOp::create(
      builder, like.getLoc(), type.clone(joined), all.getResult(), groups);
  train::copyProvenance(like, view);
  view->removeAttr(train::kExpertRows);
  return view;
}

LogicalResult TokenCasts::visit(train::ExchangeOp exchange) {
  SmallVector<train::GatherOp> lookups = train::findQuantizedLookups(exchange);
  if (lookups.empty())
    return success();
  train::GatherOp lookup = lookups.front();
  FailureOr<ScaledOperand> own =
      quantize(lookup, exchange.getInput(), exchange);
  if (failed(own))
    return failure();
  ScaledOperand &all = tables[lookup.getTable()];
  all = *own;
  all.data = gatherRanks(exchange, own->data);
  if (isFine(getTagOf(*findFirstRead(lookup)).getScaling()))
    all.scaleInvs.scaleInv = gatherRanks(exchange, own->scaleInvs.scaleInv);
  replaced.insert(exchange);
  replaced.insert(lookup.getTable().getDefiningOp());
  return success();
}

LogicalResult TokenCasts::visit(train::GatherOp lookup) {
  if (!tables.contains(lookup.getTable())) {
    FailureOr<ScaledOperand> own = quantize(lookup, lookup.getTable(), lookup);
    if (failed(own))
      return failure();
    tables[lookup.getTable()] = *own;
  }
  OpOperand *read = findFirstRead(lookup);
  TagAttr tag = read ? getTagOf(*read) : TagAttr();
  if (!tag || !tag.isFp8())
    return refuse(lookup, read ? read->getOwner() : nullptr);
  ScaledOperand rows = tables[lookup.getTable()];
  OpBuilder builder(lookup);
  auto lookUp = [&](Value table) -> Value {
    SmallVector<int64_t> shape(typeOf(table).getShape());
    shape[0] = typeOf(lookup.getResult()).getDimSize(0);
    auto copy = train::GatherOp::create(
        builder, lookup.getLoc(), typeOf(table).clone(shape), table,
        lookup.getIds(), /*result_tags=*/nullptr, /*operand_tags=*/nullptr);
    train::copyProvenance(lookup, copy);
    return copy;
  };
  rows.data = lookUp(rows.data);
  if (isFine(tag.getScaling()))
    rows.scaleInvs.scaleInv = lookUp(rows.scaleInvs.scaleInv);
  casts.addRows(lookup.getResult(), rows, tag);
  replaced.insert(lookup);
  return success();
}

LogicalResult TokenCasts::finish() {
  for (Operation *op : llvm::reverse(replaced)) {
    auto lookup = dyn_cast<train::GatherOp>(op);
    if (lookup && !op->use_empty())
      return refuse(lookup, *op->getUsers().begin());
    if (op->use_empty())
      op->erase();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The way back
//===----------------------------------------------------------------------===//

/// What makes `first` and `second` of other values in the same way; null if
/// they are made otherwise.
static std::pair<Operation *, Operation *> findSameMove(Value first,
                                                        Value second) {
  Operation *a = first.getDefiningOp(), *b = second.getDefiningOp();
  if (!a || !b || a->getName() != b->getName())
    return {};
  if (auto lookup = dyn_cast<train::GatherOp>(a))
    return lookup.getIds() == cast<train::GatherOp>(b).getIds()
               ? std::pair(a, b)
               : std::pair<Operation *, Operation *>();
  auto exchange = dyn_cast<train::ExchangeOp>(a);
  const bool isSame =
      exchange ? exchange->getAttrDictionary() == b->getAttrDictionary()
               : isa<tensor::CollapseShapeOp>(a);
  return isSame ? std::pair(a, b) : std::pair<Operation *, Operation *>();
}

void prec::skipTokenLookups(Value &data, Value &scaleInv) {
  auto ofGroups = scaleInv.getDefiningOp<train::BroadcastOp>();
  if (!ofGroups || typeOf(ofGroups.getInput()).getRank() != 0) {
    // Scales of rows are looked up as rows are.
    for (auto [a, b] = findSameMove(data, scaleInv); a;
         std::tie(a, b) = findSameMove(data, scaleInv)) {
      data = a->getOperand(0);
      scaleInv = b->getOperand(0);
    }
    return;
  }
  // One scale is that of the tokens, wherever they go. That of this step's
  // amax must be of all ranks where they are sent.
  Value tokens = data;
  auto now = ofGroups.getInput().getDefiningOp<UpdateScaleOp>();
  const bool isOfOneRank =
      now && skipOtherRanks(now.getAmax()) == now.getAmax();
  while (Operation *op = tokens.getDefiningOp()) {
    if (isa<train::ExchangeOp>(op) && isOfOneRank)
      return;
    if (isa<QuantizeOp>(op)) {
      data = tokens;
      scaleInv = ofGroups.getInput();
      return;
    }
    if (!movesElements(op) &&
        !isa<AlignGroupsOp, train::GatherOp, train::ExchangeOp>(op))
      return;
    tokens = op->getOperand(0);
  }
}

Value prec::skipOtherRanks(Value amax) {
  auto largest = amax.getDefiningOp<train::ReduceOp>();
  auto ofRanks = largest && largest.getKind() == train::ReduceKind::Max
                     ? largest.getInput().getDefiningOp<train::ExchangeOp>()
                     : train::ExchangeOp();
  return ofRanks && ofRanks.getKind() == train::ExchangeKind::AllGather &&
                 ofRanks.getAxis() == train::kExpertAxis
             ? ofRanks.getInput()
             : amax;
}
