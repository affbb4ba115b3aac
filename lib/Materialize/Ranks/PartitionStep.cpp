//===- PartitionStep.cpp - the part of a step that one rank computes ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two things make a step of one process that of one rank of several. First,
// what the update reads of the batch becomes a mean over all ranks, at the
// border that micro-batches have as well (Frontier). Then every function of the
// module is rewritten to hold shards of what the optimizer keeps (Shards.h).
// All ranks run the same program: what differs are their batches, their shards,
// and what an exchange gives them.
//
//===----------------------------------------------------------------------===//
#include "Materialize/Frontier.h"
#include "Materialize/Ranks/MicroBatches.h"
#include "Materialize/Ranks/RankSummary.h"
#include "Materialize/Ranks/RankSums.h"
#include "Materialize/Ranks/Shards.h"
#include "Materialize/Weights/StepState.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Ranks.h"
#include "prec/Dialect/Train/TensorType.h"
#include "prec/Materialize/Passes.h"
#include "prec/Support/PassRemark.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

#include <numeric>
#include <string>

namespace prec {
#define GEN_PASS_DEF_PARTITIONSTEP
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

/// The axis of ranks that have batches of their own.
/// Formats in which gradients are sent.
static constexpr StringLiteral kOwnFormat = "own", kBf16 = "bf16";

namespace {

struct PartitionStep : public prec::impl::PartitionStepBase<PartitionStep> {
  using PartitionStepBase::PartitionStepBase;

  void runOnOperation() override;

private:
  FailureOr<MeshAxis> parseMesh();
  LogicalResult checkOthers(func::FuncOp step);
};

} // namespace

FailureOr<MeshAxis> PartitionStep::parseMesh() {
  FailureOr<train::Mesh> parsed =
      train::parseMesh(mesh, [&] { return getOperation().emitOpError(); });
  if (failed(parsed))
    return failure();
  MeshAxis axis{train::kBatchAxis, parsed->getSize(train::kBatchAxis)};
  // partition_step_c5
  if (wire != kOwnFormat && wire != kBf16)
    return getOperation().emitOpError("gradients must be sent in their own "
                                      "format (own) or in bf16, but got '")
           << wire << "'";
  if (wire == kBf16)
    axis.wire = BFloat16Type::get(&getContext());
  return axis;
}

/// That no other function updates what ranks hold: its means would be of one
/// rank alone.
LogicalResult PartitionStep::checkOthers(func::FuncOp step) {
  for (auto function : getOperation().getOps<func::FuncOp>())
    // partition_step_c3
    if (function != step && getEntry(function) != Entry::Apply &&
        !findTrained(function).empty())
      return function.emitOpError(
          "a function of several ranks that updates parameters must be a step "
          "or what ends one, but got another: --collect-numerics is not for a "
          "mesh yet");
  return success();
}

/// `sum` for a value of the type of `own`, of which it may be a shard.
static Value asValue(Value sum, Value own, MeshAxis axis) {
  if (typeOf(sum).getShape() == typeOf(own).getShape())
    return sum;
  RankBuilder b(sum.getDefiningOp()->getNextNode(), axis);
  return asWhole(b, sum, getShardDim(own.getType()));
}

/// What reads a term of the step reads the mean over all ranks.
static void shareTerms(func::FuncOp step, const Frontier &frontier,
                       const std::optional<CountedLabels> &labels,
                       MeshAxis axis) {
  Operation *head = &step.front().front();
  if (labels && labels->labels.getDefiningOp())
    head = labels->labels.getDefiningOp()->getNextNode();
  RankBuilder b(head, axis);
  Value count, weight;
  if (labels) {
    count = countLabels(b, *labels);
    weight = b.indicate(b.create<arith::CmpFOp>(
        arith::CmpFPredicate::OGT, count, b.splat(count.getType(), 0)));
  }
  RankSums sums(head, axis, count, weight);
  Value divisor;
  if (labels)
    // The first that counts weighs 1; without it there is one term as it is.
    divisor = b.create<arith::MaximumFOp>(sums.getWeight(),
                                          b.splat(weight.getType(), 1));
  for (Value term : frontier.terms) {
    SmallVector<OpOperand *> reads = findReads(term);
    Value sum = sums.add(term);
    RankBuilder behind(sum.getDefiningOp()->getNextNode(), axis);
    Value by = divisor ? behind.broadcast(divisor, sum.getType())
                       : behind.splat(sum.getType(), double(axis.ranks));
    Value mean = asValue(behind.create<arith::DivFOp>(sum, by), term, axis);
    for (OpOperand *read : reads)
      read->set(mean);
  }
}

/// What is recorded behind micro-batches is the largest of all ranks.
static void shareAccumulatedAmaxes(func::FuncOp apply, MeshAxis axis) {
  RankBuilder b(&apply.front().front(), axis);
  for (BlockArgument argument : apply.getArguments()) {
    std::optional<StringRef> slot =
        getAccumulatedSlot(apply, argument.getArgNumber());
    if (!slot || !slot->starts_with(kAmaxes))
      continue;
    SmallVector<OpOperand *> reads = llvm::map_to_vector(
        argument.getUses(), [](OpOperand &use) { return &use; });
    Value largest = b.getLargest(argument);
    for (OpOperand *read : reads)
      read->set(largest);
  }
}

/// What the update behind micro-batches reads of them is that of all ranks.
static void shareAccumulated(func::FuncOp apply, MeshAxis axis) {
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
    reads.push_back(llvm::map_to_vector(state.getUses(),
                                        [](OpOperand &use) { return &use; }));
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

/// What is recorded of a step is the largest of all ranks.
static void shareAmaxes(const Frontier &frontier, MeshAxis axis) {
  for (const auto &[record, amaxes] : frontier.amaxes)
    recordLargest(record, amaxes, axis);
}

/// Each rank rounds at random as the micro-batch of its number does; behind
/// micro-batches, of which each has `count` before it, as that of number
/// `count * ranks + rank`.
static void drawBitsOfRank(func::FuncOp function, MeshAxis axis,
                           Value count = {}) {
  drawOwnBits(function, [&](OpBuilder &builder, Location loc, Type of) {
    auto type = cast<RankedTensorType>(of);
    SmallVector<int32_t> numbers(axis.ranks);
    std::iota(numbers.begin(), numbers.end(), 0);
    Value all = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<ShapedType>(type.clone({axis.ranks})),
                               ArrayRef<int32_t>(numbers)));
    Value rank =
        train::ExchangeOp::create(builder, loc, type,
                                  train::ExchangeKind::OwnSlice, all, axis.name)
            .getResult();
    if (!count)
      return rank;
    // They have drawn for `count` already.
    Value others = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<ShapedType>(type),
                               builder.getI32IntegerAttr(axis.ranks - 1)));
    Value number = arith::FPToSIOp::create(builder, loc, type, count);
    Value earlier = arith::MulIOp::create(builder, loc, number, others);
    return arith::AddIOp::create(builder, loc, earlier, rank).getResult();
  });
}

