//===- NarrowMasters.cpp - masters in the format of their tags ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Weights/StepState.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"

namespace prec {
#define GEN_PASS_DEF_NARROWMASTERS
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct NarrowMasters : public prec::impl::NarrowMastersBase<NarrowMasters> {
  using NarrowMastersBase::NarrowMastersBase;

  void runOnOperation() override;

private:
  LogicalResult narrow(BlockArgument master, Type elementType);
  /// Replaces what is returned by what is rounded at random.
  void roundStochastically(train::OptimizerOpInterface update,
                           OpOperand &returned, RankedTensorType narrow);
  Value getSeed(train::OptimizerOpInterface update);
  /// Replaces what is returned by what keeps the norm of the update.
  void roundByNorm(train::OptimizerOpInterface update, OpOperand &returned);

  func::FuncOp step;
  DenseMap<int64_t, unsigned> updates;
  /// Null for rounding to nearest.
  MasterRoundingAttr rounding;
  /// By the optimizer's count of steps.
  DenseMap<Value, Value> seeds;
};

} // namespace

static bool isUpdate(OpOperand &use) {
  return isa<train::OptimizerOpInterface>(use.getOwner()) &&
         use.getOperandNumber() == 0;
}

LogicalResult NarrowMasters::narrow(BlockArgument master, Type elementType) {
  auto wide = cast<RankedTensorType>(master.getType());
  auto narrow = wide.clone(elementType);
  OpBuilder builder(step.getContext());
  master.setType(narrow);
  if (!llvm::all_of(master.getUses(), isUpdate)) {
    builder.setInsertionPointToStart(&step.getBody().front());
    auto widened =
        arith::ExtFOp::create(builder, master.getLoc(), wide, master);
    master.replaceUsesWithIf(widened, [&](OpOperand &use) {
      return use.getOwner() != widened && !isUpdate(use);
    });
  }
  auto update = updates.find(master.getArgNumber());
  if (update == updates.end())
    return success();
  Operation *terminator = step.getBody().front().getTerminator();
  auto updated = dyn_cast<OpResult>(terminator->getOperand(update->second));
  // narrow_masters_c1
  if (!updated || !isa<train::OptimizerOpInterface>(updated.getOwner()))
    return step.emitOpError("a master narrower than f32 must be updated by an "
                            "optimizer, but result ")
           << update->second << " is not";
  auto optimizer = cast<train::OptimizerOpInterface>(updated.getOwner());
  OpOperand &returned = terminator->getOpOperand(update->second);
  switch (rounding ? rounding.getMode() : MasterRounding::Nearest) {
  case MasterRounding::Nearest:
    updated.setType(narrow);
    break;
  case MasterRounding::Stochastic:
    roundStochastically(optimizer, returned, narrow);
    break;
  case MasterRounding::PrecisionAware:
    roundByNorm(optimizer, returned);
    break;
  }
  return success();
}

/// Another one in every step.
Value NarrowMasters::getSeed(train::OptimizerOpInterface update) {
  Value &seed = seeds[update.getStep()];
  if (seed)
    return seed;
  OpBuilder builder(update);
  // Updates come in another order than parameters.
  builder.setInsertionPointAfterValue(update.getStep());
  auto type = RankedTensorType::get({}, builder.getI32Type());
  seed =
      arith::FPToSIOp::create(builder, update.getLoc(), type, update.getStep());
  train::copyProvenance(update, seed.getDefiningOp());
  return seed;
}

/// What is rounded behind the optimizer is not rounded before.
static void keepWide(train::OptimizerOpInterface update, unsigned result,
                     StringRef rule) {
  MLIRContext *context = update->getContext();
  setResultTag(update, result,
               TagAttr::get(context, Format::F32, Scaling::None,
                            Accumulator::Full, StringAttr::get(context, rule)));
}

void NarrowMasters::roundStochastically(train::OptimizerOpInterface update,
                                        OpOperand &returned,
                                        RankedTensorType narrow) {
  Value seed = getSeed(update);
  OpBuilder builder(update->getContext());
  builder.setInsertionPointAfter(update);
  keepWide(update, 0, "rounded at random behind the optimizer");
  auto rounded = StochasticRoundOp::create(
      builder, update.getLoc(), narrow, update.getNewParameter(), seed,
      builder.getI32IntegerAttr(
          static_cast<int32_t>(returned.getOperandNumber())));
  train::copyProvenance(update, rounded);
  returned.set(rounded);
}

void NarrowMasters::roundByNorm(train::OptimizerOpInterface update,
                                OpOperand &returned) {
  train::OptimizerOpInterface optimizer = getWithUpdate(update);
  keepWide(optimizer, 0, "replaced behind the optimizer");
  keepWide(optimizer, optimizer->getNumResults() - 1,
           "rounded behind the optimizer, by its norm");
  OpBuilder builder(optimizer->getContext());
  builder.setInsertionPointAfter(optimizer);
  auto rounded = PrecisionAwareUpdateOp::create(
      builder, optimizer.getLoc(), optimizer.getParameter().getType(),
      optimizer.getParameter(), optimizer.getUpdate(), rounding.getIterations(),
      APFloat(float(rounding.getTolerance().getValueAsDouble())));
  train::copyProvenance(optimizer, rounded);
  returned.set(rounded);
}

void NarrowMasters::runOnOperation() {
  FailureOr<func::FuncOp> found = getStepGraph(getOperation());
  if (failed(found))
    return signalPassFailure();
  step = *found;
  updates = findUpdates(step);
  rounding = getOperation()->getAttrOfType<MasterRoundingAttr>(kMasterRounding);
  getOperation()->removeAttr(kMasterRounding);
  for (BlockArgument argument : step.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto role = step.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
    auto tag = step.getArgAttrOfType<TagAttr>(index, kTag);
    bool isMaster = role && (role.getValue() == train::Role::Parameter ||
                             role.getValue() == train::Role::FrozenParameter);
    if (!isMaster || !tag || tag.getFormat() == Format::F32 ||
        !getElementTypeOrSelf(argument.getType()).isF32())
      continue;
    if (failed(narrow(argument, tag.getElementType())))
      return signalPassFailure();
  }
  Block &body = step.getBody().front();
  step.setFunctionType(
      FunctionType::get(step.getContext(), body.getArgumentTypes(),
                        body.getTerminator()->getOperandTypes()));
}
