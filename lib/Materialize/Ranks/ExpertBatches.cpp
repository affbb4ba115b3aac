//===- ExpertBatches.cpp - micro-batches of ranks with experts ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of a rank's experts are of the tokens of several ranks, so a rank's
// micro-batches cannot be weighed one by one (RankTerms.cpp). Here the
// micro-batches that ranks take at the same time are one: its weight is that of
// the labels of all ranks, which is the same on each of them. Within it, the
// gradient that each backward starts from is multiplied by the rank's share of
// these labels, and what is no gradient, such as the loss, becomes the mean
// over ranks at once. So sums over micro-batches only have to be added up over
// ranks: by `apply`, or, with stage 2 of ZeRO, with every micro-batch, of which
// a rank keeps its shard. One micro-batch has the bits of a step. Where all
// ranks weigh the same, means over ranks stand in place of these sums.
//
// Where experts of a rank have no room for their rows, which all ranks agree
// on, a micro-batch leaves all sums as they are, and counts as none; the
// runtime runs it again with room for all.
//
//===----------------------------------------------------------------------===//
#include "Materialize/Ranks/ExpertBatches.h"

#include "Materialize/Frontier.h"
#include "Materialize/Ranks/MicroBatches.h"
#include "prec/Dialect/Train/IndexCheck.h"
#include "prec/Dialect/Train/TensorType.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace prec;

namespace {

/// What `accumulate` keeps of micro-batches.
struct Sum {
  BlockArgument state;
  StringRef slot;
  /// What is returned in its place.
  OpOperand *next;
  /// Of this rank's micro-batch, as it is computed.
  Value own;

  bool isTerm() const { return bool(own); }
};

class ExpertBatches {
public:
  ExpertBatches(func::FuncOp accumulate, func::FuncOp apply,
                const BatchAxes &axes, bool sharesSums)
      : accumulate(accumulate), apply(apply), axes(axes),
        sharesSums(sharesSums) {}

  LogicalResult share(bool runsAgain, std::set<StateName> &sharded);
  OwnSums own;

private:
  void collect();
  void cut();
  void count();
  Value getShared(const Sum &sum, TermShares &shares);
  void add(const Sum &sum, Value value);
  void keepWithoutRoom(Value room);
  void shareApplied();

  func::FuncOp accumulate, apply;
  BatchAxes axes;
  bool sharesSums;
  SmallVector<Sum> sums;
  OpOperand *nextWeights = nullptr, *nextUnit = nullptr;
  BlockArgument batches, weights, unit;
  /// The slots of gradients of experts, and of what all ranks have alike before
  /// it is added up.
  std::set<StringRef> ofExperts, alike;
  /// What is computed of the batch stands behind it.
  Operation *head = nullptr;
  /// Labels of this rank's micro-batch, and of those of all ranks; null where
  /// all weigh the same.
  Value labels, allLabels;
  /// What of this rank's batch scales with its share of all labels.
  DenseSet<Value> gradients;
  /// Whether this micro-batch is the first that counts, and else its weight,
  /// null for 1.
  Value begins, weight;
};

} // namespace

/// What a micro-batch gives a state if it is the first.
static Value getOwn(const OpOperand *next) {
  return next->get().getDefiningOp<arith::SelectOp>().getTrueValue();
}

static void eraseDead(func::FuncOp function) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

static bool isAmaxes(StringRef slot) { return slot.starts_with(kAmaxes); }

