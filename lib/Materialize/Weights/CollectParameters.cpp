//===- CollectParameters.cpp - which parameters have work weights ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Weights/CollectParameters.h"

#include "prec/Dialect/Prec/Describe.h"
#include "Materialize/Weights/JoinedParameters.h"
#include "Materialize/Weights/StepState.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace prec;

/// A frozen weight that everything reads in one format, and that without a
/// scale, is kept in it: nothing needs a master.
static bool keepAsRead(func::FuncOp step, SplitParameter &parameter) {
  const WorkSlot &slot = parameter.uses.front().slot;
  BlockArgument argument = parameter.arguments.front();
  RankedTensorType wide = parameter.getWideType();
  bool isReadInOneFormat =
      argument.getType() == wide && !isNarrow(slot.format) &&
      llvm::all_of(argument.getUses(), [&](OpOperand &use) {
        return llvm::any_of(parameter.uses, [&](const WorkUse &work) {
          return work.operand == &use && work.slot.format == slot.format;
        });
      });
  if (!isReadInOneFormat)
    return false;
  argument.setType(slot.getType(wide, Scaling::None));
  OpBuilder builder(step.getContext());
  builder.setInsertionPointToStart(&step.front());
  Value widened;
  for (const WorkUse &use : parameter.uses) {
    if (!copiesElements(use.operand->getOwner()))
      continue;
    if (!widened)
      widened =
          arith::ExtFOp::create(builder, argument.getLoc(), wide, argument);
    use.operand->set(widened);
  }
  step.setFunctionType(builder.getFunctionType(step.front().getArgumentTypes(),
                                               step.getResultTypes()));
  return true;
}

LogicalResult
prec::collectParameters(func::FuncOp step, const SplitWeightsOptions &options,
                        SmallVectorImpl<SplitParameter> &parameters) {
  DenseMap<int64_t, unsigned> donated = findUpdates(step);
  for (BlockArgument argument : step.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto role = step.getArgAttrOfType<train::RoleAttr>(index, train::kRole);
    if (!role ||
        (role.getValue() != train::Role::FrozenParameter &&
         (role.getValue() != train::Role::Parameter || !options.trained)))
      continue;
    SplitParameter parameter;
    parameter.arguments = {argument};
    parameter.path = step.getArgAttrOfType<StringAttr>(index, train::kPath);
    parameter.members = {parameter.path};
    Type master = getElementTypeOrSelf(argument.getType());
    bool isFrozen = role.getValue() == train::Role::FrozenParameter;
    SmallVector<OpOperand *> uses = getMasterUses(argument);
    for (OpOperand *use : uses) {
      FailureOr<std::optional<WorkSlot>> slot = findSlot(*use, master);
      if (failed(slot))
        return failure();
      if (*slot)
        parameter.uses.push_back({use, **slot});
    }
    if (parameter.uses.empty() || (isFrozen && keepAsRead(step, parameter)))
      continue;
    // Of slices files hold the whole, which copies of one rank's are not.
    parameter.isStaged = isFrozen && !options.keepFrozen &&
                         !step.getArgAttr(index, train::kShard) &&
                         parameter.uses.size() == uses.size();
    // split_weights_c3
    if (!parameter.path)
      return step.emitOpError(
                 "a parameter must have a prec_train.path, but argument ")
             << index << " has none";
    if (failed(parameter.addSlots(options.keepTransposed)))
      return failure();
    if (auto updated = donated.find(index); updated != donated.end())
      parameter.updatedResults = {updated->second};
    parameters.push_back(std::move(parameter));
  }
  return collectJoined(step, options, parameters);
}
