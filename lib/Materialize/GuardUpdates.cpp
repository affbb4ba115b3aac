//===- GuardUpdates.cpp - a bad step changes nothing ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a bad step change nothing. A guard looks at the loss and all gradients,
// and at the checks of indices. Every result that replaces an argument becomes
// a selection: the new value in a good step, the old one in a bad step. An
// optimizer selects by itself. What is derived from guarded values only, such
// as a work weight from its master, is the same as before and needs no
// selection; isKept finds out. Skipped steps are counted, and the step count
// that bias correction sees is that of the updates that there were. In the end
// the block is sorted, because a guard comes after all gradients and some
// updates stood before.
//
// A step whose experts had no room for their rows is run again by another entry
// point (--prec-materialize-crowded). To the training it never was: it is not
// counted, and leaves a dynamic loss scale as it is.
//
//===----------------------------------------------------------------------===//
#include "Materialize/Weights/StepState.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Dialect/Train/IndexCheck.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace prec {
#define GEN_PASS_DEF_GUARDUPDATES
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct GuardUpdates : public prec::impl::GuardUpdatesBase<GuardUpdates> {
  using GuardUpdatesBase::GuardUpdatesBase;

  void runOnOperation() override;
};

/// A result that replaces an argument.
struct Update {
  OpOperand *returned;
  BlockArgument argument;
  train::Role role;
};

class Guard {
public:
  Guard(func::FuncOp step, FiniteGuardOp guard)
      : step(step), guard(guard), builder(guard->getContext()) {
    builder.setInsertionPointAfter(guard);
    (void)getBackwardSlice(guard.getOperation(), &before);
  }

  LogicalResult run();

private:
  SmallVector<Update> collect();
  Value select(Value condition, Value taken, Value other, Location loc);
  Value getRoom();
  bool keepByOptimizer(const Update &update);
  void keep(const Update &update);
  void keepWithoutRoom(const Update &update);
  bool isKept(Value value);
  LogicalResult countSkipped();
  LogicalResult returnVerdict();

  func::FuncOp step;
  FiniteGuardOp guard;
  OpBuilder builder;
  /// Whether experts had room for their rows; null where there are none.
  Value hasRoom;
  /// What the guard is computed from.
  SetVector<Operation *> before;
  /// Values that are the old ones in a bad step.
  DenseSet<Value> guarded;
  /// By value, whether it comes from guarded ones only; until there is another
  /// of those.
  DenseMap<Value, bool> derived;
};

} // namespace

SmallVector<Update> Guard::collect() {
  SmallVector<Update> updates;
  for (OpOperand &returned : step.front().getTerminator()->getOpOperands()) {
    auto to = step.getResultAttrOfType<IntegerAttr>(returned.getOperandNumber(),
                                                    train::kDonatedTo);
    if (!to)
      continue;
    auto role =
        step.getArgAttrOfType<train::RoleAttr>(to.getInt(), train::kRole);
    updates.push_back({&returned, step.getArgument(to.getInt()),
                       role ? role.getValue() : train::Role::Buffer});
  }
  return updates;
}

/// `taken` where `condition` is true, else `other`.
Value Guard::select(Value condition, Value taken, Value other, Location loc) {
  auto type = cast<RankedTensorType>(taken.getType());
  if (type.getRank() > 0)
    condition = inOptimizer(train::BroadcastOp::create(
        builder, loc, type.clone(builder.getI1Type()), condition,
        ArrayRef<int64_t>()));
  return inOptimizer(
      arith::SelectOp::create(builder, loc, condition, taken, other));
}

/// In the optimizer, so that what reads it here is what all ranks have.
Value Guard::getRoom() {
  Value room = train::findExpertRoom(step);
  if (!room)
    return {};
  auto type = cast<RankedTensorType>(room.getType());
  Value one = arith::ConstantOp::create(
      builder, room.getLoc(),
      DenseElementsAttr::get(type, builder.getF32FloatAttr(1).getValue()));
  return inOptimizer(arith::CmpFOp::create(
      builder, room.getLoc(), arith::CmpFPredicate::OEQ, room, one));
}