void ExpertBatches::collect() {
  DenseMap<unsigned, OpOperand *> returned;
  for (OpOperand &operand : accumulate.front().getTerminator()->getOpOperands())
    if (auto to = accumulate.getResultAttrOfType<IntegerAttr>(
            operand.getOperandNumber(), train::kDonatedTo))
      returned[to.getInt()] = &operand;
  for (BlockArgument state : accumulate.getArguments()) {
    std::optional<StringRef> slot =
        getAccumulatedSlot(accumulate, state.getArgNumber());
    if (!slot)
      continue;
    Sum sum{state, *slot, returned.lookup(state.getArgNumber()), Value()};
    if (*slot == kMicroBatches) {
      batches = state;
    } else if (*slot == kWeights) {
      weights = state;
      nextWeights = sum.next;
    } else if (*slot == kUnitLabels) {
      unit = state;
      nextUnit = sum.next;
    } else if (!isAmaxes(*slot)) {
      sum.own = getOwn(sum.next);
      if (auto widened = sum.own.getDefiningOp<arith::ExtFOp>())
        sum.own = widened.getIn();
    }
    sums.push_back(sum);
  }
  for (Value gradient : findExpertGradients(apply, [&](Value value) {
         auto state = dyn_cast<BlockArgument>(value);
         return state && getAccumulatedSlot(apply, state.getArgNumber());
       }))
    ofExperts.insert(*getAccumulatedSlot(
        apply, cast<BlockArgument>(gradient).getArgNumber()));
}

/// Leaves of the sums what is added to them.
void ExpertBatches::cut() {
  if (unit) {
    labels = getOwn(nextUnit);
    nextWeights->set(weights);
    nextUnit->set(labels);
  }
  for (const Sum &sum : sums)
    if (sum.isTerm())
      sum.next->set(sum.own);
  eraseDead(accumulate);
  // Numbers of labels are known from the batch.
  head = labels ? moveToFront(labels) : &accumulate.front().front();
}

/// Weighs what ranks take at the same time as one micro-batch.
void ExpertBatches::count() {
  RankBuilder b(head, axes.all);
  if (!labels) {
    begins = b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, batches,
                                     b.splat(batches.getType(), 0));
    return;
  }
  allLabels = addCounts(b, labels);
  Value zero = b.splat(allLabels.getType(), 0);
  begins = b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, weights, zero);
  weight = b.create<arith::DivFOp>(allLabels, unit);
  Value counts = b.indicate(
      b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, allLabels, zero));
  nextWeights->set(b.create<arith::SelectOp>(
      begins, counts, b.create<arith::AddFOp>(weights, weight)));
  nextUnit->set(b.create<arith::SelectOp>(begins, allLabels, unit));
}

/// What of a micro-batch of all ranks is added up on this one.
Value ExpertBatches::getShared(const Sum &sum, TermShares &shares) {
  const bool isScaled = gradients.contains(sum.own);
  if (ofExperts.count(sum.slot))
    return sharesSums ? shares.getOfExperts(sum.own, bool(labels)) : sum.own;
  // Gradients wait for `apply`.
  const bool isGradient = labels ? isScaled : typeOf(sum.own).getRank() > 0;
  if (isGradient && !sharesSums)
    return sum.own;
  alike.insert(sum.slot);
  return isScaled ? shares.getSum(sum.own) : shares.getMean(sum.own);
}

void ExpertBatches::add(const Sum &sum, Value value) {
  RankBuilder b = RankBuilder::behind(value, head, axes.all);
  Value wide = b.widen(value), part = wide;
  Type type = wide.getType();
  if (weight)
    part = b.create<arith::MulFOp>(wide, b.broadcast(weight, type));
  Value more = b.create<arith::AddFOp>(sum.state, part);
  sum.next->set(
      b.create<arith::SelectOp>(b.broadcast(begins, type), wide, more));
}

/// Moves what is computed for `value` alone to where it can first be known.
static void hoist(Value value) {
  SetVector<Operation *> chain;
  if (Operation *maker = value.getDefiningOp())
    chain.insert(maker);
  for (size_t i = 0; i < chain.size(); ++i)
    for (Value operand : chain[i]->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (maker && llvm::all_of(maker->getUsers(), [&](Operation *user) {
            return chain.contains(user);
          }))
        chain.insert(maker);
    }
  for (Operation *op : llvm::reverse(chain)) {
    Operation *last = nullptr;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && (!last || last->isBeforeInBlock(maker)))
        last = maker;
    if (last)
      op->moveAfter(last);
  }
}

