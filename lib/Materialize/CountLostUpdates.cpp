//===- CountLostUpdates.cpp - updates that did not reach their masters ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/MetricBuilder.h"
#include "Materialize/Weights/StepState.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Materialize/Passes.h"

namespace prec {
#define GEN_PASS_DEF_COUNTLOSTUPDATES
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

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
  // An update that is no number reaches no master either.
  Value isMeant =
      create<arith::CmpFOp>(arith::CmpFPredicate::UNE, update, zero);
  Value same = create<arith::SelectOp>(isSame, one, zero);
  return sum(create<arith::SelectOp>(isMeant, same, zero));
}

LogicalResult CountLostUpdates::collect() {
  Operation *terminator = step.front().getTerminator();
  Counter counter(step);
  for (const TrainedParameter &trained : findTrained(step)) {
    // count_lost_updates_c1
    if (!trained.optimizer)
      return step.emitOpError("a parameter whose lost updates are counted must "
                              "be updated by an optimizer, but result ")
             << trained.result << " is not";
    train::OptimizerOpInterface optimizer = getWithUpdate(trained.optimizer);
    // It may have been a result of the optimizer that was replaced.
    Value updated = terminator->getOperand(trained.result);
    lost.push_back(
        {trained.path,
         counter.count(trained.argument, updated, optimizer.getUpdate()),
         cast<RankedTensorType>(trained.argument.getType()).getNumElements()});
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
  FailureOr<func::FuncOp> found = getStepGraph(getOperation());
  if (failed(found))
    return signalPassFailure();
  step = *found;
  if (failed(collect()) || failed(report()))
    signalPassFailure();
}
