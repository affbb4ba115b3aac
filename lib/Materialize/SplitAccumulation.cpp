//===- SplitAccumulation.cpp - micro-batches and the update behind them ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a step into two functions: `accumulate`, which runs for every
// micro-batch, and `apply`, which runs the optimizer once. The border
// (Frontier) is all that forward and backward compute from the batch and that
// the optimizer, or the caller, reads: gradients, losses, amaxes. Both
// functions are copies of the step. In `accumulate` each value of the border is
// added in FP32 to a state; in `apply` the optimizer reads that sum divided by
// the weight of all micro-batches. Amaxes keep their maximum. Then what no
// result needs is erased from both, which leaves the two halves. The first
// micro-batch of a step overwrites the state, so nothing has to be cleared.
//
// A loss that is a mean over labels weighs a micro-batch by its labels.
// Example: with 100 and 300 labels the weights are 1 and 3, and the gradient is
// (g1 + 3 g2) / 4, that of one batch of 400 labels.
//
//===----------------------------------------------------------------------===//
#include "Materialize/CountedLabels.h"
#include "Materialize/MetricBuilder.h"
#include "Materialize/ScaledGradients.h"
#include "Materialize/Weights/StepState.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/BatchAttributes.h"
#include "prec/Dialect/Train/Outputs.h"
#include "prec/Dialect/Train/Slices.h"
#include "prec/Materialize/Passes.h"
#include "prec/Support/MustSucceed.h"
#include "prec/Support/PassRemark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace prec {
#define GEN_PASS_DEF_SPLITACCUMULATION
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

static constexpr char kTakesState[] =
    "a function of its own takes and returns every state";

namespace {

class Frontier;

struct SplitAccumulation
    : public prec::impl::SplitAccumulationBase<SplitAccumulation> {
  using SplitAccumulationBase::SplitAccumulationBase;

  void runOnOperation() override;

private:
  std::optional<CountedLabels> findWeights(func::FuncOp step,
                                           const Frontier &frontier);
};

/// What the update of a step reads of its batch.
class Frontier {
public:
  LogicalResult find(func::FuncOp step);

  /// Whether forward or backward computes `value` from the batch.
  bool isOfBatch(Value value) const;

  /// Gradients and losses, in the format in which they are computed.
  llvm::SetVector<Value> terms;
  /// Amaxes, by the operation that records them.
  llvm::MapVector<RecordAmaxOp, SmallVector<Value>> amaxes;

private:
  LogicalResult visit(Operation *op);
  LogicalResult addTerm(OpOperand &use);

  llvm::DenseSet<Value> ofBatch;
  bool hasUpdate = false;
};

/// A copy of a step that becomes one of the two parts.
class Part {
public:
  Part(func::FuncOp step, Entry entry)
      : step(step), function(step.clone(mapping)), builder(step.getContext()) {
    step->getParentOfType<ModuleOp>().push_back(function);
    makeEntry(function, entry);
    builder.setInsertionPoint(getReturn());
  }

  /// Without `counted` all micro-batches weigh the same.
  void accumulate(const Frontier &frontier,
                  const std::optional<CountedLabels> &counted);
  void apply(const Frontier &frontier, bool isWeighted);

private:
  Operation *getReturn() { return function.front().getTerminator(); }
  BlockArgument addState(Type type, const Twine &name);
  Value createScalar(double value);
  Value splat(Value scalar, Type like);
  Value widen(Value value);
  void carry(BlockArgument state, Value isFirst, Value value, Value combined);
  void weigh(const CountedLabels &counted, Value &isFirst, Value &weight);
  void countInSeeds(BlockArgument count);
  void keepResults(llvm::function_ref<bool(unsigned)> isKept);
  void replaceTerm(Value term, Value mean);
  void removeUnused();

  func::FuncOp step;
  IRMapping mapping;
  func::FuncOp function;
  OpBuilder builder;
};

} // namespace