/// What an optimizer returns for what it reads is guarded by itself.
bool Guard::keepByOptimizer(const Update &update) {
  // Rounding what needs none changes nothing.
  Value value = getUnrounded(update.returned->get());
  auto optimizer = value.getDefiningOp<train::OptimizerOpInterface>();
  if (!optimizer)
    return false;
  Value old = optimizer.getParameter();
  for (auto [state, updated] :
       llvm::zip_equal(optimizer.getStates(), optimizer.getNewStates()))
    if (value == updated)
      old = state;
  if (old != update.argument)
    return false;
  optimizer.getGuardMutable().assign(guard.getFinite());
  guarded.insert_range(optimizer->getResults());
  guarded.insert(update.returned->get());
  derived.clear();
  return true;
}

/// Whoever reads the new value, but for what the guard itself is made of, reads
/// the old one in a bad step.
void Guard::keep(const Update &update) {
  if (keepByOptimizer(update))
    return;
  Value value = update.returned->get();
  Value selected =
      select(guard.getFinite(), value, update.argument, value.getLoc());
  value.replaceUsesWithIf(selected, [&](OpOperand &use) {
    return use.getOwner() != selected.getDefiningOp() &&
           use.getOwner() != guard && !before.contains(use.getOwner());
  });
  guarded.insert(selected);
  derived.clear();
}

/// What learns from bad steps learns nothing from one that runs again.
void Guard::keepWithoutRoom(const Update &update) {
  Value value = update.returned->get();
  update.returned->set(select(hasRoom, value, update.argument, value.getLoc()));
}

/// Whether `value` is computed from nothing but what keeps its value in a bad
/// step.
bool Guard::isKept(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || guarded.contains(value))
    return op;
  auto known = derived.find(value);
  if (known != derived.end())
    return known->second;
  bool all = llvm::all_of(op->getOperands(),
                          [&](Value operand) { return isKept(operand); });
  derived[value] = all;
  return all;
}

LogicalResult Guard::countSkipped() {
  FailureOr<BlockArgument> skipped =
      addScalarState(step, kSkippedStepsState, 0);
  if (failed(skipped))
    return failure();
  Location loc = guard.getLoc();
  auto type = cast<RankedTensorType>(skipped->getType());
  Value one = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, builder.getF32FloatAttr(1).getValue()));
  Value more = inOptimizer(arith::AddFOp::create(builder, loc, *skipped, one));
  if (hasRoom)
    more = select(hasRoom, more, *skipped, loc);
  if (failed(returnState(step, *skipped,
                         select(guard.getFinite(), *skipped, more, loc))))
    return failure();
  // Bias correction counts the updates that there were.
  DenseMap<Value, Value> counts;
  for (auto optimizer : step.getOps<train::OptimizerOpInterface>()) {
    Value &count = counts[optimizer.getStep()];
    if (!count)
      count = inOptimizer(
          arith::SubFOp::create(builder, loc, optimizer.getStep(), *skipped));
    optimizer.getStepMutable().assign(count);
  }
  return success();
}

LogicalResult Guard::returnVerdict() {
  DictionaryAttr names = withRole(
      builder.getDictionaryAttr(
          {builder.getNamedAttr(train::kPath,
                                builder.getStringAttr("first_not_finite")),
           builder.getNamedAttr(train::kTensors, guard.getTensors())}),
      train::Role::Guard);
  if (failed(step.insertResult(step.getNumResults(), guard.getFirst().getType(),
                               names)))
    return failure();
  Operation *terminator = step.front().getTerminator();
  terminator->insertOperands(terminator->getNumOperands(), guard.getFirst());
  return success();
}

