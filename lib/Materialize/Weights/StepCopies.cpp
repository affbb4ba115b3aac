//===- StepCopies.cpp - work weights that a step keeps --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Weights/StepCopies.h"

#include "prec/Dialect/Prec/Describe.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace prec;

using Positions = DenseMap<Operation *, unsigned>;

/// The slots of `parameter` from its updated masters, behind the last of them;
/// nothing of a frozen one.
static FailureOr<SmallVector<Value>>
createUpdated(func::FuncOp step, const SplitParameter &parameter,
              const Positions &positions) {
  if (parameter.updatedResults.empty())
    return SmallVector<Value>();
  Operation *terminator = step.front().getTerminator();
  Operation *update = nullptr;
  SmallVector<Value> updated;
  for (unsigned result : parameter.updatedResults) {
    updated.push_back(terminator->getOperand(result));
    Operation *op = updated.back().getDefiningOp();
    // split_weights_c5
    if (!op)
      return step.emitOpError("an updated parameter must be computed, but ")
             << parameter.path << " is returned as it came";
    if (!update || positions.at(update) < positions.at(op))
      update = op;
  }
  OpBuilder builder(step.getContext());
  builder.setInsertionPointAfter(update);
  Block::iterator next = builder.getInsertionPoint();
  SmallVector<Value> values = buildWorkSlots(
      builder, update->getLoc(),
      widenMasters(builder, update->getLoc(), updated), parameter.slots,
      parameter.rule, {parameter.joinDim, parameter.padding});
  for (Operation &op : llvm::make_range(std::next(update->getIterator()), next))
    train::copyProvenance(update, &op);
  return values;
}

static LogicalResult addArguments(func::FuncOp step,
                                  ArrayRef<SplitParameter> parameters) {
  Builder builder(step.getContext());
  unsigned firstNew = step.getNumArguments();
  unsigned oldResults = step.getNumResults();
  SmallVector<Type> argumentTypes, resultTypes;
  SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
  SmallVector<Location> locations;
  SmallVector<Value> updates;
  // Asking the block would count its operations after each insertion anew.
  Positions positions;
  for (Operation &op : step.front())
    positions[&op] = positions.size();

  for (const SplitParameter &parameter : parameters) {
    RankedTensorType type = parameter.getWideType();
    FailureOr<SmallVector<Value>> values =
        createUpdated(step, parameter, positions);
    if (failed(values))
      return failure();
    for (auto [index, slot] : llvm::enumerate(parameter.slots)) {
      if (!values->empty()) {
        SmallVector<NamedAttribute> names =
            parameter.getNames(builder, slot, train::Role::Updated);
        names.push_back(builder.getNamedAttr(
            train::kDonatedTo,
            builder.getI64IntegerAttr(firstNew + argumentTypes.size())));
        resultTypes.push_back(slot.getType(type, parameter.rule.scaling));
        resultAttrs.push_back(builder.getDictionaryAttr(names));
        updates.push_back((*values)[index]);
      }
      argumentTypes.push_back(slot.getType(type, parameter.rule.scaling));
      argumentAttrs.push_back(builder.getDictionaryAttr(
          parameter.getNames(builder, slot, slot.getRole())));
      locations.push_back(parameter.getLoc());
    }
  }

  SmallVector<unsigned> argumentIndices(argumentTypes.size(), firstNew);
  SmallVector<unsigned> resultIndices(resultTypes.size(), oldResults);
  if (failed(step.insertArguments(argumentIndices, argumentTypes, argumentAttrs,
                                  locations)) ||
      failed(step.insertResults(resultIndices, resultTypes, resultAttrs)))
    return failure();
  Operation *terminator = step.front().getTerminator();
  terminator->insertOperands(terminator->getNumOperands(), updates);
  return success();
}

/// Lets all uses read the arguments of `step` from `base` on.
static void readCopies(func::FuncOp step, ArrayRef<SplitParameter> parameters,
                       unsigned base) {
  // Widened copies, for users whose types prec-insert-casts has yet to change.
  DenseMap<Value, Value> widened;
  auto builder = OpBuilder::atBlockBegin(&step.front());
  llvm::SetVector<Operation *> joins;
  for (const SplitParameter &parameter : parameters) {
    for (const WorkUse &use : parameter.uses) {
      auto slot = llvm::lower_bound(parameter.slots, use.slot);
      Value work = step.getArgument(base + (slot - parameter.slots.begin()));
      if (copiesElements(use.operand->getOwner())) {
        Value &wide = widened[work];
        if (!wide)
          wide = arith::ExtFOp::create(builder, work.getLoc(),
                                       parameter.getWideType(), work);
        work = wide;
      }
      if (parameter.arguments.size() > 1 || parameter.padding)
        joins.insert(use.operand->get().getDefiningOp());
      use.operand->set(work);
      if (use.slot.kind == WorkSlot::Kind::Transposed)
        flipTranspose(use.operand->getOwner(), use.operand->getOperandNumber());
    }
    base += parameter.slots.size();
  }
  for (Operation *join : joins)
    join->erase();
}

LogicalResult prec::addStepCopies(func::FuncOp step,
                                  ArrayRef<SplitParameter> parameters) {
  unsigned firstNew = step.getNumArguments();
  if (failed(addArguments(step, parameters)))
    return failure();
  readCopies(step, parameters, firstNew);
  return success();
}
