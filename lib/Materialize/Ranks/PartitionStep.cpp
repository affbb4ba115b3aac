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
#include "Materialize/Ranks/GatherLate.h"
#include "Materialize/Ranks/JoinExchanges.h"
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

/// Formats in which gradients are sent.
static constexpr StringLiteral kOwnFormat = "own", kBf16 = "bf16",
                               kFp8 = "fp8";

namespace {

struct PartitionStep : public prec::impl::PartitionStepBase<PartitionStep> {
  using PartitionStepBase::PartitionStepBase;

  void runOnOperation() override;

private:
  LogicalResult parseMesh();
  LogicalResult checkOthers(func::FuncOp step);
  LogicalResult checkExperts(func::FuncOp step, const Frontier &frontier);

  /// All ranks that have batches of their own, and of these the ones that have
  /// the same experts.
  std::string axes;
  MeshAxis all, alike;
  bool hasExperts = false;
};

} // namespace

LogicalResult PartitionStep::parseMesh() {
  FailureOr<train::Mesh> parsed =
      train::parseMesh(mesh, [&] { return getOperation().emitOpError(); });
  if (failed(parsed))
    return failure();
  axes = parsed->getBatchAxes();
  const int64_t experts = parsed->getSize(train::kExpertAxis);
  alike = {train::kBatchAxis, parsed->getSize(train::kBatchAxis)};
  all = {axes, alike.ranks * experts};
  hasExperts = experts > 1;
  // partition_step_c5
  if (wire != kOwnFormat && wire != kBf16 && wire != kFp8)
    return getOperation().emitOpError("gradients must be sent in their own "
                                      "format (own), in bf16 or in fp8, but "
                                      "got '")
           << wire << "'";
  if (wire == kBf16)
    all.wire = alike.wire = BFloat16Type::get(&getContext());
  else if (wire == kFp8)
    all.wire = alike.wire = Float8E4M3FNType::get(&getContext());
  return success();
}