LogicalResult Guard::run() {
  SmallVector<Update> updates = collect();
  hasRoom = getRoom();
  auto forEach = [&](auto isChosen, auto apply) {
    for (const Update &update : updates)
      if (update.returned->get().getDefiningOp() &&
          !update.returned->get().getDefiningOp<UpdateLossScaleOp>() &&
          isChosen(update.role))
        apply(update);
  };
  auto isDerived = [](train::Role role) {
    return role == train::Role::WorkWeight || role == train::Role::ScaleState;
  };
  // Masters and moments first: most of what is derived from them needs no more.
  forEach([&](train::Role role) { return !isDerived(role); },
          [&](const Update &update) { keep(update); });
  forEach([&](train::Role role) { return role == train::Role::ScaleState; },
          [&](const Update &update) {
            if (!isKept(update.returned->get()))
              keep(update);
          });
  for (const Update &update : updates)
    if (hasRoom && update.returned->get().getDefiningOp<UpdateLossScaleOp>())
      keepWithoutRoom(update);
  for (const Update &update : updates)
    // guard_updates_c2
    if (update.role == train::Role::WorkWeight &&
        update.returned->get().getDefiningOp() &&
        !isKept(update.returned->get()))
      return step.emitOpError("a work weight must be computed from guarded "
                              "values, but result ")
             << update.returned->getOperandNumber() << " is not";
  if (failed(countSkipped()) || failed(returnVerdict()))
    return failure();
  // A guard stands behind all gradients, an update may stand before some.
  sortTopologically(&step.front());
  return success();
}

/// Adds to `guard` what is infinite where an index is no row of its table. It
/// comes first: such a step may end in a loss that is not finite, too.
static void guardIndices(func::FuncOp step, FiniteGuardOp guard) {
  SmallVector<Value> inputs;
  SmallVector<Attribute> names;
  for (OpOperand &returned : step.front().getTerminator()->getOpOperands()) {
    unsigned index = returned.getOperandNumber();
    if (!train::isIndexCheck(step, index))
      continue;
    Value isGood = returned.get();
    OpBuilder builder(step.getContext());
    builder.setInsertionPointAfterValue(isGood);
    auto type = cast<RankedTensorType>(isGood.getType());
    auto create = [&](double value) {
      return arith::ConstantOp::create(
          builder, isGood.getLoc(),
          DenseElementsAttr::get(
              cast<ShapedType>(type),
              builder.getF32FloatAttr(static_cast<float>(value)).getValue()));
    };
    Value one = create(1), zero = create(0);
    Value isRow = arith::CmpFOp::create(builder, isGood.getLoc(),
                                        arith::CmpFPredicate::OEQ, isGood, one);
    inputs.push_back(arith::SelectOp::create(
        builder, isGood.getLoc(), isRow, zero,
        create(std::numeric_limits<double>::infinity())));
    llvm::append_range(
        names, step.getResultAttrOfType<ArrayAttr>(index, train::kTensors));
  }
  if (inputs.empty())
    return;
  llvm::append_range(inputs, guard.getInputs());
  llvm::append_range(names, guard.getTensors());
  guard.getInputsMutable().assign(inputs);
  guard.setTensorsAttr(ArrayAttr::get(step.getContext(), names));
}

void GuardUpdates::runOnOperation() {
  FailureOr<func::FuncOp> found = getStepGraph(getOperation());
  if (failed(found))
    return signalPassFailure();
  func::FuncOp step = *found;
  if (!enabled) {
    auto guards = step.getOps<FiniteGuardOp>();
    // guard_updates_c1
    if (!guards.empty()) {
      (*guards.begin())
          .emitOpError(
              "dynamic loss scaling must have guarded updates, but the "
              "guard is left out: use another loss-scaling or guard updates");
      signalPassFailure();
    }
    return;
  }
  FiniteGuardOp guard = getOrCreateGuard(step);
  if (guard)
    guardIndices(step, guard);
  if (guard && failed(Guard(step, guard).run()))
    signalPassFailure();
}