/// Of a state that no binding has: only the two parts know it.
static constexpr StringLiteral kAccumulated = "accumulated";
static constexpr StringLiteral kMicroBatches = "micro_batches";
/// The sum of their weights, and the labels of one of weight 1.
static constexpr StringLiteral kWeights = "weights";
static constexpr StringLiteral kUnitLabels = "unit_labels";
/// Between the seeds of the micro-batches of a step: no two of 2^20 steps with
/// up to 4096 micro-batches have the same.
static constexpr int32_t kSeedStride = 1 << 20;

static DictionaryAttr getStateNames(MLIRContext *context, const Twine &name) {
  Builder builder(context);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr(train::kPath, builder.getStringAttr(kAccumulated)),
       builder.getNamedAttr(train::kSlot, builder.getStringAttr(name))});
}

bool Frontier::isOfBatch(Value value) const {
  Operation *op = value.getDefiningOp();
  return ofBatch.contains(value) && !(op && isOptimizer(op));
}

LogicalResult Frontier::addTerm(OpOperand &use) {
  Value value = use.get();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  // split_accumulation_c2
  if (!value.getDefiningOp() || !type || !isa<FloatType>(type.getElementType()))
    return use.getOwner()->emitOpError(
               "what an update reads of a batch must be computed and of a "
               "float type, but got ")
           << value.getType() << " as operand " << use.getOperandNumber();
  auto widened = value.getDefiningOp<arith::ExtFOp>();
  bool isNarrow = !type.getElementType().isF32();
  // split_accumulation_c3
  if (isNarrow && !isa<train::OptimizerOpInterface, train::GlobalNormOp,
                       FiniteGuardOp, arith::ExtFOp>(use.getOwner()))
    return use.getOwner()->emitOpError("a gradient that is accumulated must be "
                                       "read in f32, but got ")
           << type << " as operand " << use.getOperandNumber();
  terms.insert(widened ? widened.getIn() : value);
  return success();
}

LogicalResult Frontier::visit(Operation *op) {
  bool readsBatch = llvm::any_of(
      op->getOperands(), [&](Value value) { return ofBatch.contains(value); });
  if (readsBatch)
    ofBatch.insert_range(op->getResults());
  bool isReturn = isa<func::ReturnOp>(op);
  auto function = cast<func::FuncOp>(op->getParentOp());
  for (OpOperand &use : op->getOpOperands()) {
    if (!isOptimizer(op) && !isReturn) {
      // split_accumulation_c4
      if (ofBatch.contains(use.get()) && !isOfBatch(use.get()))
        return op->emitOpError("what is computed of a micro-batch must not "
                               "read an update, but operand ")
               << use.getOperandNumber() << " is one";
      continue;
    }
    if (!isOfBatch(use.get()) ||
        (isReturn && train::isOutput(function, use.getOperandNumber())))
      continue;
    // split_accumulation_c1
    if (isReturn &&
        function.getResultAttr(use.getOperandNumber(), train::kDonatedTo))
      return function.emitOpError("state must be updated by the optimizer, but "
                                  "result ")
             << use.getOperandNumber() << " is not";
    hasUpdate |= !isReturn;
    auto record = dyn_cast<RecordAmaxOp>(op);
    if (record && use.getOperandNumber() > 0)
      amaxes[record].push_back(use.get());
    else if (failed(addTerm(use)))
      return failure();
  }
  return success();
}

LogicalResult Frontier::find(func::FuncOp step) {
  for (BlockArgument argument : step.getArguments()) {
    auto role = step.getArgAttrOfType<train::RoleAttr>(argument.getArgNumber(),
                                                       train::kRole);
    if (role && role.getValue() == train::Role::Batch)
      ofBatch.insert(argument);
  }
  for (Operation &op : step.front())
    if (failed(visit(&op)))
      return failure();
  // split_accumulation_c5
  if (!hasUpdate)
    return step.emitOpError("a step with micro-batches must update something "
                            "by gradients, but got none");
  return success();
}

/// An argument that the other part has, too.
BlockArgument Part::addState(Type type, const Twine &name) {
  mustSucceed(
      function.insertArgument(function.getNumArguments(), type,
                              getStateNames(function.getContext(), name),
                              function.getLoc()),
      "a function of its own takes every argument");
  return function.getArguments().back();
}