void ExpertBatches::keepWithoutRoom(Value room) {
  RankBuilder behind = RankBuilder::behind(room, head, axes.all);
  Value hasRoom = behind.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, room,
                                               behind.splat(room.getType(), 1));
  for (const Sum &sum : sums) {
    Value next = sum.next->get();
    Operation *last = hasRoom.getDefiningOp();
    if (last->isBeforeInBlock(next.getDefiningOp()))
      last = next.getDefiningOp();
    RankBuilder b(last->getNextNode(), axes.all);
    sum.next->set(b.create<arith::SelectOp>(
        b.broadcast(hasRoom, next.getType()), next, sum.state));
  }
}

/// Whether it is recorded of a rank's experts.
static bool isRecordedOfExperts(BlockArgument amaxes) {
  SetVector<Operation *> readers(amaxes.user_begin(), amaxes.user_end());
  for (size_t i = 0; i < readers.size(); ++i) {
    if (auto record = dyn_cast<RecordAmaxOp>(readers[i]))
      return isOfExperts(record);
    readers.insert(readers[i]->user_begin(), readers[i]->user_end());
  }
  return false;
}

void ExpertBatches::shareApplied() {
  Operation *first = &apply.front().front();
  TermShares shares(first, axes, /*count=*/nullptr);
  SmallVector<BlockArgument> states(apply.getArguments());
  for (BlockArgument state : states) {
    std::optional<StringRef> slot =
        getAccumulatedSlot(apply, state.getArgNumber());
    if (!slot || *slot == kMicroBatches || *slot == kWeights ||
        *slot == kUnitLabels || alike.count(*slot))
      continue;
    SmallVector<OpOperand *> reads = listUses(state);
    Value value = state;
    if (isAmaxes(*slot)) {
      RankBuilder b(first, isRecordedOfExperts(state) ? axes.alike : axes.all);
      if (b.axis.ranks > 1)
        value = b.getLargest(state);
    } else if (ofExperts.count(*slot)) {
      if (!sharesSums)
        value = shares.getOfExperts(state, bool(labels));
    } else {
      value = labels ? shares.getSum(state) : shares.getMean(state);
    }
    for (OpOperand *read : reads)
      read->set(value);
  }
}

LogicalResult ExpertBatches::share(bool runsAgain,
                                   std::set<StateName> &sharded) {
  Value room = runsAgain ? train::findExpertRoom(accumulate) : Value();
  collect();
  cut();
  count();
  if (labels) {
    FailureOr<DenseSet<Value>> scaled =
        scaleSeeds(accumulate, head, axes.all, labels, allLabels);
    if (failed(scaled))
      return failure();
    gradients = std::move(*scaled);
  }
  TermShares shares(head, axes, labels);
  for (const Sum &sum : sums) {
    if (!sum.isTerm()) {
      if (isAmaxes(sum.slot))
        own.ofRanks.insert({kAccumulated, sum.slot});
      continue;
    }
    SmallVector<OpOperand *> reads = findReads(sum.own);
    Value value = getShared(sum, shares);
    const bool isAlike = alike.count(sum.slot);
    if (isAlike)
      for (OpOperand *read : reads)
        read->set(value);
    add(sum, value);
    RankBuilder b(head, axes.all);
    if (ofExperts.count(sum.slot))
      (sharesSums ? own.ofExperts : own.ofRanks)
          .insert({kAccumulated, sum.slot});
    else if (!isAlike)
      own.ofRanks.insert({kAccumulated, sum.slot});
    else if (sharesSums &&
             b.isDivisible(sum.own.getType(), getShardDim(sum.own.getType())))
      sharded.insert({kAccumulated, sum.slot});
  }
  if (room) {
    hoist(room);
    keepWithoutRoom(room);
  }
  eraseDead(accumulate);
  shareApplied();
  eraseDead(apply);
  return success();
}

FailureOr<OwnSums> prec::shareExpertBatches(func::FuncOp accumulate,
                                            func::FuncOp apply,
                                            const BatchAxes &axes,
                                            bool sharesSums, bool runsAgain,
                                            std::set<StateName> &sharded) {
  ExpertBatches batches(accumulate, apply, axes, sharesSums);
  if (failed(batches.share(runsAgain, sharded)))
    return failure();
  return batches.own;
}
