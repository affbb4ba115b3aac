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
#include "Materialize/Frontier.h"
#include "Materialize/MetricBuilder.h"
#include "Materialize/ScaledGradients.h"
#include "Materialize/Weights/StepState.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/Outputs.h"
#include "prec/Dialect/Train/Slices.h"
#include "prec/Materialize/Passes.h"
#include "prec/Support/MustSucceed.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace prec {
#define GEN_PASS_DEF_SPLITACCUMULATION
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

static constexpr char kTakesState[] =
    "a function of its own takes and returns every state";

namespace {

struct SplitAccumulation
    : public prec::impl::SplitAccumulationBase<SplitAccumulation> {
  using SplitAccumulationBase::SplitAccumulationBase;

  void runOnOperation() override;
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
  Value createScalar(double value);
  Value splat(Value scalar, Type like);
  Value widen(Value value);
  void carry(BlockArgument state, Value isFirst, Value value, Value combined);
  void weigh(const CountedLabels &counted, Value &isFirst, Value &weight);
  void keepResults(llvm::function_ref<bool(unsigned)> isKept);
  void removeUnused();

  func::FuncOp step;
  IRMapping mapping;
  func::FuncOp function;
  OpBuilder builder;
};

} // namespace

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

/// The weight of this micro-batch: its labels that count, by those of the first
/// that has any. Up to that one nothing is worth being kept, so that each is
/// the first.
void Part::weigh(const CountedLabels &counted, Value &isFirst, Value &weight) {
  Type scalar = createScalar(0).getType();
  BlockArgument weights = addAccumulated(function, scalar, kWeights);
  BlockArgument unit = addAccumulated(function, scalar, kUnitLabels);
  MetricBuilder b(getReturn(), train::Phase::Backward);
  Value count = countLabels(
      b, {mapping.lookupOrDefault(counted.labels), counted.ignoreIndex});
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
  BlockArgument count =
      addAccumulated(function, createScalar(0).getType(), kMicroBatches);
  drawOwnBits(function, [&](OpBuilder &b, Location loc, Type type) {
    return arith::FPToSIOp::create(b, loc, type, count).getResult();
  });
  Location loc = NameLoc::get(builder.getStringAttr("accumulation"));
  Value isFirst = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                        count, createScalar(0));
  Value begins = isFirst, weight;
  if (counted)
    weigh(*counted, begins, weight);
  for (auto [index, term] : llvm::enumerate(frontier.terms)) {
    Value value = widen(mapping.lookup(term));
    BlockArgument sum = addAccumulated(function, value.getType(), Twine(index));
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
        addAccumulated(function, getAmaxType(values), kAmaxes + Twine(index));
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

void Part::apply(const Frontier &frontier, bool isWeighted) {
  // Outputs are of micro-batches.
  keepResults([&](unsigned index) { return !train::isOutput(step, index); });
  builder.setInsertionPointToStart(&function.front());
  // Of the same type as in the other part.
  Type scalar = createScalar(0).getType();
  BlockArgument count = addAccumulated(function, scalar, kMicroBatches),
                weights;
  Value divisor = count;
  if (isWeighted) {
    weights = addAccumulated(function, scalar, kWeights);
    // The first that counts weighs 1; without it there is one term as it is.
    divisor = inOptimizer(arith::MaximumFOp::create(builder, function.getLoc(),
                                                    weights, createScalar(1)));
  }
  for (auto [index, term] : llvm::enumerate(frontier.terms)) {
    auto type = cast<RankedTensorType>(term.getType());
    BlockArgument sum = addAccumulated(
        function, type.clone(builder.getF32Type()), Twine(index));
    Value mean = inOptimizer(arith::DivFOp::create(builder, term.getLoc(), sum,
                                                   splat(divisor, type)));
    for (OpOperand *read : findReads(mapping.lookup(term)))
      read->set(mean);
  }
  for (auto [index, recorded] : llvm::enumerate(frontier.amaxes)) {
    auto [record, amaxes] = recorded;
    Operation *copy = mapping.lookup(record.getResult()).getDefiningOp();
    BlockArgument largest =
        addAccumulated(function, getAmaxType(amaxes), kAmaxes + Twine(index));
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
                                getAccumulatedNames(init.getContext(), state)),
              kTakesState);
  Operation *terminator = init.front().getTerminator();
  Value none = arith::ConstantOp::create(
      builder, init.getLoc(),
      DenseElementsAttr::get(type, builder.getF32FloatAttr(0).getValue()));
  terminator->insertOperands(terminator->getNumOperands(), none);
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
  std::optional<CountedLabels> counted =
      findWeights(step, frontier, equalWeights, "prec-split-accumulation");
  Part(step, Entry::Accumulate).accumulate(frontier, counted);
  Part(step, Entry::Apply).apply(frontier, counted.has_value());
  func::FuncOp init = getOrCreateInit(step);
  begin(init, kMicroBatches);
  if (counted)
    begin(init, kWeights);
}
