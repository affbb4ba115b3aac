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
#include "Materialize/Ranks/ExpertBatches.h"
#include "Materialize/Ranks/GatherLate.h"
#include "Materialize/Ranks/JoinExchanges.h"
#include "Materialize/Ranks/MicroBatches.h"
#include "Materialize/Ranks/RankSummary.h"
#include "Materialize/Ranks/RankTerms.h"
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

/// Formats in which gradients are sent.
static constexpr StringLiteral kOwnFormat = "own", kBf16 = "bf16", kFp8 = "fp8";

namespace {

struct PartitionStep : public prec::impl::PartitionStepBase<PartitionStep> {
  using PartitionStepBase::PartitionStepBase;

  void runOnOperation() override;

private:
  LogicalResult parseMesh();
  LogicalResult checkOthers(func::FuncOp step);
  LogicalResult checkStage();

  std::string names; ///< of the axes of all ranks with batches of their own
  BatchAxes axes;
};

} // namespace

LogicalResult PartitionStep::parseMesh() {
  FailureOr<train::Mesh> parsed =
      train::parseMesh(mesh, [&] { return getOperation().emitOpError(); });
  if (failed(parsed))
    return failure();
  names = parsed->getBatchAxes();
  const int64_t experts = parsed->getSize(train::kExpertAxis);
  axes.alike = {train::kBatchAxis, parsed->getSize(train::kBatchAxis)};
  axes.all = {names, axes.alike.ranks * experts};
  axes.hasExperts = experts > 1;
  // partition_step_c5
  if (wire != kOwnFormat && wire != kBf16 && wire != kFp8)
    return getOperation().emitOpError("gradients must be sent in their own "
                                      "format (own), in bf16 or in fp8, but "
                                      "got '")
           << wire << "'";
  if (wire == kBf16)
    axes.all.wire = axes.alike.wire = BFloat16Type::get(&getContext());
  else if (wire == kFp8)
    axes.all.wire = axes.alike.wire = Float8E4M3FNType::get(&getContext());
  return success();
}

