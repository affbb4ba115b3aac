//===- RankTerms.cpp - what an update reads of all ranks ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an update reads of its batch (Frontier) becomes the mean over all ranks.
// A rank weighs as much as it has labels that count; where the loss is no mean
// over labels, all weigh the same.
//
// Gradients of experts are of the tokens of several ranks, so their parts
// cannot be weighed once they are computed. Where all ranks weigh the same, the
// sum is divided by their number. With labels, the gradient that each backward
// starts from is multiplied by the rank's share of all labels, and gradients
// are added up as they are: those of experts over the ranks that have the same,
// all others over all ranks.
//
//===----------------------------------------------------------------------===//
#include "Materialize/Ranks/RankTerms.h"

#include "Materialize/Ranks/Shards.h"
#include "Materialize/ScaledGradients.h"
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Train/TensorType.h"

using namespace mlir;
using namespace prec;

/// `sum` for a value of the type of `own`, of which it may be a shard.
static Value asValue(Value sum, Value own, MeshAxis axis) {
  const int64_t dim = getShardDim(own.getType());
  RankBuilder b(sum.getDefiningOp()->getNextNode(), axis);
  return b.isDivisible(own.getType(), dim) ? asWhole(b, sum, dim) : sum;
}

DenseSet<Value>
prec::findExpertGradients(func::FuncOp function,
                          llvm::function_ref<bool(Value)> isGradient) {
  DenseSet<Value> ofExperts;
  for (auto optimizer : function.getOps<train::OptimizerOpInterface>()) {
    Value parameter = optimizer.getParameter();
    while (Operation *maker = parameter.getDefiningOp())
      parameter = maker->getOperand(0);
    auto axis = function.getArgAttrOfType<StringAttr>(
        cast<BlockArgument>(parameter).getArgNumber(), train::kShard);
    if (!axis || axis.getValue() != train::kExpertAxis)
      continue;
    const int64_t elements = typeOf(parameter).getNumElements();
    SetVector<Value> behind;
    behind.insert(optimizer.getGradient());
    for (size_t i = 0; i < behind.size(); ++i) {
      Value value = behind[i];
      if (isGradient(value)) {
        ofExperts.insert(value);
        continue;
      }
      if (Operation *maker = value.getDefiningOp())
        for (Value operand : maker->getOperands())
          if (typeOf(operand).getNumElements() == elements)
            behind.insert(operand);
    }
  }
  return ofExperts;
}

/// That what is added to a gradient scales with the loss as it does.
static LogicalResult verifyTerms(Operation *op,
                                 const DenseSet<Value> &gradients) {
  if (!isa<arith::AddFOp, arith::SubFOp>(op))
    return success();
  for (Value term : op->getOperands())
    // partition_step_c7
    if (!gradients.contains(term) && !isZeroTensor(term))
      return op->emitOpError("gradients of ranks that have experts of their "
                             "own must come from losses of labels alone, but "
                             "got a term that does not, such as of a penalty "
                             "on weights (ep= takes it with "
                             "--micro-batch-weights=equal)");
  return success();
}

FailureOr<DenseSet<Value>> prec::scaleSeeds(func::FuncOp function,
                                            Operation *head, MeshAxis all,
                                            Value count, Value total) {
  RankBuilder b(head, all);
  Value weight = b.create<arith::DivFOp>(
      count, b.create<arith::MaximumFOp>(total, b.splat(total.getType(), 1)));
  DenseSet<Value> gradients;
  SmallVector<train::CrossEntropyGradOp> seeds(
      function.getOps<train::CrossEntropyGradOp>());
  for (train::CrossEntropyGradOp seed : seeds) {
    OpBuilder builder(seed);
    auto scaled =
        arith::MulFOp::create(builder, seed.getLoc(), seed.getGrad(), weight);
    train::copyProvenance(seed, scaled);
    seed.getGradMutable().assign(scaled);
    gradients.insert(seed.getGradLogits());
  }
  for (Operation &op : function.front()) {
    if (llvm::none_of(op.getOperands(),
                      [&](Value value) { return gradients.contains(value); }))
      continue;
    if (!isOptimizer(&op) && failed(verifyTerms(&op, gradients)))
      return failure();
    gradients.insert_range(op.getResults());
  }
  return gradients;
}

/// The sum of a gradient of experts over the ranks that have these: it is of
/// the tokens of the others already. The term itself where one rank has them.
static Value addExperts(Operation *head, MeshAxis alike, Value term) {
  if (alike.ranks == 1)
    return term;
  RankSums sums(head, alike, /*unit=*/nullptr, /*weight=*/nullptr);
  Value sum = sums.add(term);
  RankBuilder b(sum.getDefiningOp()->getNextNode(), alike);
  return typeOf(sum).getShape() == typeOf(term).getShape()
             ? sum
             : b.getWhole(sum, getShardDim(term.getType()));
}

static Value divide(RankBuilder &b, Value sum, Value divisor, int64_t ranks) {
  Value by = divisor ? b.broadcast(divisor, sum.getType())
                     : b.splat(sum.getType(), double(ranks));
  return b.create<arith::DivFOp>(sum, by);
}

