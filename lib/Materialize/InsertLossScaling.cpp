//===- InsertLossScaling.cpp - scaled gradients, unscaled updates ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multiplies the loss by a loss scale before the backward, so that small
// gradients do not underflow. Not the loss itself but the gradient that the
// backward starts from is multiplied (the seeds); all gradients then are
// scaled, as the backward is linear in them. What the optimizer or the caller
// reads of a gradient is divided by the scale again, in f32. A static scale is
// a constant. A dynamic one is a state: it is lowered after a step whose
// gradients are not finite, and raised after an interval of good steps, by
// powers of two, so that scaling changes no bit of a gradient that does not
// underflow or overflow.
//
//===----------------------------------------------------------------------===//
#include "Materialize/ScaledGradients.h"
#include "Materialize/Weights/StepState.h"
#include "prec/Dialect/Prec/Entry.h"
#include "prec/ExternalModels/ExternalModels.h"
#include "prec/Materialize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

namespace prec {
#define GEN_PASS_DEF_INSERTLOSSSCALING
#include "prec/Materialize/Passes.h.inc"
} // namespace prec

using namespace mlir;
using namespace prec;

namespace {

struct InsertLossScaling
    : public prec::impl::InsertLossScalingBase<InsertLossScaling> {
  using InsertLossScalingBase::InsertLossScalingBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    InsertLossScalingBase::getDependentDialects(registry);
    registerExternalModels(registry);
  }
  void runOnOperation() override;
};

/// Scales the gradients of one step.
class Scaler {
public:
  Scaler(func::FuncOp step, LossScalingAttr options)
      : step(step), options(options), builder(step.getContext()) {}

  LogicalResult run();

private:
  bool isDynamic() const {
    return options.getMode() == LossScalingMode::Dynamic;
  }
  LogicalResult verify(const ScaledGradients &gradients);
  LogicalResult createScale();
  /// No module of the model has what the scale is computed by.
  Location getName() {
    return NameLoc::get(builder.getStringAttr("loss_scaling"));
  }
  Value createScalar(double value);
  Value widen(Value gradient);
  void scaleSeeds(const ScaledGradients &gradients);
  void scaleFirstAmaxes(const ScaledGradients &gradients);
  void unscale(Value gradient);
  LogicalResult reportScale();
  LogicalResult updateScale();

  func::FuncOp step;
  LossScalingAttr options;
  OpBuilder builder;
  /// The factor of the loss, and the one that takes it away.
  Value scale, inverse;
  BlockArgument goodSteps;
};

} // namespace

LogicalResult Scaler::verify(const ScaledGradients &gradients) {
  // insert_loss_scaling_c1
  if (gradients.seeds.empty())
    return step.emitOpError("loss scaling must find the gradient of a loss, a "
                            "prec_train.cross_entropy_grad, but got none");
  for (auto optimizer : step.getOps<train::OptimizerOpInterface>())
    // insert_loss_scaling_c2
    if (!gradients.values.contains(optimizer.getGradient()) &&
        !isZeroTensor(optimizer.getGradient()))
      return optimizer.emitOpError(
          "every gradient must scale with the loss, but "
          "that of operand 1 does not");
  return success();
}

Value Scaler::createScalar(double value) {
  auto type = RankedTensorType::get({}, builder.getF32Type());
  return arith::ConstantOp::create(
      builder, step.getLoc(),
      DenseElementsAttr::get(type, builder.getF32FloatAttr(value).getValue()));
}

LogicalResult Scaler::createScale() {
  builder.setInsertionPointToStart(&step.front());
  double start = options.getScale();
  if (!isDynamic()) {
    scale = createScalar(start);
    inverse = createScalar(1 / start);
    return success();
  }
  FailureOr<BlockArgument> state = addScalarState(step, kLossScaleState, start);
  FailureOr<BlockArgument> count = addScalarState(step, kGoodStepsState, 0);
  if (failed(state) || failed(count))
    return failure();
  scale = *state;
  goodSteps = *count;
  auto division =
      arith::DivFOp::create(builder, getName(), createScalar(1), scale);
  inverse = inOptimizer(division);
  return success();
}

void Scaler::scaleSeeds(const ScaledGradients &gradients) {
  DenseMap<Value, Value> scaled;
  for (train::CrossEntropyGradOp seed : gradients.seeds) {
    Value &product = scaled[seed.getGrad()];
    if (!product) {
      builder.setInsertionPoint(seed);
      auto op =
          arith::MulFOp::create(builder, seed.getLoc(), seed.getGrad(), scale);
      train::copyProvenance(seed, op);
      product = op;
    }
    seed.getGradMutable().assign(product);
  }
}