/// That the step has the parts that ranks can take.
LogicalResult PartitionStep::checkStage() {
  ModuleOp module = getOperation();
  const bool accumulates =
      findEntry(module, Entry::Accumulate) && findEntry(module, Entry::Apply);
  // partition_step_c4
  if (zero < 1 || zero > 3 || (zero == 2 && !accumulates))
    return module.emitOpError("the stage of ZeRO must be 1, 3, or 2 of a step "
                              "with micro-batches (--accumulate), but got ")
           << std::to_string(zero) << (accumulates ? "" : " without them");
  return success();
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

/// What is recorded behind micro-batches is the largest of all ranks.
static void shareAccumulatedAmaxes(func::FuncOp apply, MeshAxis axis) {
  RankBuilder b(&apply.front().front(), axis);
  for (BlockArgument argument : apply.getArguments()) {
    std::optional<StringRef> slot =
        getAccumulatedSlot(apply, argument.getArgNumber());
    if (!slot || !slot->starts_with(kAmaxes))
      continue;
    SmallVector<OpOperand *> reads = listUses(argument);
    Value largest = b.getLargest(argument);
    for (OpOperand *read : reads)
      read->set(largest);
  }
}

/// What is recorded of a step is the largest of all ranks; of experts, of those
/// that have the same.
static void shareAmaxes(const Frontier &frontier, MeshAxis all,
                        std::optional<MeshAxis> alike) {
  for (const auto &[record, amaxes] : frontier.amaxes)
    if (!alike || !isOfExperts(record))
      recordLargest(record, amaxes, all);
    else if (alike->ranks > 1)
      recordLargest(record, amaxes, *alike);
}

/// What is kept of the amaxes of a rank's experts is a slice, as these are.
static void splitHistories(func::FuncOp step) {
  Builder builder(step.getContext());
  std::set<StateName> names;
  for (auto record : step.getOps<RecordAmaxOp>())
    if (auto history = dyn_cast<BlockArgument>(record.getHistory());
        history && isOfExperts(record))
      names.insert(nameOfArgument(step, history.getArgNumber()));
  auto module = step->getParentOfType<ModuleOp>();
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned index = 0;
         isCompiledGraph(function) && index < function.getNumArguments();
         ++index)
      if (names.count(nameOfArgument(function, index))) {
        function.setArgAttr(index, train::kShard,
                            builder.getStringAttr(train::kExpertAxis));
        function.setArgAttr(index, train::kShardDim,
                            builder.getI64IntegerAttr(0));
      }
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

/// Sums of which each rank has its own: all where ranks do not share them.
static std::set<StateName> listOwnSums(func::FuncOp accumulate,
                                       bool sharesSums) {
  std::set<StateName> names;
  for (unsigned index = 0; index < accumulate.getNumArguments(); ++index) {
    std::optional<StringRef> slot = getAccumulatedSlot(accumulate, index);
    if (slot && (!sharesSums || slot->starts_with(kAmaxes)))
      names.insert(nameOfArgument(accumulate, index));
  }
  return names;
}

void PartitionStep::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> found = getStepGraph(module);
  if (failed(found))
    return signalPassFailure();
  func::FuncOp step = *found;
  if (failed(parseMesh()))
    return signalPassFailure();
  // Ranks that only have parts of layers have one batch.
  if (names.empty()) {
    // partition_step_c8
    if (zero != 1) {
      module.emitOpError("a stage of ZeRO divides states among ranks that have "
                         "batches of their own (dp=), but got ")
          << std::to_string(zero) << " for the mesh " << mesh;
      return signalPassFailure();
    }
    return;
  }
  auto present = module->getAttrOfType<DictionaryAttr>(train::kMesh);
  // partition_step_c2
  if (present && present.contains(train::kBatchAxis)) {
    module.emitOpError("a step must be partitioned once, but got the mesh ")
        << present;
    return signalPassFailure();
  }
  Frontier frontier;
  if (failed(checkOthers(step)) || failed(frontier.find(step)))
    return signalPassFailure();
  if (failed(checkStage()))
    return signalPassFailure();
  const MeshAxis axis = axes.all;
  std::optional<CountedLabels> labels =
      findWeights(step, frontier, equalWeights, "prec-partition-step");
  const StepTerms terms{frontier, labels};
  func::FuncOp accumulate = findEntry(module, Entry::Accumulate),
               apply = findEntry(module, Entry::Apply);
  const bool sharesSums = zero >= 2;
  std::set<StateName> sharded = findSharded(step, axis);
  OwnSums ownSums;
  drawBitsOfRank(step, axis);
  if (accumulate && axes.hasExperts) {
    drawBitsOfRank(accumulate, axis, findCount(accumulate));
    FailureOr<OwnSums> shared =
        shareExpertBatches(accumulate, apply, axes, sharesSums,
                           bool(findCrowded(module)), sharded);
    if (failed(shared))
      return signalPassFailure();
    ownSums = *shared;
  } else if (accumulate && sharesSums) {
    // The micro-batches of all ranks are counted.
    drawBitsOfRank(accumulate, axis);
    shareMicroBatches(accumulate, axis, sharded);
    shareAccumulatedAmaxes(apply, axis);
  } else if (accumulate) {
    drawBitsOfRank(accumulate, axis, findCount(accumulate));
    shareAccumulated(apply, axis);
  }
  if (accumulate && !axes.hasExperts)
    ownSums.ofRanks = listOwnSums(accumulate, sharesSums);
  if (failed(shareTerms(step, terms, axes)))
    return signalPassFailure();
  shareAmaxes(frontier, axis,
              axes.hasExperts ? std::optional(axes.alike) : std::nullopt);
  if (axes.hasExperts)
    splitHistories(step);
  for (auto function : module.getOps<func::FuncOp>())
    if (isCompiledGraph(function)) {
      partition(function, sharded, axis, ownSums);
      // Otherwise small weights are gathered together.
      if (zero == 3)
        gatherLate(function);
      joinExchanges(function, axis);
    }
  notePlacements(step, axis);
  emitPassRemark(step.getLoc(), {"prec-partition-step", "Rank", true},
                 summarizeRank(step, axis));
  if (StringRef(names).contains(train::kBatchAxis))
    train::addAxis(module, train::kBatchAxis, axes.alike.ranks);
}