static Value weigh(Operation *head, MeshAxis all, Value count) {
  if (!count)
    return {};
  RankBuilder b(head, all);
  return b.indicate(b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, count,
                                            b.splat(count.getType(), 0)));
}

TermShares::TermShares(Operation *head, const BatchAxes &axes, Value count)
    : head(head), axes(axes),
      weighed(head, axes.all, count, weigh(head, axes.all, count)),
      plain(head, axes.all, /*unit=*/nullptr, /*weight=*/nullptr) {
  if (!count)
    return;
  // The first that counts weighs 1; without it there is one term as it is.
  RankBuilder b(head, axes.all);
  divisor = b.create<arith::MaximumFOp>(weighed.getWeight(),
                                        b.splat(count.getType(), 1));
}

Value TermShares::getMean(Value term) {
  Value sum = weighed.add(term);
  RankBuilder b(sum.getDefiningOp()->getNextNode(), axes.all);
  return asValue(divide(b, sum, divisor, axes.all.ranks), term, axes.all);
}

Value TermShares::getSum(Value term) {
  return asValue(plain.add(term), term, axes.all);
}

Value TermShares::getOfExperts(Value term, bool isScaled) {
  Value sum = addExperts(head, axes.alike, term);
  if (isScaled)
    return sum;
  RankBuilder b = RankBuilder::behind(sum, head, axes.all);
  return divide(b, b.widen(sum), {}, axes.all.ranks);
}

bool prec::isOfExperts(RecordAmaxOp record) {
  return llvm::any_of(record.getAmaxes(),
                      [](Value amax) { return typeOf(amax).getRank() > 0; });
}

Value prec::addCounts(RankBuilder &b, Value count) {
  Value counts = b.gather(count);
  Value sum = b.getSlice(counts, 0);
  for (int64_t rank = 1; rank < b.axis.ranks; ++rank)
    sum = b.create<arith::AddFOp>(sum, b.getSlice(counts, rank));
  return sum;
}

LogicalResult prec::shareTerms(func::FuncOp step, const StepTerms &terms,
                               const BatchAxes &axes) {
  const std::optional<CountedLabels> &labels = terms.labels;
  Operation *head = &step.front().front();
  if (labels && labels->labels.getDefiningOp())
    head = labels->labels.getDefiningOp()->getNextNode();
  RankBuilder b(head, axes.all);
  Value count = labels ? countLabels(b, *labels) : Value();
  DenseSet<Value> ofExperts, gradients;
  if (axes.hasExperts)
    ofExperts = findExpertGradients(step, [&](Value value) {
      return terms.frontier.terms.contains(value);
    });
  if (axes.hasExperts && count) {
    FailureOr<DenseSet<Value>> scaled =
        scaleSeeds(step, head, axes.all, count, addCounts(b, count));
    if (failed(scaled))
      return failure();
    gradients = std::move(*scaled);
  }
  TermShares shares(head, axes, count);
  for (Value term : terms.frontier.terms) {
    SmallVector<OpOperand *> reads = findReads(term);
    Value value = ofExperts.contains(term)
                      ? shares.getOfExperts(term, /*isScaled=*/bool(count))
                  : gradients.contains(term) ? shares.getSum(term)
                                             : shares.getMean(term);
    if (value != term)
      for (OpOperand *read : reads)
        read->set(value);
  }
  return success();
}

SmallVector<OpOperand *> prec::listUses(Value value) {
  return llvm::map_to_vector(value.getUses(),
                             [](OpOperand &use) { return &use; });
}

void prec::shareAccumulated(func::FuncOp apply, MeshAxis axis) {
  Operation *head = &apply.front().front();
  auto scalar = RankedTensorType::get({}, Float32Type::get(apply.getContext()));
  SmallVector<BlockArgument> states;
  Value unit, weight;
  for (BlockArgument argument : apply.getArguments())
    if (std::optional<StringRef> slot =
            getAccumulatedSlot(apply, argument.getArgNumber())) {
      states.push_back(argument);
      if (*slot == kWeights)
        weight = argument;
    }
  if (weight)
    unit = addAccumulated(apply, scalar, kUnitLabels);
  SmallVector<SmallVector<OpOperand *>> reads;
  for (BlockArgument state : states)
    reads.push_back(listUses(state));
  RankSums sums(head, axis, unit, weight);
  for (auto [state, readsOf] : llvm::zip_equal(states, reads)) {
    RankBuilder b(head, axis);
    StringRef slot = *getAccumulatedSlot(apply, state.getArgNumber());
    Value all;
    if (state == weight)
      all = sums.getWeight();
    else if (slot == kMicroBatches)
      all = b.sum(b.gather(state));
    else if (slot.starts_with(kAmaxes))
      all = b.getLargest(state);
    else
      all = asValue(sums.add(state), state, axis);
    for (OpOperand *read : readsOf)
      read->set(all);
  }
}