Value Part::createScalar(double value) {
  auto type = RankedTensorType::get({}, builder.getF32Type());
  return arith::ConstantOp::create(
      builder, function.getLoc(),
      DenseElementsAttr::get(type, builder.getF32FloatAttr(value).getValue()));
}

Value Part::splat(Value scalar, Type like) {
  auto shape = cast<RankedTensorType>(like);
  if (shape.getRank() == 0)
    return scalar;
  return train::BroadcastOp::create(builder, scalar.getLoc(),
                                    shape.clone(getElementTypeOrSelf(scalar)),
                                    scalar, ArrayRef<int64_t>());
}

Value Part::widen(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType().isF32())
    return value;
  return arith::ExtFOp::create(builder, value.getLoc(),
                               type.clone(builder.getF32Type()), value);
}

void Part::keepResults(llvm::function_ref<bool(unsigned)> isKept) {
  llvm::BitVector erased(function.getNumResults());
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!isKept(i))
      erased.set(i);
  getReturn()->eraseOperands(erased);
  mustSucceed(function.eraseResults(erased),
              "a function that nobody calls may drop results");
}

/// Drops what no result needs, arguments too; donations follow their places.
void Part::removeUnused() {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  llvm::BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
  SmallVector<std::pair<unsigned, unsigned>> donations;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto to =
            function.getResultAttrOfType<IntegerAttr>(i, train::kDonatedTo)) {
      donations.push_back({i, unsigned(to.getInt())});
      unused.reset(to.getInt());
    }
  SmallVector<int64_t> places;
  for (unsigned i = 0, place = 0; i < function.getNumArguments(); ++i)
    places.push_back(unused[i] ? place : place++);
  for (auto [result, to] : donations)
    function.setResultAttr(result, train::kDonatedTo,
                           builder.getI64IntegerAttr(places[to]));
  mustSucceed(function.eraseArguments(unused),
              "a function that nobody calls may drop arguments");
}

/// Returns `value` in the first micro-batch of a step, then `combined`: what an
/// earlier step left need not be cleared.
void Part::carry(BlockArgument state, Value isFirst, Value value,
                 Value combined) {
  Value next =
      arith::SelectOp::create(builder, value.getLoc(),
                              splat(isFirst, value.getType()), value, combined);
  mustSucceed(returnState(function, state, next), kTakesState);
}

/// Roundings at random draw bits of their own in every micro-batch, those of a
/// step in the first. The seed of a dropout counts micro-batches by itself.
void Part::countInSeeds(BlockArgument count) {
  DenseMap<Value, Value> counted;
  OpBuilder::InsertionGuard guard(builder);
  function.walk([&](QuantizeOp op) {
    Value seed = op.getSeed();
    if (!seed)
      return;
    Value &next = counted[seed];
    if (!next) {
      builder.setInsertionPointAfterValue(seed);
      Location loc = seed.getLoc();
      auto type = cast<RankedTensorType>(seed.getType());
      Value stride = arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(type, builder.getI32IntegerAttr(kSeedStride)));
      Value number = arith::FPToSIOp::create(builder, loc, type, count);
      Value offset = arith::MulIOp::create(builder, loc, number, stride);
      next = arith::AddIOp::create(builder, loc, seed, offset);
    }
    op.getSeedMutable().assign(next);
  });
}

/// The weight of this micro-batch: its labels that count, by those of the first
/// that has any. Up to that one nothing is worth being kept, so that each is
/// the first.
void Part::weigh(const CountedLabels &counted, Value &isFirst, Value &weight) {
  Type scalar = createScalar(0).getType();
  BlockArgument weights = addState(scalar, kWeights);
  BlockArgument unit = addState(scalar, kUnitLabels);
  MetricBuilder b(getReturn(), train::Phase::Backward);
  Value labels = mapping.lookupOrDefault(counted.labels);
  auto type = cast<RankedTensorType>(labels.getType());
  Value ignored = b.create<arith::ConstantOp>(DenseElementsAttr::get(
      cast<ShapedType>(type),
      builder.getIntegerAttr(type.getElementType(), counted.ignoreIndex)));
  Value isCounted =
      b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, labels, ignored);
  Value count = b.sum(b.indicate(isCounted));
  Value zero = createScalar(0);
  isFirst = b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, weights, zero);
  Value hasLabels =
      b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, count, zero);
  Value begun = b.create<arith::SelectOp>(hasLabels, createScalar(1), zero);
  Value ratio = b.create<arith::DivFOp>(count, unit);
  weight = b.create<arith::SelectOp>(isFirst, begun, ratio);
  carry(weights, isFirst, begun, b.create<arith::AddFOp>(weights, ratio));
  carry(unit, isFirst, count, unit);
}