/// That gradients of experts, which are of the tokens of several ranks, can be
/// weighed before they are computed.
LogicalResult PartitionStep::checkExperts(func::FuncOp step,
                                          const Frontier &frontier) {
  // partition_step_c6
  if (findEntry(getOperation(), Entry::Accumulate))
    return step.emitOpError("a step whose experts are divided among ranks must "
                            "take one micro-batch, but got several "
                            "(--accumulate with ep=)");
  std::string why;
  FailureOr<CountedLabels> labels = findCountedLabels(
      step, [&](Value value) { return frontier.isOfBatch(value); }, why);
  // partition_step_c7
  if (failed(labels))
    return step.emitOpError("a loss of ranks that have experts of their own "
                            "must be a mean over labels, such as without a "
                            "loss of the router, but ")
           << why;
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

/// `sum` for a value of the type of `own`, of which it may be a shard.
static Value asValue(Value sum, Value own, MeshAxis axis) {
  if (typeOf(sum).getShape() == typeOf(own).getShape())
    return sum;
  RankBuilder b(sum.getDefiningOp()->getNextNode(), axis);
  return asWhole(b, sum, getShardDim(own.getType()));
}

namespace {

/// The mean over ranks of what the update of a step reads of its batch.
class TermSharer {
public:
  TermSharer(func::FuncOp step, const Frontier &frontier,
             const std::optional<CountedLabels> &labels, MeshAxis all,
             MeshAxis alike, bool hasExperts)
      : step(step), frontier(frontier), labels(labels), all(all), alike(alike),
        hasExperts(hasExperts) {}

  void run();

private:
  void scaleSeeds(Operation *head, Value count);
  void findExperts();
  Value addExperts(Operation *head, Value term);

  func::FuncOp step;
  const Frontier &frontier;
  const std::optional<CountedLabels> &labels;
  MeshAxis all, alike;
  bool hasExperts;
  /// What scales with the gradient of the loss, where that is weighed.
  DenseSet<Value> gradients;
  /// Gradients of a rank's experts.
  DenseSet<Value> ofExperts;
};

} // namespace

/// Gradients of experts are sums over the tokens of several ranks, each of
/// which has the gradient of its own mean. So the gradient that each backward
/// starts from is multiplied by the rank's share of all labels, and gradients
/// of ranks are added up as they are.
void TermSharer::scaleSeeds(Operation *head, Value count) {
  RankBuilder b(head, all);
  auto scalar = RankedTensorType::get({}, Float32Type::get(step.getContext()));
  Value weight = b.splat(scalar, 1.0 / double(all.ranks));
  if (count) {
    Value counts = b.gather(count);
    Value sum = b.getSlice(counts, 0);
    for (int64_t rank = 1; rank < all.ranks; ++rank)
      sum = b.create<arith::AddFOp>(sum, b.getSlice(counts, rank));
    weight = b.create<arith::DivFOp>(
        count, b.create<arith::MaximumFOp>(sum, b.splat(scalar, 1)));
  }
  SmallVector<train::CrossEntropyGradOp> seeds(
      step.getOps<train::CrossEntropyGradOp>());
  for (train::CrossEntropyGradOp seed : seeds) {
    OpBuilder builder(seed);
    auto scaled =
        arith::MulFOp::create(builder, seed.getLoc(), seed.getGrad(), weight);
    train::copyProvenance(seed, scaled);
    seed.getGradMutable().assign(scaled);
    gradients.insert(seed.getGradLogits());
  }
  for (Operation &op : step.front())
    if (llvm::any_of(op.getOperands(),
                     [&](Value value) { return gradients.contains(value); }))
      gradients.insert_range(op.getResults());
}

/// What the optimizer of a rank's experts reads that has an element for each of
/// theirs.
void TermSharer::findExperts() {
  for (auto optimizer : step.getOps<train::OptimizerOpInterface>()) {
    Value parameter = optimizer.getParameter();
    while (Operation *maker = parameter.getDefiningOp())
      parameter = maker->getOperand(0);
    auto axis = step.getArgAttrOfType<StringAttr>(
        cast<BlockArgument>(parameter).getArgNumber(), train::kShard);
    if (!axis || axis.getValue() != train::kExpertAxis)
      continue;
    const int64_t elements = typeOf(parameter).getNumElements();
    SetVector<Value> behind;
    behind.insert(optimizer.getGradient());
    for (size_t i = 0; i < behind.size(); ++i) {
      Value value = behind[i];
      if (frontier.terms.contains(value)) {
        ofExperts.insert(value);
        continue;
      }
      if (Operation *maker = value.getDefiningOp())
        for (Value operand : maker->getOperands())
          if (typeOf(operand).getNumElements() == elements)
            behind.insert(operand);
    }
  }
}

/// The sum over all ranks of a gradient that is of the tokens of those along
/// the axis of experts.
Value TermSharer::addExperts(Operation *head, Value term) {
  if (alike.ranks == 1)
    return term;
  RankSums sums(head, alike, /*unit=*/nullptr, /*weight=*/nullptr);
  Value sum = sums.add(term);
  RankBuilder b(sum.getDefiningOp()->getNextNode(), alike);
  return typeOf(sum).getShape() == typeOf(term).getShape()
             ? sum
             : b.getWhole(sum, getShardDim(term.getType()));
}

/// What reads a term of the step reads the mean over all ranks.
void TermSharer::run() {
  Operation *head = &step.front().front();
  if (labels && labels->labels.getDefiningOp())
    head = labels->labels.getDefiningOp()->getNextNode();
  RankBuilder b(head, all);
  Value count, weight;
  if (labels) {
    count = countLabels(b, *labels);
    weight = b.indicate(b.create<arith::CmpFOp>(
        arith::CmpFPredicate::OGT, count, b.splat(count.getType(), 0)));
  }
  if (hasExperts) {
    scaleSeeds(head, count);
    findExperts();
  }
  RankSums sums(head, all, count, weight),
      plain(head, all, /*unit=*/nullptr, /*weight=*/nullptr);
  Value divisor;
  if (labels)
    // The first that counts weighs 1; without it there is one term as it is.
    divisor = b.create<arith::MaximumFOp>(sums.getWeight(),
                                          b.splat(weight.getType(), 1));
  for (Value term : frontier.terms) {
    SmallVector<OpOperand *> reads = findReads(term);
    Value value;
    if (ofExperts.contains(term))
      value = addExperts(head, term);
    else if (gradients.contains(term))
      value = asValue(plain.add(term), term, all);
    else {
      Value sum = sums.add(term);
      RankBuilder behind(sum.getDefiningOp()->getNextNode(), all);
      Value by = divisor ? behind.broadcast(divisor, sum.getType())
                         : behind.splat(sum.getType(), double(all.ranks));
      value = asValue(behind.create<arith::DivFOp>(sum, by), term, all);
    }
    if (value != term)
      for (OpOperand *read : reads)
        read->set(value);
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

/// Whether amaxes are recorded for each of several experts.
static bool isOfExperts(RecordAmaxOp record) {
  return llvm::any_of(record.getAmaxes(),
                      [](Value amax) { return typeOf(amax).getRank() > 0; });
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

void PartitionStep::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> found = getStepGraph(module);
  if (failed(found))
    return signalPassFailure();
  func::FuncOp step = *found;
  if (failed(parseMesh()))
    return signalPassFailure();
  // Ranks that only have parts of layers have one batch.
  if (axes.empty()) {
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
  if (hasExperts && failed(checkExperts(step, frontier)))
    return signalPassFailure();
  const MeshAxis axis = all;
  std::optional<CountedLabels> labels =
      findWeights(step, frontier, equalWeights, "prec-partition-step");
  func::FuncOp accumulate = findEntry(module, Entry::Accumulate),
               apply = findEntry(module, Entry::Apply);
  // partition_step_c4
  if (zero < 1 || zero > 3 || (zero == 2 && !(accumulate && apply))) {
    module.emitOpError("the stage of ZeRO must be 1, 3, or 2 of a step with "
                       "micro-batches (--accumulate), but got ")
        << std::to_string(zero) << (accumulate ? "" : " without them");
    return signalPassFailure();
  }
  const bool sharesSums = zero >= 2;
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
  TermSharer(step, frontier, labels, all, alike, hasExperts).run();
  shareAmaxes(frontier, axis, hasExperts ? std::optional(alike) : std::nullopt);
  if (hasExperts)
    splitHistories(step);
  for (auto function : module.getOps<func::FuncOp>())
    if (isCompiledGraph(function)) {
      partition(function, sharded, axis, sharesSums);
      // Otherwise small weights are gathered together.
      if (zero == 3)
        gatherLate(function);
      joinExchanges(function, axis);
    }
  notePlacements(step, axis);
  emitPassRemark(step.getLoc(), {"prec-partition-step", "Rank", true},
                 summarizeRank(step, axis));
  if (StringRef(axes).contains(train::kBatchAxis))
    train::addAxis(module, train::kBatchAxis, alike.ranks);
}
