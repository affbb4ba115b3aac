//===- SplitParameter.cpp - a parameter that has work weights -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Weights/SplitParameter.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace prec;

RankedTensorType SplitParameter::getWideType() const {
  auto type = cast<RankedTensorType>(arguments.front().getType());
  SmallVector<int64_t> shape(type.getShape());
  for (BlockArgument argument : ArrayRef(arguments).drop_front())
    shape[joinDim] +=
        cast<RankedTensorType>(argument.getType()).getDimSize(joinDim);
  shape[joinDim] += padding;
  return RankedTensorType::get(shape, Float32Type::get(type.getContext()));
}

SmallVector<NamedAttribute> SplitParameter::getNames(Builder &builder,
                                                     const WorkSlot &slot,
                                                     train::Role role) const {
  NamedAttrList names(slot.getAttributes(builder, path, role));
  if (members.size() > 1) {
    names.set(train::kParamOf, members.front());
    names.set(train::kTensors, builder.getArrayAttr(SmallVector<Attribute>(
                                   members.begin(), members.end())));
  }
  return SmallVector<NamedAttribute>(names.getAttrs());
}

/// A work weight has one scale, whoever reads it.
LogicalResult SplitParameter::setRule() {
  Operation *first = uses.front().operand->getOwner();
  AmaxAttr options = getAmaxOptions(first);
  Scaling scaling = Scaling::None;
  for (const WorkUse &use : uses) {
    if (!isNarrow(use.slot.format))
      continue;
    Operation *user = use.operand->getOwner();
    TagAttr tag = getOperandTag(user, use.operand->getOperandNumber());
    // split_weights_c7
    if (scaling != Scaling::None && scaling != tag.getScaling())
      return user->emitOpError("a weight must have one scaling, but got ")
             << stringifyScaling(scaling) << " and "
             << stringifyScaling(tag.getScaling()) << " for " << path;
    scaling = tag.getScaling();
  }
  rule = {scaling,
          options,
          options.getWeight(),
          StringAttr(),
          getMicroscaling(first),
          /*isWeight=*/true};
  RankedTensorType type = getWideType();
  // split_weights_c8
  if (int64_t side = traitsOf(scaling).columns;
      rule.hasSquareBlocks() &&
      llvm::any_of(type.getShape(), [&](int64_t s) { return s % side; }))
    return first->emitOpError("a weight in blocks of ")
           << side << "x" << side << " must have sizes that are multiples of "
           << side << ", but got " << type << " for " << path;
  // Without an update, nothing but the first amax scales a copy.
  if (scaling == Scaling::TensorDelayed && !isStaged)
    rule.history = path;
  return success();
}

/// What is read transposed reads the direct copy where there is one with the
/// same bytes; --prec-insert-casts transposes it.
void SplitParameter::readDirectCopies() {
  for (WorkUse &use : uses) {
    WorkSlot direct{use.slot.format, WorkSlot::Kind::Copy};
    if (use.slot.kind == WorkSlot::Kind::Transposed &&
        llvm::any_of(
            uses, [&](const WorkUse &other) { return other.slot == direct; }))
      use.slot = direct;
  }
}

LogicalResult SplitParameter::addSlots(bool keepTransposed) {
  if (failed(setRule()))
    return failure();
  if (!keepTransposed && !isFine(rule.scaling))
    readDirectCopies();
  for (BlockArgument argument : arguments)
    // split_weights_c4
    if (Type master = getElementTypeOrSelf(argument.getType());
        !master.isF32() && !master.isBF16())
      return argument.getOwner()->getParentOp()->emitOpError(
                 "a master must be f32 or bf16, but got ")
             << argument.getType() << " for " << path;
  for (const WorkUse &use : uses) {
    slots.push_back(use.slot);
    if (!isNarrow(use.slot.format))
      continue;
    bool ownScaleInv =
        isFine(rule.scaling) && use.slot.kind == WorkSlot::Kind::Transposed;
    slots.push_back({use.slot.format, ownScaleInv
                                          ? WorkSlot::Kind::TransposedScaleInv
                                          : WorkSlot::Kind::ScaleInv});
    if (hasTensorScale(rule.scaling))
      slots.push_back({use.slot.format, WorkSlot::Kind::TensorScaleInv});
    if (rule.history)
      slots.push_back({use.slot.format, WorkSlot::Kind::Scale});
  }
  llvm::sort(slots);
  slots.erase(llvm::unique(slots), slots.end());
  return success();
}
