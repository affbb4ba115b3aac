//===- CountLostUpdates.cpp - updates that did not reach their masters ----===//
#include "MetricBuilder.h"
#include "StepState.h"
#include "prec/Materialize/Passes.h"

namespace mlir::prec {
#define GEN_PASS_DEF_COUNTLOSTUPDATES
#include "prec/Materialize/Passes.h.inc"
} // namespace mlir::prec

using namespace mlir;
using namespace mlir::prec;

namespace {

/// Elements of one parameter whose update was lost.
struct Lost {
  std::string path;
  Value count;
  int64_t elements;
};

struct CountLostUpdates
    : public prec::impl::CountLostUpdatesBase<CountLostUpdates> {
  using CountLostUpdatesBase::CountLostUpdatesBase;

  void runOnOperation() override;

private:
  LogicalResult collect();
  LogicalResult report();

  func::FuncOp step;
  SmallVector<Lost> lost;
};

/// Builds what counts at the end of a step.
class Counter : public MetricBuilder {
public:
  explicit Counter(func::FuncOp step)
      : MetricBuilder(step.front().getTerminator(), train::Phase::Optimizer) {}

  Value count(Value old, Value updated, Value update);
  Value add(Value a, Value b) { return create<arith::AddFOp>(a, b); }
  /// `count` of so many elements, as a part of them.
  Value getPart(Value count, int64_t elements) {
    return create<arith::DivFOp>(count, splat(count.getType(), elements));
  }

private:
  /// Those of the f32 with the value.
  Value getBits(Value value);
};

} // namespace

Value Counter::getBits(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return create<arith::BitcastOp>(type.clone(builder.getI32Type()),
                                  widen(value));
}

Value Counter::count(Value old, Value updated, Value update) {
  Value zero = splat(update.getType(), 0), one = splat(update.getType(), 1);
  Value after = getBits(updated), before = getBits(old);
  Value isSame = create<arith::CmpIOp>(arith::CmpIPredicate::eq, after, before);
  Value isMeant =
      create<arith::CmpFOp>(arith::CmpFPredicate::ONE, update, zero);
  Value same = create<arith::SelectOp>(isSame, one, zero);
  return sum(create<arith::SelectOp>(isMeant, same, zero));
}

LogicalResult CountLostUpdates::collect() {
  DenseMap<int64_t, unsigned> updates = findUpdates(step);
  Operation *terminator = step.front().getTerminator();
  Counter counter(step);
  for (BlockArgument argument : step.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto role = step.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
    auto update = updates.find(index);
    if (!role || role.getValue() != train::Role::Parameter ||
        update == updates.end())
      continue;
    Value updated = terminator->getOperand(update->second);
    auto optimizer =
        getUnrounded(updated).getDefiningOp<train::OptimizerOpInterface>();
    // count_lost_updates_c1
    if (!optimizer || getUnrounded(updated) != optimizer.getNewParameter())
      return step.emitOpError("a parameter whose lost updates are counted must "
                              "be updated by an optimizer, but result ")
             << update->second << " is not";
    optimizer = getWithUpdate(optimizer);
    auto path = step.getArgAttrOfType<StringAttr>(index, train::kPath);
    // It may have been a result of the optimizer that was replaced.
    updated = terminator->getOperand(update->second);
    lost.push_back(
        {path ? path.str() : "argument " + std::to_string(index),
         counter.count(argument, updated, optimizer.getUpdate()),
         cast<RankedTensorType>(argument.getType()).getNumElements()});
  }
  // count_lost_updates_c2
  if (lost.empty())
    return step.emitOpError("a step whose lost updates are counted must update "
                            "a parameter, but none is updated");
  return success();
}

LogicalResult CountLostUpdates::report() {
  Counter counter(step);
  Value all;
  int64_t elements = 0;
  for (const Lost &one : lost) {
    all = all ? counter.add(all, one.count) : one.count;
    elements += one.elements;
  }
  if (failed(
          returnMetric(step, "lost_updates", counter.getPart(all, elements))))
    return failure();
  for (const Lost &one : lost)
    if (failed(returnMetric(step, "lost_updates." + one.path,
                            counter.getPart(one.count, one.elements))))
      return failure();
  return success();
}

void CountLostUpdates::runOnOperation() {
  lost.clear();
  step = getOperation().lookupSymbol<func::FuncOp>("step");
  if (!step || step.isExternal())
    return;
  if (failed(collect()) || failed(report()))
    signalPassFailure();
}
