//===- StepState.h - state that passes add to a step ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_MATERIALIZE_WEIGHTS_STEPSTATE_H
#define PREC_LIB_MATERIALIZE_WEIGHTS_STEPSTATE_H

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

/// Names of states.
inline constexpr StringLiteral kLossScaleState = "loss_scale";
inline constexpr StringLiteral kGoodStepsState = "loss_scale_good_steps";
inline constexpr StringLiteral kSkippedStepsState = "skipped_steps";

/// `names` of an argument or result with its role.
DictionaryAttr withRole(DictionaryAttr names, train::Role role,
                        std::optional<int64_t> donatedTo = {});

/// By the number of an argument the result that replaces it.
DenseMap<int64_t, unsigned> findUpdates(mlir::func::FuncOp step);

/// The function @init of `step`'s module; an empty one if there was none.
mlir::func::FuncOp getOrCreateInit(mlir::func::FuncOp step);

/// Makes a tensor of the type of `start` an argument of `step` with these
/// attributes, which @init sets to `start`.
FailureOr<BlockArgument> addState(mlir::func::FuncOp step, DictionaryAttr names,
                                  mlir::TypedAttr start);

/// Makes an f32 scalar of this name an argument of `step` of role scale_state,
/// which @init sets to `start`.
FailureOr<BlockArgument> addScalarState(mlir::func::FuncOp step, StringRef name,
                                        double start);

/// Returns `value` from `step` as what `state` is in the next step.
LogicalResult returnState(mlir::func::FuncOp step, BlockArgument state,
                          Value value);

/// What an optimizer returns of a master that is rounded behind it; the value
/// itself otherwise.
Value getUnrounded(Value updated);

/// `op` with its result `update`; `op` itself is gone if it had none.
train::OptimizerOpInterface getWithUpdate(train::OptimizerOpInterface op);

/// A parameter that a step updates.
struct TrainedParameter {
  BlockArgument argument;
  unsigned result; ///< replaces the argument
  std::string path;
  train::OptimizerOpInterface optimizer; ///< null if another operation's update
};

SmallVector<TrainedParameter> findTrained(mlir::func::FuncOp step);

/// The number of the step, as a seed, made at the head of `step` from its hyper
/// argument; null if it has none.
Value createSeed(mlir::func::FuncOp step);

/// Returns `value` from `step` with these attributes.
LogicalResult returnValue(mlir::func::FuncOp step, DictionaryAttr attributes,
                          Value value);

/// Returns a scalar from `step` under this name, of role metric.
LogicalResult returnMetric(mlir::func::FuncOp step, const Twine &name,
                           Value value);

/// The value of `op`, which becomes part of the optimizer.
Value inOptimizer(Operation *op);

/// The first element of a row of `rows`, a scalar.
Value getElement(OpBuilder &builder, Location loc, Value rows, int64_t row);

/// The guard of a step over its loss and the gradients that its updates read,
/// in the order in which they are computed; of an update that is no optimizer's
/// the new value stands for the gradient. Null if nothing is updated.
FiniteGuardOp getOrCreateGuard(mlir::func::FuncOp step);

} // namespace prec

#endif // PREC_LIB_MATERIALIZE_WEIGHTS_STEPSTATE_H