/// What the first step takes the amaxes of gradients for is so much larger,
/// too.
void Scaler::scaleFirstAmaxes(const ScaledGradients &gradients) {
  for (auto op : step.getOps<DelayedScaleOp>())
    if (std::optional<APFloat> first = op.getFirstAmax();
        first && gradients.values.contains(op.getAmax()))
      op.setFirstAmax(
          APFloat(float(first->convertToDouble() * options.getScale())));
}

/// `gradient` in f32, by the cast that there is.
Value Scaler::widen(Value gradient) {
  auto type = cast<RankedTensorType>(gradient.getType());
  if (type.getElementType().isF32())
    return gradient;
  builder.setInsertionPointAfterValue(gradient);
  for (Operation *user : gradient.getUsers())
    if (auto cast = dyn_cast<arith::ExtFOp>(user);
        cast && cast.getType() == type.clone(builder.getF32Type())) {
      cast->moveBefore(builder.getInsertionBlock(),
                       builder.getInsertionPoint());
      return cast;
    }
  return inOptimizer(arith::ExtFOp::create(
      builder, gradient.getLoc(), type.clone(builder.getF32Type()), gradient));
}

/// What the optimizer and the caller read of a gradient is unscaled, in f32.
void Scaler::unscale(Value gradient) {
  SmallVector<OpOperand *> leaving;
  for (OpOperand &use : gradient.getUses())
    if (isOptimizer(use.getOwner()) || isa<func::ReturnOp>(use.getOwner()))
      leaving.push_back(&use);
  if (leaving.empty())
    return;
  Location loc = gradient.getLoc();
  Value wide = widen(gradient);
  builder.setInsertionPointAfterValue(wide);
  Value factor = inverse;
  if (auto type = cast<RankedTensorType>(wide.getType()); type.getRank() > 0)
    factor = inOptimizer(train::BroadcastOp::create(builder, loc, type, inverse,
                                                    ArrayRef<int64_t>()));
  Value unscaled =
      inOptimizer(arith::MulFOp::create(builder, loc, wide, factor));
  Value narrow;
  for (OpOperand *use : leaving) {
    Operation *user = use->getOwner();
    if (user == wide.getDefiningOp()) {
      wide.replaceAllUsesExcept(unscaled, unscaled.getDefiningOp());
    } else if (gradient.getType() == unscaled.getType() ||
               isa<train::OptimizerOpInterface, train::GlobalNormOp>(user)) {
      use->set(unscaled);
    } else {
      if (!narrow)
        narrow = inOptimizer(arith::TruncFOp::create(
            builder, loc, gradient.getType(), unscaled));
      use->set(narrow);
    }
  }
}

/// The scale of a step is among its metrics.
LogicalResult Scaler::reportScale() {
  return returnMetric(step, kLossScaleState, scale);
}

LogicalResult Scaler::updateScale() {
  FiniteGuardOp guard = getOrCreateGuard(step);
  // insert_loss_scaling_c3
  if (!guard)
    return step.emitOpError("dynamic loss scaling must have an update to "
                            "guard, but got none");
  builder.setInsertionPointAfter(guard);
  auto update = UpdateLossScaleOp::create(
      builder, getName(), scale.getType(), scale.getType(), scale, goodSteps,
      guard.getFinite(), APFloat(float(options.getGrowth().getValueAsDouble())),
      APFloat(float(options.getBackoff().getValueAsDouble())),
      options.getInterval());
  inOptimizer(update);
  return failure(
      failed(reportScale()) ||
      failed(returnState(step, cast<BlockArgument>(scale),
                         update.getNewScale())) ||
      failed(returnState(step, goodSteps, update.getNewGoodSteps())));
}

LogicalResult Scaler::run() {
  FailureOr<ScaledGradients> gradients = findScaledGradients(step);
  if (failed(gradients) || failed(verify(*gradients)) || failed(createScale()))
    return failure();
  scaleSeeds(*gradients);
  scaleFirstAmaxes(*gradients);
  for (Value gradient : gradients->values)
    unscale(gradient);
  return isDynamic() ? updateScale() : success();
}

void InsertLossScaling::runOnOperation() {
  auto options = getOperation()->getAttrOfType<LossScalingAttr>(kLossScaling);
  if (!options)
    return;
  getOperation()->removeAttr(kLossScaling);
  if (options.getMode() == LossScalingMode::None)
    return;
  FailureOr<func::FuncOp> step = getStepGraph(getOperation());
  if (failed(step) || failed(Scaler(*step, options).run()))
    signalPassFailure();
}