static int64_t countElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

/// Of all of these, the largest so far.
static RankedTensorType getAmaxType(ArrayRef<Value> amaxes) {
  int64_t count = 0;
  for (Value amax : amaxes)
    count += countElements(amax);
  return RankedTensorType::get({count, 1},
                               getElementTypeOrSelf(amaxes.front().getType()));
}

/// The amax, or amaxes of experts, of `type` from `row` on.
static Value getRows(OpBuilder &builder, Value largest, int64_t row,
                     Type type) {
  auto wanted = cast<RankedTensorType>(type);
  if (wanted.getRank() == 0)
    return getElement(builder, largest.getLoc(), largest, row);
  Value slice = train::createSlice(builder, largest.getLoc(),
                                   wanted.clone({wanted.getDimSize(0), 1}),
                                   largest, {row, 0});
  return tensor::CollapseShapeOp::create(
      builder, largest.getLoc(), wanted, slice,
      SmallVector<ReassociationIndices>{{0, 1}});
}

void Part::accumulate(const Frontier &frontier,
                      const std::optional<CountedLabels> &counted) {
  Operation *original = step.front().getTerminator();
  keepResults([&](unsigned index) {
    return !step.getResultAttr(index, train::kDonatedTo) &&
           frontier.isOfBatch(original->getOperand(index));
  });
  BlockArgument count = addState(createScalar(0).getType(), kMicroBatches);
  countInSeeds(count);
  Location loc = NameLoc::get(builder.getStringAttr("accumulation"));
  Value isFirst = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                        count, createScalar(0));
  Value begins = isFirst, weight;
  if (counted)
    weigh(*counted, begins, weight);
  for (auto [index, term] : llvm::enumerate(frontier.terms)) {
    Value value = widen(mapping.lookup(term));
    BlockArgument sum = addState(value.getType(), Twine(index));
    Location at = term.getLoc();
    Value part = value;
    if (weight)
      part = arith::MulFOp::create(builder, at, value,
                                   splat(weight, value.getType()));
    Value more = arith::AddFOp::create(builder, at, sum, part);
    carry(sum, begins, value, more);
  }
  for (auto [index, recorded] : llvm::enumerate(frontier.amaxes)) {
    SmallVector<Value> values = llvm::map_to_vector(
        recorded.second, [&](Value amax) { return mapping.lookup(amax); });
    BlockArgument largest =
        addState(getAmaxType(values), "amax." + Twine(index));
    Value value =
        RecordAmaxOp::create(builder, loc, largest.getType(),
                             getRecentType(largest.getType()), largest, values)
            .getResult();
    Value larger = arith::MaximumFOp::create(builder, loc, largest, value);
    carry(largest, isFirst, value, larger);
  }
  mustSucceed(
      returnState(function, count,
                  arith::AddFOp::create(builder, loc, count, createScalar(1))),
      kTakesState);
  removeUnused();
}

/// The optimizer and the caller read `mean` for `term`, as it is or widened.
void Part::replaceTerm(Value term, Value mean) {
  SmallVector<Value> forms = {term};
  for (Operation *user : term.getUsers())
    if (isa<arith::ExtFOp>(user))
      forms.push_back(user->getResult(0));
  for (Value form : forms)
    form.replaceUsesWithIf(mean, [](OpOperand &use) {
      Operation *user = use.getOwner();
      return !isa<arith::ExtFOp>(user) &&
             (isOptimizer(user) || isa<func::ReturnOp>(user));
    });
}