/// How many micro-batches there were.
static Value findCount(func::FuncOp accumulate) {
  for (BlockArgument argument : accumulate.getArguments())
    if (getAccumulatedSlot(accumulate, argument.getArgNumber()) ==
        StringRef(kMicroBatches))
      return argument;
  llvm_unreachable("it counts");
}

void PartitionStep::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> found = getStepGraph(module);
  if (failed(found))
    return signalPassFailure();
  func::FuncOp step = *found;
  FailureOr<MeshAxis> parsed = parseMesh();
  if (failed(parsed))
    return signalPassFailure();
  // Ranks that only have parts of layers have one batch.
  if (!StringRef(mesh).contains(train::kBatchAxis))
    return;
  // partition_step_c2
  auto present = module->getAttrOfType<DictionaryAttr>(train::kMesh);
  if (present && present.contains(train::kBatchAxis)) {
    module.emitOpError("a step must be partitioned once, but got the mesh ")
        << present;
    return signalPassFailure();
  }
  Frontier frontier;
  if (failed(checkOthers(step)) || failed(frontier.find(step)))
    return signalPassFailure();
  MeshAxis axis = *parsed;
  std::optional<CountedLabels> labels =
      findWeights(step, frontier, equalWeights, "prec-partition-step");
  func::FuncOp accumulate = findEntry(module, Entry::Accumulate),
               apply = findEntry(module, Entry::Apply);
  // partition_step_c4
  if ((zero != 1 && zero != 2) || (zero == 2 && !(accumulate && apply))) {
    module.emitOpError("the stage of ZeRO must be 1, or 2 of a step with "
                       "micro-batches (--accumulate), but got ")
        << std::to_string(zero) << (accumulate ? "" : " without them");
    return signalPassFailure();
  }
  const bool sharesSums = zero == 2;
  std::set<StateName> sharded = findSharded(step, axis);
  drawBitsOfRank(step, axis);
  if (accumulate && sharesSums) {
    // The micro-batches of all ranks are counted.
    drawBitsOfRank(accumulate, axis);
    shareMicroBatches(accumulate, axis, sharded);
    shareAccumulatedAmaxes(apply, axis);
  } else if (accumulate) {
    drawBitsOfRank(accumulate, axis, findCount(accumulate));
    shareAccumulated(apply, axis);
  }
  shareTerms(step, frontier, labels, axis);
  shareAmaxes(frontier, axis);
  for (auto function : module.getOps<func::FuncOp>())
    if (isCompiledGraph(function))
      partition(function, sharded, axis, sharesSums);
  emitPassRemark(step.getLoc(), {"prec-partition-step", "Rank", true},
                 summarizeRank(step, axis));
  Builder builder(&getContext());
  SmallVector<NamedAttribute> axes;
  if (present)
    llvm::append_range(axes, present);
  axes.push_back(
      builder.getNamedAttr(axis.name, builder.getI64IntegerAttr(axis.ranks)));
  module->setAttr(train::kMesh, builder.getDictionaryAttr(axes));
}
