//===- JoinedParameters.cpp - parameters that share copies ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Weights/JoinedParameters.h"
#include "Materialize/Weights/JoinNames.h"
#include "Materialize/Weights/StepState.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace prec;

static bool isParameter(func::FuncOp step, BlockArgument argument) {
  auto role = step.getArgAttrOfType<train::RoleAttr>(argument.getArgNumber(),
                                                     train::kRole);
  return role && (role.getValue() == train::Role::Parameter ||
                  role.getValue() == train::Role::FrozenParameter);
}

/// Masters of which the operands of `concat` are, as they are or widened, with
/// zeros behind them or not; none where it is read by something else than
/// products in fp8 or fp4.
static SmallVector<BlockArgument, 1> getJoined(func::FuncOp step,
                                               tensor::ConcatOp concat) {
  SmallVector<BlockArgument, 1> masters;
  for (Value operand : concat->getOperands()) {
    bool isLast = operand == concat->getOperands().back();
    if (isLast && !masters.empty() && matchPattern(operand, m_AnyZeroFloat()))
      break;
    if (auto widened = operand.getDefiningOp<arith::ExtFOp>())
      operand = widened.getIn();
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || !isParameter(step, argument))
      return {};
    masters.push_back(argument);
  }
  bool isRead = llvm::all_of(concat->getUses(), [](OpOperand &use) {
    TagAttr tag = getOperandTag(use.getOwner(), use.getOperandNumber());
    return isa<train::MatmulOp>(use.getOwner()) && tag && tag.isNarrow();
  });
  return isRead ? masters : SmallVector<BlockArgument, 1>();
}

LogicalResult prec::collectJoined(func::FuncOp step,
                                  const SplitWeightsOptions &options,
                                  SmallVectorImpl<SplitParameter> &parameters) {
  DenseMap<int64_t, unsigned> donated = findUpdates(step);
  llvm::MapVector<Attribute, SplitParameter> joined;
  Builder builder(step.getContext());
  for (auto concat : step.getOps<tensor::ConcatOp>()) {
    SmallVector<BlockArgument, 1> masters = getJoined(step, concat);
    if (masters.empty() ||
        (!options.trained && llvm::any_of(masters, [&](BlockArgument master) {
          return donated.contains(master.getArgNumber());
        })))
      continue;
    SmallVector<StringAttr, 1> names;
    for (BlockArgument master : masters) {
      auto path = step.getArgAttrOfType<StringAttr>(master.getArgNumber(),
                                                    train::kPath);
      // split_weights_c9
      if (!path)
        return concat.emitOpError(
                   "joined parameters must have a prec_train.path, "
                   "but argument ")
               << master.getArgNumber() << " has none";
      names.push_back(path);
    }
    SmallVector<Attribute> key(names.begin(), names.end());
    key.push_back(builder.getI64IntegerAttr(concat.getDim()));
    int64_t padding = concat.getResultType().getDimSize(concat.getDim());
    for (BlockArgument master : masters)
      padding -=
          cast<RankedTensorType>(master.getType()).getDimSize(concat.getDim());
    key.push_back(builder.getI64IntegerAttr(padding));
    SplitParameter &parameter = joined[builder.getArrayAttr(key)];
    parameter.arguments = masters;
    parameter.joinDim = concat.getDim();
    parameter.padding = padding;
    parameter.members = names;
    for (OpOperand &use : concat->getUses()) {
      FailureOr<std::optional<WorkSlot>> slot =
          findSlot(use, builder.getF32Type());
      if (failed(slot))
        return failure();
      parameter.uses.push_back({&use, **slot});
    }
  }
  for (auto &[key, parameter] : joined) {
    parameter.path = builder.getStringAttr(joinNames(llvm::map_to_vector(
        parameter.members, [](StringAttr name) { return name.getValue(); })));
    if (failed(parameter.addSlots(options.keepTransposed)))
      return failure();
    for (BlockArgument argument : parameter.arguments)
      if (auto updated = donated.find(argument.getArgNumber());
          updated != donated.end())
        parameter.updatedResults.push_back(updated->second);
    // split_weights_c10
    if (!parameter.updatedResults.empty() &&
        parameter.updatedResults.size() != parameter.arguments.size())
      return step.emitOpError("all or none of joined parameters must be "
                              "updated, but got ")
             << parameter.updatedResults.size() << " of " << parameter.path;
    parameters.push_back(std::move(parameter));
  }
  return success();
}