void Part::apply(const Frontier &frontier, bool isWeighted) {
  // Outputs are of micro-batches.
  keepResults([&](unsigned index) { return !train::isOutput(step, index); });
  builder.setInsertionPointToStart(&function.front());
  // Of the same type as in the other part.
  Type scalar = createScalar(0).getType();
  BlockArgument count = addState(scalar, kMicroBatches), weights;
  Value divisor = count;
  if (isWeighted) {
    weights = addState(scalar, kWeights);
    // The first that counts weighs 1; without it there is one term as it is.
    divisor = inOptimizer(arith::MaximumFOp::create(builder, function.getLoc(),
                                                    weights, createScalar(1)));
  }
  for (auto [index, term] : llvm::enumerate(frontier.terms)) {
    auto type = cast<RankedTensorType>(term.getType());
    BlockArgument sum =
        addState(type.clone(builder.getF32Type()), Twine(index));
    replaceTerm(mapping.lookup(term),
                inOptimizer(arith::DivFOp::create(builder, term.getLoc(), sum,
                                                  splat(divisor, type))));
  }
  for (auto [index, recorded] : llvm::enumerate(frontier.amaxes)) {
    auto [record, amaxes] = recorded;
    Operation *copy = mapping.lookup(record.getResult()).getDefiningOp();
    BlockArgument largest =
        addState(getAmaxType(amaxes), "amax." + Twine(index));
    int64_t row = 0;
    for (Value amax : amaxes) {
      copy->replaceUsesOfWith(mapping.lookup(amax),
                              getRows(builder, largest, row, amax.getType()));
      row += countElements(amax);
    }
  }
  builder.setInsertionPoint(getReturn());
  mustSucceed(returnState(function, count, createScalar(0)), kTakesState);
  if (isWeighted)
    mustSucceed(returnState(function, weights, createScalar(0)), kTakesState);
  removeUnused();
}

/// A new training has seen no micro-batch.
static void begin(func::FuncOp init, StringRef state) {
  OpBuilder builder(init.front().getTerminator());
  auto type = RankedTensorType::get({}, builder.getF32Type());
  mustSucceed(init.insertResult(init.getNumResults(), type,
                                getStateNames(init.getContext(), state)),
              kTakesState);
  Operation *terminator = init.front().getTerminator();
  Value none = arith::ConstantOp::create(
      builder, init.getLoc(),
      DenseElementsAttr::get(type, builder.getF32FloatAttr(0).getValue()));
  terminator->insertOperands(terminator->getNumOperands(), none);
}

/// What micro-batches are weighted by; nothing where all are alike, which the
/// module then says.
std::optional<CountedLabels>
SplitAccumulation::findWeights(func::FuncOp step, const Frontier &frontier) {
  std::string why = "it was asked for";
  if (!equalWeights) {
    FailureOr<CountedLabels> counted = findCountedLabels(
        step, [&](Value value) { return frontier.isOfBatch(value); }, why);
    if (succeeded(counted)) {
      CountedLabels labels = *counted;
      return labels;
    }
    why = "the loss is no mean over one number of labels: " + why;
    emitPassRemark(step.getLoc(), {"prec-split-accumulation", "EqualWeights"},
                   "micro-batches all weigh the same, however many labels they "
                   "have: " +
                       Twine(why));
  }
  getOperation()->setAttr(train::kEqualMicroBatches,
                          StringAttr::get(&getContext(), why));
  return std::nullopt;
}

void SplitAccumulation::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> found = getStepGraph(module);
  if (failed(found))
    return signalPassFailure();
  func::FuncOp step = *found;
  for (Entry entry : {Entry::Accumulate, Entry::Apply})
    // split_accumulation_c6
    if (func::FuncOp present = findEntry(module, entry)) {
      present.emitOpError("a step must be split once, but got \"")
          << stringifyEntry(entry) << "\" already";
      return signalPassFailure();
    }
  Frontier frontier;
  if (failed(frontier.find(step)))
    return signalPassFailure();
  std::optional<CountedLabels> counted = findWeights(step, frontier);
  Part(step, Entry::Accumulate).accumulate(frontier, counted);
  Part(step, Entry::Apply).apply(frontier, counted.has_value());
  func::FuncOp init = getOrCreateInit(step);
  begin(init, kMicroBatches);
  if (counted)
    begin(init, kWeights);
}
